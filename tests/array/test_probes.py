"""Other elements for given arrays: how many lists of them there are, and what stands in them."""

import numpy as np
import pytest

from pullback.array.probes import probe


def _lists(arrays, looks, again=False):
    """Return the lists that a function is asked about, as numbers."""
    lists = []

    def ask(given):
        lists.append([array.tolist() for array in given])
        return True

    probe(arrays, ask, looks, again)
    return lists


@pytest.mark.parametrize(
    ("looks", "again", "count"), [(True, False, 28), (False, False, 7), (True, True, 7)]
)
def test_each_number_is_asked_about_once_where_little_is_to_be_found_out(looks, again, count):
    assert len(_lists([np.ones(3, np.float32), np.ones((2, 2), np.float32)], looks, again)) == count


def test_looks_are_found_again():
    ones, places = np.ones(3), np.ones(3, int)
    lists = _lists([ones, ones + 1, places], True, True)
    assert any(not (np.array(x) <= np.array(y)).all() for x, y, _ in lists)
    assert any((np.array(x) == np.array(y)).all() for x, y, _ in lists)
    assert any(np.array(x)[-1] > 2 and (np.array(x)[:-1] == 1).all() for x, *_ in lists)
    assert any(min(k) < 0 for *_, k in lists) and any(max(k) > 3 for *_, k in lists)


def test_numbers_stand_at_all_places_and_at_the_last_one_alone():
    floats = [given[0] for given in _lists([np.ones(2), np.ones(2, bool)], False)]
    assert [0.0, 0.0] in floats
    assert [1.0, 2.5] in floats
    assert [1.0, -np.inf] in floats
    bools = [given[1] for given in _lists([np.ones(2), np.zeros(2, bool)], False)]
    assert {tuple(x) for x in bools} == {(False, False), (True, True), (False, True)}
    bools = [given[1] for given in _lists([np.ones(2), np.ones(2, bool)], False)]
    assert {tuple(x) for x in bools} == {(False, False), (True, True), (True, False)}
