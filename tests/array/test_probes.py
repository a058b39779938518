"""Other elements for given arrays: how many lists of them there are, and what stands in them."""

import numpy as np
import pytest

from pullback.array.probes import probe


def _lists(arrays, looks):
    """Return the lists that a function is asked about, as numbers."""
    lists = []

    def ask(given):
        lists.append([array.tolist() for array in given])
        return True

    probe(arrays, ask, looks)
    return lists


@pytest.mark.parametrize(("looks", "count"), [(True, 28), (False, 7)])
def test_what_does_not_look_is_asked_about_each_number_once(looks, count):
    assert len(_lists([np.ones(3, np.float32), np.ones((2, 2), np.float32)], looks)) == count


def test_numbers_stand_at_all_places_and_at_the_last_one_alone():
    floats = [given[0] for given in _lists([np.ones(2), np.ones(2, bool)], False)]
    assert [0.0, 0.0] in floats
    assert [1.0, 2.5] in floats
    assert [1.0, -np.inf] in floats
    bools = [given[1] for given in _lists([np.ones(2), np.zeros(2, bool)], False)]
    assert {tuple(x) for x in bools} == {(False, False), (True, True), (False, True)}
    bools = [given[1] for given in _lists([np.ones(2), np.ones(2, bool)], False)]
    assert {tuple(x) for x in bools} == {(False, False), (True, True), (True, False)}
