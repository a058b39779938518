"""torch.utils.data.datapipes: classes by which libraries ask whether a data set is one of torch's pipes."""
