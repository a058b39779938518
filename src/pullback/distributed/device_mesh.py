"""torch.distributed.device_mesh: processes laid out in a grid, with a group for each line of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..core.process_group import default_group
from ..errors import with_note
from ..tensor.creation import tensor
from .groups import get_rank, get_world_size, new_group
from .initialization import init_process_group
from .rendezvous import under_mpiexec

_CURRENT: list[DeviceMesh] = []


class DeviceMesh:
    """The ranks of processes in a grid.

    Parameters
    ----------
    device_type : str
        ``"cpu"``.
    mesh : Tensor, array or nested list of int
        Global ranks.
    mesh_dim_names : sequence of str, optional
        A name for each dimension.

    Attributes
    ----------
    mesh : Tensor of int32
    """

    __module__ = "torch.distributed.device_mesh"

    def __init__(
        self, device_type: str, mesh: Any, *, mesh_dim_names: Sequence[str] | None = None,
        _groups: list[Any] | None = None, _root: DeviceMesh | None = None,
    ) -> None:  # fmt: skip
        self.device_type = device_type
        self._ranks = np.array(mesh.tolist() if hasattr(mesh, "tolist") else mesh, np.int32)
        self.mesh = tensor(self._ranks)
        self.mesh_dim_names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        self._root = _root
        self._flattened: dict[str, DeviceMesh] = {}
        if default_group() is None:
            init_process_group()
        found = np.argwhere(self._ranks == get_rank())
        self._coordinate = tuple(int(n) for n in found[0]) if len(found) else None
        self._groups = self._make_groups() if _groups is None else _groups

    def _make_groups(self) -> list[Any]:
        """Return the group of this process along each dimension; all processes make all groups."""
        groups: list[Any] = []
        for axis in range(self.ndim):
            every = list(range(get_world_size()))
            if self._ranks.shape[axis] == len(every) and self._ranks.ravel().tolist() == every:
                groups.append(default_group())
                continue
            own: Any = None
            lines = np.moveaxis(self._ranks, axis, -1).reshape(-1, self._ranks.shape[axis])
            for line in lines.tolist():
                group = new_group(line)
                if get_rank() in line:
                    own = group
            groups.append(own)
        return groups

    @property
    def ndim(self) -> int:
        """Return the number of dimensions."""
        return self._ranks.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """Return how many processes there are along each dimension."""
        return self._ranks.shape

    def size(self, mesh_dim: int | None = None) -> int:
        """Return the number of processes, in all or along a dimension."""
        return int(self._ranks.size if mesh_dim is None else self._ranks.shape[mesh_dim])

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Return where this process is; None where it is not in the grid."""
        return self._coordinate

    def get_rank(self) -> int:
        """Return the global rank of this process."""
        return get_rank()

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Return the place of this process along a dimension."""
        axis = self._axis(mesh_dim)
        assert self._coordinate is not None, "this process is not in the mesh"
        return self._coordinate[axis]

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        """Return the group of the processes in line with this one along a dimension."""
        return self._groups[self._axis(
            mesh_dim, "If you want to get the list of all the ProcessGroups in the DeviceMesh,please use "
            "`get_all_groups()` instead.",
        )]  # fmt: skip

    def get_all_groups(self) -> list[Any]:
        """Return the groups of this process along all dimensions."""
        return list(self._groups)

    def _axis(self, mesh_dim: int | str | None, *hints: str) -> int:
        """Return the number of a dimension, which has to be named where there are several."""
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions",
                "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.", *hints,
            )
        if not isinstance(mesh_dim, str):
            return mesh_dim or 0
        self._check_names((mesh_dim,))
        assert self.mesh_dim_names is not None
        return self.mesh_dim_names.index(mesh_dim)

    def _check_names(self, names: tuple[str, ...]) -> None:
        if self.mesh_dim_names is None:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        if any(name not in self.mesh_dim_names for name in names):
            raise KeyError(
                f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are "
                f"{list(self.mesh_dim_names)}."
            )

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        """Return the part of the grid that has these dimensions and this process."""
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if len(names) == 1 and names[0] in self._flattened:
            return self._flattened[names[0]]
        self._check_names(names)
        assert self.mesh_dim_names is not None
        axes = [self.mesh_dim_names.index(name) for name in names]
        coordinate = self._coordinate or (0,) * self.ndim
        kept = tuple(slice(None) if axis in axes else coordinate[axis] for axis in range(self.ndim))
        left = sorted(axes)
        part = self._ranks[kept].transpose([left.index(axis) for axis in axes])
        return DeviceMesh(
            self.device_type, part, mesh_dim_names=names, _groups=[self._groups[axis] for axis in axes],
            _root=self._get_root_mesh(),
        )  # fmt: skip

    def _flatten(self, mesh_dim_name: str | None = None, backend_override: Any = None) -> DeviceMesh:
        """Return the processes of this grid in one dimension, which the whole grid knows by its name then.

        All processes of the whole grid take part: they make the groups.
        """
        if self.mesh_dim_names is None:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = mesh_dim_name or "_".join(self.mesh_dim_names)
        if self.ndim == 1 and name in self.mesh_dim_names:
            return self
        root = self._get_root_mesh()
        if name in root._flattened:
            return root._flattened[name]
        axes = [root._axis(one) for one in self.mesh_dim_names]
        lines = np.moveaxis(root._ranks, axes, range(-len(axes), 0)).reshape(-1, self.size())
        whole = self.size() == get_world_size()
        groups: list[Any] = [default_group() if whole else new_group(line) for line in lines.tolist()]
        own = next((place for place, line in enumerate(lines) if get_rank() in line), 0)
        made = DeviceMesh(
            self.device_type, lines[own], mesh_dim_names=(name,), _groups=[groups[own]], _root=root
        )
        root._flattened[name] = made
        return made

    def joined(self, other: DeviceMesh) -> DeviceMesh:
        """Return the grid that has the dimensions of this one and then those of another part of the same."""
        root = self._get_root_mesh()
        names = (*(self.mesh_dim_names or ()), *(other.mesh_dim_names or ()))
        if root is not other._get_root_mesh() or len(names) != self.ndim + other.ndim:
            raise with_note(
                RuntimeError("Cannot concatenate DeviceMeshes derived from different device_meshs"),
                "Make one with init_device_mesh(..., mesh_dim_names=...) and take both of it by name.",
            )
        # ranks of a grid are sums of what each of its dimensions adds
        ranks = np.add.outer(self._ranks, other._ranks - get_rank())
        groups = self._groups + other._groups
        return DeviceMesh(self.device_type, ranks, mesh_dim_names=names, _groups=groups, _root=root)

    def _get_root_mesh(self) -> DeviceMesh:
        return self._root or self

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, DeviceMesh)
            and self.device_type == other.device_type
            and self.mesh_dim_names == other.mesh_dim_names
            and np.array_equal(self._ranks, other._ranks)
        )

    def __hash__(self) -> int:
        return hash((self.device_type, self.shape, self._ranks.tobytes(), self.mesh_dim_names))

    def __repr__(self) -> str:
        sizes = [str(size) for size in self.shape]
        if self.mesh_dim_names is not None:
            text = ", ".join(f"{name}={n}" for name, n in zip(self.mesh_dim_names, sizes, strict=True))
        else:
            text = ", ".join(sizes) + ("," if len(sizes) == 1 else "")
        shown = tuple(
            int(np.take(self._ranks, 1, axis).flat[0] - self._ranks.flat[0]) if size > 1 else ()
            for axis, size in enumerate(self.shape)
        )
        return f"DeviceMesh(({text}), '{self.device_type}', stride={shown})"

    def __enter__(self) -> DeviceMesh:
        _CURRENT.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _CURRENT.pop()

    def __getstate__(self) -> dict[str, Any]:
        return {"device_type": self.device_type, "ranks": self._ranks.tolist(), "names": self.mesh_dim_names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        DeviceMesh.__init__(self, state["device_type"], state["ranks"], mesh_dim_names=state["names"])


def init_device_mesh(
    device_type: str, mesh_shape: Sequence[int], *, mesh_dim_names: Sequence[str] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:  # fmt: skip
    """Return a grid of all processes in the order of their ranks; make the default group if there is none.

    Parameters
    ----------
    device_type : str
    mesh_shape : sequence of int
        How many processes there are along each dimension.
    mesh_dim_names : sequence of str, optional
    backend_override : Any
        Not used: all groups are MPI's.

    Raises
    ------
    RuntimeError
        There are fewer processes, or the names do not fit.
    """
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                "Each mesh_dim_name must be unique.",
                f"Found repeated mesh_dim_name in mesh_dim_names {tuple(mesh_dim_names)}",
            )
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length!",
                f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}.",
            )
    if not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. ",
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    if default_group() is None:
        alone = "RANK" not in os.environ and under_mpiexec() is None
        init_process_group(rank=0 if alone else -1, world_size=1 if alone else -1)
    if (count := prod(mesh_shape)) > get_world_size():
        raise RuntimeError(
            f"Mesh should not be bigger than default world size {get_world_size()}, but found {count} ranks!"
        )
    return DeviceMesh(device_type, np.arange(count).reshape(tuple(mesh_shape)), mesh_dim_names=mesh_dim_names)


def current_mesh() -> DeviceMesh | None:
    """Return the grid that a ``with`` statement has made the present one."""
    return _CURRENT[-1] if _CURRENT else None


__all__ = ["DeviceMesh", "current_mesh", "init_device_mesh"]
