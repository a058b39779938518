"""Define samplers: the order in which a `DataLoader` asks for items; random ones draw torch's numbers."""

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from ...array import dtypes
from ...tensor.creation import empty
from ...tensor.interchange import as_tensor
from ...tensor.random import Generator, multinomial, randint, randperm

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """Base of samplers: subclasses define ``__iter__`` and most often ``__len__``."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0, 1, 2, … in order."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices at random: permutations, or independent draws with `replacement`.

    Without a generator each pass seeds one of its own from the default stream, by one draw.
    """

    #: Draws with replacement come in blocks of this many, as in torch: the stream depends on it.
    BLOCK = 32

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None,
        generator: Any = None,
    ) -> None:  # fmt: skip
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        """Return the number of indices in a pass: by default as many as there are items, which may change."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, total = len(self.data_source), self.num_samples
        if (generator := self.generator) is None:
            generator = Generator()
            generator.manual_seed(int(empty((), dtype=dtypes.int64).random_().item()))
        if self.replacement:
            # One after the other: endless training asks for 10¹⁰ draws.
            blocks = itertools.repeat(self.BLOCK, total // self.BLOCK)
            for size in itertools.chain(blocks, (total % self.BLOCK,)):
                drawn = randint(0, count, (size,), dtype=dtypes.int64, generator=generator)
                yield from drawn.tolist()
        else:
            for _ in range(total // count):
                yield from randperm(count, generator=generator).tolist()
            yield from randperm(count, generator=generator).tolist()[: total % count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """A permutation of given indices."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn with given weights, which need not sum to 1."""

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        values = as_tensor(weights, dtype=dtypes.float64)
        if len(values.shape) != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(values.shape)}"
            )
        self.weights = values
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices of another sampler; the last may be shorter unless dropped."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]  # as torch: a TypeError for a sampler without length
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
