"""torch.utils.data.datapipes.iter.combinatorics: classes of pipes that shuffle, of which there are none."""

from .....torch_names.absent_devices import uninstantiable

globals().update(
    uninstantiable(
        ["SamplerIterDataPipe", "ShufflerIterDataPipe"], "torch.utils.data.datapipes.iter.combinatorics",
        "{} is a DataPipe, which torch has deprecated and pullback does not have.",
    )
)  # fmt: skip

__all__ = ["SamplerIterDataPipe", "ShufflerIterDataPipe"]  # noqa: F822  # made above
