"""Weak dictionaries of tensors: keys by identity, gone with their objects."""

from __future__ import annotations

import gc

import pytest

import pullback as torch
from pullback.utils.data._utils.worker import _generate_state
from pullback.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary


def test_keys_are_told_apart_by_identity():
    a, b = torch.ones(2), torch.ones(2)
    held = WeakTensorKeyDictionary({a: 1})
    held[b] = 2
    assert (held[a], held[b], len(held)) == (1, 2, 2)
    assert a in held and torch.ones(2) not in held and 3 not in held
    assert [key is a or key is b for key in held] == [True, True]
    del held[a]
    assert a not in held and held.get(a) is None and held.pop(b) == 2 and not held


def test_entries_go_with_their_keys():
    a, b = torch.ones(2), torch.ones(2)
    held = WeakIdKeyDictionary()
    held[a], held[b] = 1, 2
    assert len(held.keyrefs()) == 2
    del a
    gc.collect()
    assert list(held.values()) == [2]


def test_references():
    a = torch.ones(2)
    assert WeakIdRef(a) == WeakIdRef(a) != WeakIdRef(a.clone())
    reference, gone = TensorWeakRef(a), WeakIdRef(a)
    assert reference() is a
    del a
    gc.collect()
    assert reference() is None and gone == gone and gone() is None
    with pytest.raises(AssertionError, match=r"expected torch.Tensor, got <class 'int'>\."):
        TensorWeakRef(3)


def test_seed_of_numpy_in_a_worker():
    assert _generate_state(12345678901234, 3) == [2677634501, 810098766, 226270600, 4115140591]
