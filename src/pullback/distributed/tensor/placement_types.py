"""torch.distributed.tensor.placement_types: how a tensor is laid out over the processes of one dimension."""

from dataclasses import dataclass, field


class Placement:
    """Hold what each process of a line has of a tensor."""

    __module__ = "torch.distributed.tensor.placement_types"

    def is_shard(self, dim: int | None = None) -> bool:
        """Return whether it has a part along an axis, or along this one."""
        return False

    def is_replicate(self) -> bool:
        """Return whether it has all of it."""
        return False

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Return whether it has a summand."""
        return False


@dataclass(frozen=True)
class Shard(Placement):
    """Each process has a part along axis `dim`: as `chunk` divides it."""

    dim: int

    def is_shard(self, dim: int | None = None) -> bool:
        return dim is None or self.dim == dim

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


@dataclass(frozen=True)
class _StridedShard(Shard):
    """Each process has a part of each of `split_factor` equal stretches along an axis: what is left of a part
    of one axis when others are joined with it.
    """

    split_factor: int = field(kw_only=True)

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process has all of it."""

    def is_replicate(self) -> bool:
        return True

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True)
class Partial(Placement):
    """Each process has a tensor of the whole shape; the sum, or another reduction, is the value."""

    reduce_op: str = "sum"

    def is_partial(self, reduce_op: str | None = None) -> bool:
        return reduce_op is None or self.reduce_op == reduce_op

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


for _class in (Shard, _StridedShard, Replicate, Partial):
    _class.__module__ = Placement.__module__

__all__ = ["Partial", "Placement", "Replicate", "Shard"]
