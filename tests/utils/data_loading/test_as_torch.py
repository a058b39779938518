"""Samplers and loaders give what torch's give, in torch's order and from torch's stream."""

from __future__ import annotations

import json
from typing import Any

import pytest

import pullback as torch
from tests.recorded import load

from .programs import make_programs

RECORD = load("data_loading")
PROGRAMS = make_programs(torch)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same(name: str) -> None:
    torch.manual_seed(3)
    mine: Any = PROGRAMS[name]()
    assert json.loads(json.dumps(mine)) == RECORD[name]


def test_every_program_is_recorded() -> None:
    assert list(PROGRAMS) == list(RECORD)
