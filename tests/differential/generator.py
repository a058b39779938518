"""Draws programs: a seed gives a program, mostly valid, that ends in gradients of all its leaves."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from .builder import Builder, NothingFits
from .program import Instruction, Program
from .recipes import RECIPES

#: How often each family is drawn. `ending` is drawn once, at the end.
FAMILIES = {
    "elementwise": 20,
    "binary": 20,
    "reduce": 14,
    "views": 36,
    "inplace": 20,
    "assign": 14,
    "contract": 10,
    "index": 14,
    "join": 8,
    "layers": 10,
    "losses": 6,
    "sorting": 6,
    "convert": 7,
    "grads": 10,
    "misuse": 8,
}

for family in (*FAMILIES, "ending"):
    importlib.import_module(f"{__package__}.recipes.{family}")

#: How likely an instruction that torch refuses stays in the program. Recipes of `misuse` always stay.
KEEP_ERROR = 0.5

MOST_OPS = 12
ATTEMPTS = 8


def generate(seed: int, torch: Any) -> Program:
    """The program of a seed, under this version of torch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        b = Builder(seed, torch)
        for _ in range(b.weighted({1: 2, 2: 3, 3: 2})):
            b.leaf(b.dtype())
        for _ in range(b.rng.randint(1, MOST_OPS)):
            draw_one(b, b.weighted(FAMILIES))
        draw_one(b, "ending")
        return b.program()


def draw_one(b: Builder, family: str) -> None:
    """Add one instruction of a family, or the few that belong together."""
    recipes = RECIPES[family]
    for _ in range(ATTEMPTS):
        chosen = b.rng.choices(recipes, [recipe.weight for recipe in recipes])[0]
        try:
            drawn = chosen.draw(b)
        except NothingFits:
            continue
        if drawn is None:
            continue
        steps = [drawn] if isinstance(drawn, Instruction) else drawn
        keep = family in ("misuse", "ending") or b.chance(KEEP_ERROR)
        if not b.emit(steps[0], keep):
            continue
        for step in steps[1:]:
            b.emit(step)
        return
