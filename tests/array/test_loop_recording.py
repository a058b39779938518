"""Recordings of NumPy's loops give what the function gives, and nothing else is recorded."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from pullback.array import large, strides
from pullback.array.loop_recording.arrays import Recorded
from pullback.array.loop_recording.recording import agrees, record
from pullback.array.loop_recording.steps import DECIDE, Unrecorded
from pullback.ops import lu, orthogonal, spectral, triangular

X, Y = np.arange(12.0).reshape(3, 4), np.arange(20, dtype=np.float32).reshape(4, 5)[:, 1:4]


@pytest.fixture(autouse=True)
def _recorded_as_kernels_are(monkeypatch):
    """Let the functions here count as the package's, of which alone the arrays that they make tell."""
    monkeypatch.setitem(sys.modules, "pullback.functions_of_a_test", sys.modules[__name__])


def native(function, arrays):
    """Return a recording as a native function."""
    pytest.importorskip("llvmlite")
    if not large.is_there():
        pytest.skip("native code is switched off")
    found = large.chains().inline_caches.replayed(function, arrays)
    assert found is not function
    return found


def summed(x):
    total = np.add.reduce(x, axis=1, keepdims=True)
    return np.divide(np.exp(x - np.maximum.reduce(x, axis=(0, 1))), total), x.mean()


def windows(x):
    box = np.zeros((5, 6), x.dtype)
    box[1:4, 1:5] = x
    seen = type(box)((3, 4, 3, 3), x.dtype, box, 0, (*box.strides, *box.strides))
    return seen.reshape(12, 9).dot(np.ones((9, 2)))


def chosen(x):
    first = np.where(x > 2, x, -x).argmax(1)
    return x.take(first, axis=1), np.concatenate([x, x[:, ::-1]], axis=1)


def accumulated(x):
    return np.add.accumulate(x.astype(np.float64), axis=1).astype(np.float32)


def repeated(x):
    return np.exp(x), np.broadcast_to(x[..., None], (*x.shape, 3)), x.T


def factors(x):
    return (*np.linalg.qr(x), *np.linalg.qr(x, "complete"))


def eigenvectors(x):
    return tuple([part.astype(complex) for part in np.linalg.eig(x[:, :3])])


@pytest.mark.parametrize(
    ("function", "array"),
    [
        (windows, X), (chosen, X), (accumulated, Y), (summed, X), (factors, Y), (factors, X.T),
        (eigenvectors, X), (eigenvectors, X + 1j), (repeated, np.ascontiguousarray(X)),
    ],
)  # fmt: skip
def test_native_code_gives_the_bits(function, array):
    replay = native(function, [array])
    other = np.ascontiguousarray(array)[::-1].copy()
    given = np.lib.stride_tricks.as_strided(np.zeros(64, array.dtype), array.shape, array.strides)
    given[...] = other
    found, wanted = replay(given), function(given)
    several = type(wanted) is tuple
    for own, expected in zip(*((found, wanted) if several else ([found], [wanted])), strict=True):
        expected = np.asarray(expected)
        assert own.tobytes() == expected.tobytes() and own.strides == expected.strides


def matrix(char, rows=6, columns=6):
    numbers = np.arange(1.0, rows * columns + 1).reshape(rows, columns)
    mixed = np.sin(numbers * numbers)
    return (mixed + 1j * np.cos(numbers)).astype(char) if char in "FD" else mixed.astype(char)


def definite(char):
    x = matrix(char)
    return np.asfortranarray(x @ x.conj().T + np.eye(6, dtype=char))


ROUTINES = {
    "cholesky": (lambda x: triangular._factored_each(x, False), definite),
    "cholesky_upper": (lambda x: triangular._factored_each(x, True), definite),
    "cholesky_fails": (lambda x: triangular._cholesky_ex(x, False, ""), matrix),
    "cholesky_solve": (lambda x: triangular._cholesky_solve(x, x, False), definite),
    "triangular": (lambda x: triangular._solve_triangular(x, x[:, :4], True, True, True), matrix),
    "triangular_right": (lambda x: triangular._solve_triangular(x.T, x[:4], False, False, False), matrix),
    "lu_factor": (lambda x: lu._lu_factor_ex(x, "lu"), lambda char: matrix(char, 6, 4)),
    "lu": (lu._lu, lambda char: matrix(char, 3, 5)),
    "stack": (lu._lu, lambda char: np.stack([matrix(char), definite(char)])),
    "ldl": (lambda x: lu._ldl_factor_ex(x, True, ""), definite),
    "geqrf": (orthogonal._geqrf, lambda char: matrix(char, 7, 3)),
    "householder": (lambda x: orthogonal._householder_product(x, x[0, :2]), lambda char: matrix(char, 7, 3)),
    "svd": (lambda x: spectral._svd(x, False), lambda char: matrix(char, 7, 3)),
    "svd_full": (lambda x: spectral._svd(x, True), lambda char: matrix(char, 3, 7)),
    "svdvals": (spectral._svdvals, matrix),
    "eigvalsh": (lambda x: spectral._eigvalsh(x, "U"), definite),
}


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("name", ROUTINES)
def test_routines_of_lapack_are_called_natively(name, char):
    function, made = ROUTINES[name]
    x = made(char)
    played = native(function, [x])
    expected, found = function(x), played(x)
    for one, other in zip(*[v if type(v) is tuple else (v,) for v in (expected, found)], strict=True):
        assert (one.dtype, one.shape, one.strides) == (other.dtype, other.shape, other.strides)
        assert one.tobytes() == other.tobytes()


def test_indices_are_looked_at_again_only_where_they_were_written_to():
    def twice(x, places):
        return x.take(places), (-x).take(places)

    def moved(x, places):
        own = places + 0
        first = x.take(own)
        own[...] = own * own
        return first + x.take(own)

    places = np.array([3, 0, 2])
    for function, count in ((twice, 1), (moved, 2)):
        asked = [step for step in record(function, [X, places]).steps if step.ufunc == DECIDE]
        assert len(asked) == count
        played = native(function, [X, places])
        for others in (places, np.array([1, 1, 0])):
            assert np.array_equal(played(X, others), function(X, others))
        for bad in (12, -13):
            with pytest.raises(IndexError):
                played(X, np.array([0, bad, 0]))


def test_an_element_alone_is_written_natively():
    def corner(x):
        made = np.zeros((2, 3))
        made[1, 2] = x.max()
        return made

    assert native(corner, [X])(X).tobytes() == corner(X).tobytes()


def test_routines_that_take_threads_are_left_to_python():
    with pytest.raises(Unrecorded):
        record(lambda x: triangular._cholesky_inverse(x, False), [definite("d")])
    with pytest.raises(Unrecorded):
        record(lambda x: lu._lu_factor_ex(x, ""), [matrix("d", 64, 64)])


def filled(x):
    spread, made = np.empty_like(x), np.full_like(x, 3)
    spread[...] = x[:, :1]
    made[:, ::2] = 5
    return made, spread


@pytest.mark.parametrize("char", "fdihBFD")
def test_one_element_is_repeated_by_a_loop_of_ours(monkeypatch, char):
    engine = pytest.importorskip("pullback.compiler.runtime.engine")
    names, address = [], engine.Library.address
    monkeypatch.setattr(engine.Library, "address", lambda own, name: names.append(name) or address(own, name))
    x = (np.arange(1, 21).reshape(4, 5) * (1 - 2j if char in "FD" else 1)).astype(char)
    function = native(filled, (x,))
    assert names.count("repeat") == 3
    for found, expected in zip(function(x), filled(x), strict=True):
        assert found.tobytes() == expected.tobytes()


def test_decisions_are_asked_again():
    calls = []

    def function(x):
        calls.append(type(x))
        return x + 1 if np.isfinite(x).all() else x * 0

    replay = native(function, [X])
    calls.clear()
    assert replay(X)[0, 1] == 2 and not calls
    with np.errstate(invalid="ignore"):
        assert np.isnan(replay(np.full_like(X, np.inf))).all() and calls == [np.ndarray]
    assert any(step.ufunc == DECIDE for step in record(function, [X]).steps)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * float(x[0, 0]), lambda x: np.sort(x), lambda x: x[x > 1],
        lambda x: x + len(np.unique(x)), lambda x: np.asarray(x.tolist()), lambda x: np.nonzero(x)[0],
        lambda x: x, lambda x: np.add(x, 1, out=x), lambda x: np.linalg.inv(x[:, :3]),
        lambda x: np.cumsum(x, 1),
    ],
)
def test_what_reads_elements_otherwise_is_not_recorded(function):
    with pytest.raises(Unrecorded):
        record(function, [X.copy()])


def test_what_a_native_kernel_does_is_not_recorded_by_other_loops():
    if not large.is_there():
        pytest.skip("there are no native kernels")

    def asked(x):
        large.ask("pad", x, np.empty(3), (1,), None)
        return x + 1

    ask = large.ask
    with pytest.raises(Unrecorded, match="native kernel"):
        record(asked, [X.copy()])
    assert large.ask is ask


def test_wide_elements_are_chosen_natively():
    def copied(x):
        y = -x
        np.copyto(y, x, where=x.imag > 2)
        return y

    for function in (copied, lambda x: np.where(x.imag > 2, x, -x)):
        x = X + 1j * X[::-1]
        assert native(function, [x])(x).tobytes() == function(x).tobytes()


def test_what_may_follow_from_equal_integers_is_not_taken_for_fixed():
    def unseen(x):
        return np.ones(3) * np.frombuffer(memoryview(x), x.dtype)

    assert not agrees(unseen, lambda x: np.array([0.0, 1.0, 2.0]), [np.arange(3)])
    with pytest.raises(Unrecorded, match="all 0"):
        record(unseen, [np.zeros(3, np.int64)])


def test_masks_of_the_least_numbers_are_compared_without_a_warning():
    least = np.full(3, np.finfo(np.float32).min)
    # A user's settings of NumPy, by which such an overflow is an error, hold here, too.
    with np.errstate(over="raise"):
        assert agrees(np.square, lambda x: x * x, [least])


def test_a_count_that_is_one_number_is_compared_with_another():
    def counted(x):
        return np.add(x, 1, out=...)

    given = [np.array(7)]
    assert record(counted, given).steps
    assert agrees(counted, lambda x: np.asarray(x + 1), given)
    assert not agrees(counted, lambda x: np.asarray(8 + 0 * x), given)
    assert not agrees(lambda x: np.asarray(8 // int(x)), lambda x: np.asarray(8 // int(x)), given)  # never 0


def test_parts_of_one_array_that_share_no_element_are_copied():
    def bordered(x):
        y = np.empty((3, 6))
        y[:, 1:5] = x
        y[:, 0], y[:, 5] = y[:, 2], y[:, 3]
        return y

    def shifted(x):
        y = np.empty((3, 5))
        y[:, 1:] = y[:, :4] = x
        y[:, 1:] = y[:, :4]
        return y

    assert record(bordered, [X[:, :4].copy()]).steps
    with pytest.raises(Unrecorded, match="overlap"):
        record(shifted, [X[:, :4].copy()])


def test_arrays_given_twice_are_two():
    recording = record(np.add, [X, X])
    assert [operand.memory for operand in recording.steps[-1].operands[:2]] == [0, 1]


def test_what_does_not_agree_is_told():
    assert agrees(np.square, lambda x: x * x, [X])
    assert not agrees(lambda x: x.sum(0), lambda x: x[::-1].sum(0), [np.ones((40, 3), np.float32)])


def test_other_threads_make_arrays_as_ever():
    kinds = []

    def function(x):
        thread = threading.Thread(target=lambda: kinds.append(type(np.empty(3))))
        thread.start()
        thread.join()
        kinds.append(type(np.empty(3)))
        return x + 1

    def other():
        raise KeyError

    record(function, [X])
    assert kinds == [np.ndarray, Recorded] and type(np.empty(3)) is np.ndarray and np.array([1]).size
    with pytest.raises(KeyError):
        record(lambda x: other(), [X])
    assert np is sys.modules["numpy"]


def test_recorded_arrays_are_arrays_when_it_is_over():
    kept = []
    record(lambda x: kept.append(x * 2) or x + 1, [X])
    assert type(kept[0]) is Recorded and float(kept[0][0, 1]) == 2.0 and np.sort(kept[0])[0, 0] == 0
    assert (kept[0] + 1).tolist() == (X * 2 + 1).tolist()


def test_the_first_address_is_found_while_loops_are_recorded():
    strides._data_offset.cache_clear()
    assert len(record(summed, [X]).results) == 2


def test_recordings_go_over_to_loops_at_other_addresses():
    played = native(lambda x, places: x.take(places), [X, np.array([3, 0, 2])])
    caches = large.chains().inline_caches
    loops = caches._replays._steps[-1]
    (found,) = {loop for loop in loops.tolist() if loop == caches._library.address("gather")}
    before = loops.copy()
    caches.redirect({found: 1})
    try:
        (changed,) = np.nonzero(loops != before)
        assert len(changed) and (loops[changed] == 1).all() and (before[changed] == found).all()
    finally:
        caches.redirect({1: found})
    assert (loops == before).all()
    assert (played(X, np.array([3, 0, 2])) == X.take([3, 0, 2])).all()
