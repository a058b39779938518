"""Random streams equal torch's bit for bit: recorded ones, the state's bytes, live ones if torch is there."""

from __future__ import annotations

import base64
import copy
import json
import math
import pickle
import sys
import threading
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.array.random_steps import (
    c_library,
    digest,
    mixed,
    outcome,
    uses_c_library,
    with_pullback,
)

from pullback.array import (
    random,
    random_choice,
    random_integer,
    random_normal,
    random_rounding,
    random_transform,
    random_uniform,
)
from pullback.array.random import DEFAULT_SEED, Generator, default_generator

DATA: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "random.json").read_text())
SAME_C_LIBRARY = DATA["c_library"] == [c_library()]


class Never:
    """Stand for work that never becomes hot."""

    def is_hot(self, nanoseconds: float) -> bool:
        return False


def seeded(seed: int) -> Generator:
    return Generator().manual_seed(seed)


def check(step: list[Any], expected: str, generator: Generator) -> None:
    got = outcome(step, generator)
    if uses_c_library(step) and not SAME_C_LIBRARY:  # torch's own last bits would differ here, too
        numbers = [[float(word) for word in text.split()[1:]] for text in (got, expected)]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-2 if "float16" in step[1] else 1e-5)
    else:
        assert got == expected


# --- the recorded streams -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row", DATA["systematic"], ids=lambda row: " ".join(map(str, [*row[0][:2], *row[0][4]]))
)
def test_every_kernel_and_dtype_at_all_sizes(row: list[Any]) -> None:
    step, expected, state = row
    generator = seeded(2**40 + 17)
    check(step, expected, generator)
    if SAME_C_LIBRARY or generator.next_normal is None:
        assert digest(generator.get_state().tobytes()) == state


@pytest.mark.parametrize("name", [name for name in DATA if name.startswith("mixed")])
def test_mixed_calls_on_one_generator(name: str) -> None:
    *program, state = DATA[name]
    seed = int(name.split()[1])
    assert [step for step, _ in program] == mixed(seed), "the steps changed: run tools.record_random again"
    generator = seeded(seed)
    for step, expected in program:
        check(step, expected, generator)
    if SAME_C_LIBRARY or generator.next_normal is None:
        assert digest(generator.get_state().tobytes()) == state


def test_first_numbers_of_well_known_streams() -> None:
    uniform = random_uniform.uniform(seeded(0), np.empty(2, np.float32))
    assert [f"{number:.4f}" for number in uniform.tolist()] == ["0.4963", "0.7682"]
    normal = random_normal.normal(seeded(0), np.empty(2, np.float32))
    assert [f"{number:.4f}" for number in normal.tolist()] == ["1.5410", "-0.2934"]


def test_float32_logarithm_sine_and_cosine_for_every_argument() -> None:
    radius, cosine, sine = (np.empty(2**24, np.float32) for _ in range(3))
    for start in range(0, 2**24, 2**16):
        part = slice(start, start + 2**16)
        u = np.arange(start, start + 2**16).astype(np.float32) * np.float32(2.0**-24)
        radius[part] = random_normal.cephes_radius(np.float32(1) - u)
        cosine[part], sine[part] = random_normal.cephes_cos_sin(u)
    (expected,) = DATA["functions"]
    plus = np.float32(0)  # the recorded ones are scaled by one and shifted by zero, which makes -0 a 0
    assert digest((radius + plus).tobytes()) == expected["radius"]
    assert digest((cosine + plus).tobytes()) == expected["cosine"]
    assert digest((sine + plus).tobytes()) == expected["sine"]


# --- the generator ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", DATA["seeds"], ids=lambda row: row[0])
def test_seeds(row: list[Any]) -> None:
    text, expected = row
    try:
        got: Any = Generator().manual_seed(eval(text)).initial_seed()
    except (RuntimeError, TypeError, ValueError) as error:
        got = f"{type(error).__name__}: {error}"
    assert got == expected


def recorded_states() -> list[tuple[list[Any], bytes]]:
    return [(step, zlib.decompress(base64.b85decode(text))) for step, text in DATA["states"]]


def test_state_has_torchs_bytes() -> None:
    generator = seeded(-7)
    for step, expected in recorded_states():
        with_pullback(step, generator)
        assert generator.get_state().shape == (5056,)
        if SAME_C_LIBRARY or generator.next_normal is None:
            assert generator.get_state().tobytes() == expected


def test_stream_continues_from_torchs_bytes() -> None:
    for _, state in recorded_states():
        first = Generator().set_state(np.frombuffer(state, np.uint8))
        second = Generator().set_state(first.get_state())
        assert second.get_state().tobytes() == state
        for step in (["normal", "float32", [3], "plain", []], ["uniform", "float64", [1500], "plain", []]):
            assert outcome(step, first) == outcome(step, second)


@pytest.mark.parametrize("seed", [0, 1, 5489, 2**32 - 1, 2**40 + 3, -5])
def test_a_stream_from_which_nothing_was_drawn_has_the_state_of_its_source(seed: int) -> None:
    before = seeded(seed).get_state()
    generator = seeded(seed)
    generator._words()
    assert generator.get_state().tobytes() == before.tobytes()


def test_states_in_a_window_of_several_blocks_are_those_of_single_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def drawn(is_fast: bool) -> list[bytes]:
        monkeypatch.setattr(random._Source, "is_fast", is_fast)
        generator, found = seeded(11), []
        for count in (600, 24, 1, 623, 100, 2000, 3, 50, 624, 5000, 200, 1):
            with generator.lock:
                found.append(generator.words(count).tobytes())
                found.append(generator.made(np.negative, 150).tobytes())
                found.append(generator.made(np.negative, 16, 16).tobytes())
            found.append(generator.get_state().tobytes())
            follower = Generator().set_state(generator.get_state())
            with follower.lock:
                found.append(follower.words(1500).tobytes())
        return found

    assert drawn(True) == drawn(False)


@pytest.mark.parametrize("left", [0, 8, 12, 10**6])
def test_words_are_numpys_before_and_after_its_import_pays(
    monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    monkeypatch.setattr(random._Source, "left", left)
    monkeypatch.setattr(random, "_HOTNESS", Never())
    generator, expected = seeded(5), np.random.RandomState(5)
    for count in (3, 1000, 624, 1, 5000):
        assert generator.words(count).tolist() == expected.randint(0, 2**32, count, np.uint32).tolist()
    state = generator.get_state()
    assert (state.view(random.STATE)["words"][0] == expected.get_state()[1]).all()
    # A source that began with Python's words goes on with NumPy's, and from another seed, too.
    assert (generator._words()._draw is None) == (left > 1000)
    assert generator.manual_seed(-7).words(700).tolist() == seeded(-7).words(700).tolist()
    assert seeded(9).set_state(state).words(9).tolist() == expected.randint(0, 2**32, 9, np.uint32).tolist()


@pytest.mark.parametrize("left", [0, 10**6])
def test_words_without_numpys_generator_count_as_what_they_cost(
    monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    counted: list[float] = []

    class Counting(Never):
        def is_hot(self, nanoseconds: float) -> bool:
            counted.append(nanoseconds)
            return False

    monkeypatch.setattr(random._Source, "left", left)
    monkeypatch.setattr(random, "_HOTNESS", Counting())
    seeded(5).words(100 * random.STATE_WORDS)
    each = sum(counted) / 100  # nanoseconds of a block
    assert 16_000 <= each <= 27_000 if left else 2_000 <= each <= 4_000


def test_state_of_another_form_is_refused() -> None:
    generator = seeded(1)
    state = generator.get_state()
    for bad, kind, text in (
        (None, TypeError, "expected a torch.ByteTensor, but got NoneType"),
        (state.astype(np.float32), TypeError, "RNG state must be a torch.ByteTensor"),
        (np.repeat(state, 2)[::2], RuntimeError, "RNG state must be contiguous"),
        (
            state[:-1], RuntimeError,
            "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 5055",
        ),
        (np.zeros(5056, np.uint8), RuntimeError, "Invalid mt19937 state"),
    ):  # fmt: skip
        with pytest.raises(kind) as error:
            generator.set_state(bad)
        assert str(error.value) == text
    assert generator.get_state().tobytes() == state.tobytes()


def test_copies_continue_independently() -> None:
    generator = seeded(3)
    random_normal.normal(generator, np.empty(5))
    copies = [
        generator.clone_state(), copy.copy(generator), copy.deepcopy(generator),
        pickle.loads(pickle.dumps(generator)),
    ]  # fmt: skip
    step = ["normal", "float64", [4], "plain", []]
    assert {outcome(step, one) for one in copies} == {outcome(step, generator)}
    assert {one.initial_seed() for one in copies} == {3}


def test_offsets_are_refused() -> None:
    for call in (Generator().get_offset, lambda: Generator().set_offset(0)):
        with pytest.raises(RuntimeError, match=r"^CPU Generator does not use offset$"):
            call()


def test_seed_starts_another_stream_each_time() -> None:
    generator = Generator()
    assert generator.initial_seed() == DEFAULT_SEED
    assert len({generator.initial_seed(), generator.seed(), generator.seed()}) == 3
    latest = generator.seed()
    assert generator.initial_seed() == latest
    assert default_generator.initial_seed() != DEFAULT_SEED


def test_threads_share_a_stream_without_loss() -> None:
    shared = seeded(11)
    drawn: list[np.ndarray] = []

    def draw() -> None:
        for _ in range(200):
            drawn.append(random_uniform.uniform(shared, np.empty(37, np.float32)))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = random_uniform.uniform(seeded(11), np.empty((800, 37), np.float32))
    assert sorted(map(bytes, drawn)) == sorted(map(bytes, alone))


# --- order and kinds of arrays ------------------------------------------------------------------------------


def test_elements_are_drawn_in_the_order_of_memory() -> None:
    plain = random_uniform.uniform(seeded(5), np.empty((3, 4), np.float32))
    turned = random_uniform.uniform(seeded(5), np.empty((3, 4), np.float32).T)
    apart = random_uniform.uniform(seeded(5), np.empty((6, 8), np.float32)[::2, ::2])
    assert np.array_equal(turned.T, plain)
    assert np.array_equal(apart, plain)


def test_contiguous_and_other_arrays_have_other_normal_streams() -> None:
    plain = random_normal.normal(seeded(5), np.empty(20, np.float32))
    apart = random_normal.normal(seeded(5), np.empty(40, np.float32)[::2])
    few = random_normal.normal(seeded(5), np.empty(15, np.float32))
    assert not (plain == apart).any()
    assert (apart[:15] == few).all()


def test_half_precisions_are_below_one() -> None:
    for dtype in (np.float16, ml_dtypes.bfloat16):
        assert random_uniform.uniform(seeded(5), np.empty(10**5, dtype)).astype(np.float32).max() < 1


def test_results_are_the_arrays_given() -> None:
    out = np.empty((2, 3), np.float32)
    generator = seeded(5)
    for result in (
        random_uniform.uniform(generator, out), random_normal.normal(generator, out),
        random_transform.bernoulli(generator, out, 0.5), random_integer.random_between(generator, out, 0, 9),
        random_transform.dropout_noise(generator, out, 0.5),
    ):  # fmt: skip
        assert result is out
    assert random_uniform.uniform(generator, np.empty((), np.float32)).shape == ()


# --- errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", DATA["refused"], ids=lambda row: " ".join(map(str, row[0])))
def test_errors(row: list[Any]) -> None:
    step, text = row
    assert outcome(step, seeded(1)) == text


def test_probability_out_of_range_stops_in_the_middle() -> None:
    generator = seeded(1)
    with pytest.raises(RuntimeError, match="Expected p_in >= 0 && p_in <= 1 to be true, but got false"):
        random_transform.bernoulli(generator, np.empty(3, np.float32), np.array([0.5, 0.5, 2], np.float32))
    assert generator.words(1)[0] == seeded(1).words(3)[2]


@pytest.mark.parametrize(
    ("draw", "given"),
    [
        (random_transform.bernoulli, (np.empty(64, np.float32), np.full(64, 0.5, np.float32))),
        (random_choice.multinomial, (np.ones(8), 20, True)),
    ],
)
def test_a_few_numbers_call_few_functions(draw: Any, given: Any) -> None:
    generator = seeded(1)
    calls: list[str] = []
    for _ in range(4):  # the first draws open the stream, and a window
        calls.clear()
        sys.setprofile(lambda frame, event, given: calls.append(event) if "call" in event else None)
        try:
            draw(generator, *given)
        finally:
            sys.setprofile(None)
    assert len(calls) <= 21


def test_draws_of_few_logarithms_share_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    plain = random_uniform.doubles_of

    def counted(words: np.ndarray) -> np.ndarray:
        made.append(words.size)
        return plain(words)

    for module in random_transform, random_uniform:
        monkeypatch.setattr(module, "doubles_of", counted)
    generator = seeded(1)
    for _ in range(60):  # of three blocks of 624 words
        random_transform.exponential(generator, np.empty(8))
    assert len(made) <= 6


@pytest.mark.parametrize(
    ("weights", "count", "replacement", "text"),
    [
        (np.ones((2, 2, 2)), 1, False, "prob_dist must be 1 or 2 dim"),
        (np.ones(3, np.int64), 1, False,
         "multinomial only supports floating-point dtypes for input, got: Long"),
        (np.ones(3), 0, False, "cannot sample n_sample <= 0 samples"),
        (np.ones(3), 4, False, "cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
        (np.array([1, np.inf]), 1, True, "probability tensor contains either `inf`, `nan` or element < 0"),
        (np.array([1, -1.0]), 2, True,
         "invalid multinomial distribution (encountering probability entry < 0)"),
        (np.array([1, np.inf]), 2, True,
         "invalid multinomial distribution (encountering probability entry = infinity or NaN)"),
        (np.zeros(3), 1, False, "invalid multinomial distribution (sum of probabilities <= 0)"),
        (np.zeros(3), 2, True, "invalid multinomial distribution (sum of probabilities <= 0)"),
    ],
)  # fmt: skip
def test_multinomial_errors(weights: np.ndarray, count: int, replacement: bool, text: str) -> None:
    with pytest.raises(RuntimeError) as error:
        random_choice.multinomial(seeded(1), weights, count, replacement)
    assert str(error.value) == text


def test_bounds_beyond_the_precision_warn() -> None:
    with pytest.warns(UserWarning, match=r"^to - 1 is out of bounds \[-\(2\^24\), 2\^24\]\. Due to "):
        random_integer.random_between(seeded(1), np.empty(3, np.float32), 0, 2**40)


# --- the parts ----------------------------------------------------------------------------------------------


def rounded(exact: Fraction, digits: int) -> float:
    """Round an exact number to ``digits`` binary ones, halves to even."""
    if exact == 0:
        return 0.0
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length() - digits
    while abs(exact) / Fraction(2) ** exponent >= 2**digits:
        exponent += 1
    return float(round(exact / Fraction(2) ** exponent) * Fraction(2) ** exponent)


@given(
    st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]), st.integers(-40, 40),
    st.integers(1, 53),
)  # fmt: skip
def test_fused_multiply_add_rounds_once(seed: int, kind: Any, exponent: int, few: int) -> None:
    choose = np.random.RandomState(seed)
    digits = 24 if kind is np.float32 else 53
    step = 2.0 ** min(few, digits)  # numbers with few digits make ties
    x = (np.floor(choose.random_sample(50) * step) / step).astype(kind)
    scale = float(kind(np.floor(choose.random_sample() * step) / step))
    shift = float(kind(choose.standard_normal() * 2.0**exponent))
    expected = [rounded(Fraction(float(number)) * Fraction(scale) + Fraction(shift), digits) for number in x]
    assert random_rounding.fused_multiply_add(x, scale, shift).tolist() == expected


def test_functions_are_the_c_librarys() -> None:
    for size in (5, 3000):
        u = np.random.RandomState(1).random_sample(size)
        assert random_rounding.log(u).tolist() == [math.log(number) for number in u]
        assert random_rounding.log1p(-u).tolist() == [math.log1p(-number) for number in u]
        assert random_rounding.exp(8 * u - 4).tolist() == [math.exp(8 * number - 4) for number in u]
        cosine, sine = random_rounding.cos_sin(2 * math.pi * u)
        assert cosine.tolist() == [math.cos(2 * math.pi * number) for number in u]
        assert sine.tolist() == [math.sin(2 * math.pi * number) for number in u]
    assert random_rounding.log(np.zeros(1)).tolist() == [-math.inf]


@given(st.integers(1, 80), st.integers(0, 2**32 - 1))
def test_permutations_at_once_equal_those_in_turn(n: int, seed: int) -> None:
    choose = np.random.RandomState(seed)
    distances = np.array([choose.randint(0, n - i) for i in range(n - 1)], np.int64)
    if n > 1:
        in_turn = random_integer.shuffle_in_turn(n, distances)
        assert random_integer.shuffle_at_once(n, distances).tolist() == in_turn.tolist()
    places = np.array([choose.randint(0, i + 1) for i in range(n)], np.int64)
    order: list[int] = []
    for i, place in enumerate(places.tolist()):
        order.append(i)
        order[i], order[place] = order[place], i
    assert random_integer.insert_at_once(n, places).tolist() == order


def test_large_permutations_use_the_other_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_integer, "TWO_WORDS_FROM_PERMUTATION", 10)
    places = random_integer.words64(seeded(4), 10) % np.arange(1, 11, dtype=np.uint64)
    generator = seeded(4)
    order = random_integer.randperm(generator, 10, np.dtype(np.int64))
    assert order.tolist() == random_integer.insert_at_once(10, places).tolist()
    assert generator.words(1)[0] == seeded(4).words(21)[20]


@given(st.integers(0, 2**32 - 1))
def test_small_draws_share_work_but_not_numbers(seed: int) -> None:
    choose = np.random.RandomState(seed)
    together, apart = seeded(seed), seeded(seed)
    for _ in range(40):
        size = int(choose.choice([1, 2, 5, 15, 16, 17, 32, 48, 96, 208, 300, 640, 1000, 2000, 2496, 2600]))
        dtype = choose.choice([np.float32, np.float64])
        kernel: Any = (
            random_uniform.uniform, random_normal.normal, random_transform.bernoulli,
            random_transform.exponential, random_transform.cauchy,
        )[choose.randint(5)]  # fmt: skip
        results = []
        for generator in (together, apart):
            with pytest.MonkeyPatch.context() as patch:
                if generator is apart:
                    for module in (random, random_normal, random_transform):
                        patch.setattr(module, "SMALL", 0)
                results.append(kernel(generator, np.empty(size, dtype)))
        results[0] *= 1  # what a caller is given is the caller's to write to
        assert results[0].tobytes() == results[1].tobytes()
        assert together.get_state().tobytes() == apart.get_state().tobytes()


# --- live ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("between", [1, 2, 5, 13, 40])
@pytest.mark.parametrize("size", [224, 624, 2000, 4096])
def test_vectors_made_ahead_are_those_made_one_by_one(
    size: int, between: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_normal, "_HOTNESS", Never())
    several, single = seeded(size), seeded(size)
    for k in range(40):
        out, other = np.empty(size, np.float32), np.empty(size, np.float32)
        if k % between == 0:
            assert random_uniform.uniform(several, np.empty(7)).tobytes() == (
                random_uniform.uniform(single, np.empty(7)).tobytes()
            )
        single.ahead = None
        random_normal.normal(several, out, 0.5, 2.0)
        random_normal.normal(single, other, 0.5, 2.0)
        assert out.tobytes() == other.tobytes()
        assert several.get_state().tobytes() == single.get_state().tobytes()


def test_live_against_torch() -> None:
    torch = pytest.importorskip("torch")
    for seed in range(1000, 1060):
        theirs, ours = torch.Generator().manual_seed(seed), seeded(seed)
        for index, step in enumerate(mixed(seed)):
            assert outcome(step, ours) == outcome(step, theirs, torch), (seed, step)
            assert ours.get_state().tobytes() == theirs.get_state().numpy().tobytes(), (seed, step)
            if index % 5 == 1:
                ours = Generator().set_state(theirs.get_state().numpy())
            elif index % 5 == 3:
                theirs.set_state(torch.from_numpy(ours.get_state()))
