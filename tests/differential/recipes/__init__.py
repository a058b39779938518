"""How to draw one instruction of each kind. A recipe is a function of the builder; its module is its family.

A recipe returns an instruction, a list of instructions that belong together, or None where nothing fits. It
picks arguments that torch mostly accepts; `misuse` holds those that it refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..builder import Builder
from ..program import Instruction

Drawn = Instruction | list[Instruction] | None


@dataclass(frozen=True)
class Recipe:
    """A named way to draw an instruction, and how often it is drawn within its family."""

    name: str
    family: str
    draw: Callable[[Builder], Drawn]
    weight: float


RECIPES: dict[str, list[Recipe]] = {}


def recipe(weight: float = 1.0) -> Callable[[Callable[[Builder], Drawn]], Callable[[Builder], Drawn]]:
    """Register a function as a recipe of the family that its module is named after."""

    def register(draw: Callable[[Builder], Drawn]) -> Callable[[Builder], Drawn]:
        family = draw.__module__.rsplit(".", 1)[-1]
        RECIPES.setdefault(family, []).append(Recipe(draw.__name__, family, draw, weight))
        return draw

    return register
