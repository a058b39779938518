"""torch.utils.data.datapipes.iter: pipes that are iterated over, of which there are none."""
