"""Draws the conclusions of a run at its end: what was never reached, never held, or always zero."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.blame import Place
from .answer import Answer
from .findings.layers import assigned, symmetric
from .findings.makers import values_of
from .findings.reach import aside, listed
from .findings.written import (
    attribute_set,
    rebound_in_loops,
    returns_in_loop,
    signs_for_sums,
    sums_from_the_front,
    without_parentheses,
)
from .vanished import STARTS

if TYPE_CHECKING:
    from .source import At
    from .watch import Watch

#: Names of networks that are not trained by their own optimizer.
NOT_TRAINED = re.compile(r"target|teacher|frozen|reference|ema|old|pretrained|vgg|momentum", re.IGNORECASE)


#: What `requires_grad` is mistaken for.
FLAG = re.compile(r"requires?_?gradi?e?n?t?s?|required_grads?|needs?_grads?")


class Conclusions:
    """Add to the findings of a watch what only the whole run shows."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.findings = watch.findings
        self.layers = watch.layers
        self.loop = watch.loop
        self.reach = watch.reach
        self.sizes = watch.sizes

    def add(self) -> None:
        """Add them."""
        name_of = self.watch.name_of
        if not self.watch.failed:
            self._report_copied()
            self._report_untied()
        for place in without_parentheses(self._files()):
            self.findings.tell("call without parentheses", place, place=place)
        for place, sign in signs_for_sums(self._files()):
            self.findings.tell("sign for a sum", place, sign=sign)
        for place in sums_from_the_front(self._files()):
            self.findings.tell("returns from the front", place)
        for place, name in rebound_in_loops(self._files()):
            self.findings.tell("rebound in a loop", place, name=name)
        self._report_flags()
        told: set[int] = set()
        if not self.watch.failed:  # what a program did not come to cannot be missing
            told = self.reach.report(self.findings, self.watch.wanted, name_of)
            self._report_unused(told)
        # Of a program that failed in its first turns, a gradient may be 0 in these alone.
        told_as_one = self.watch.failed or self.sizes.run_out()
        zero: dict[int, tuple[Any, Answer | None]] = {} if told_as_one else self.watch.causes.zero
        for key, (leaf, answer) in zero.items():
            if key not in self.watch.causes.alive and answer is not None:
                if answer.kind == "cancelled" and leaf.dim() < 2 and len(self.watch.causes.alive) > 0:
                    continue  # a bias that is added and taken away: in a difference of scores it is meant
                if answer.kind == STARTS and self.watch.steps < 2:
                    continue
                if (owner := self.layers.owner_of(leaf)) and id(owner[0]) in self.watch.recurrent.one_step:
                    continue
                if self._may_pass(answer):
                    answer = replace(answer, checked="")
                told_of = self._negative_bias(self._zero_factor(_named(answer, name_of(leaf))), leaf)
                self.findings.add("zero gradient", told_of)
        if self.loop.broken is not None and not self.watch.causes.not_finite:
            self.findings.add("not finite", self.loop.broken)
        self.loop.failed = self.watch.failed
        self.layers.report(
            self.findings, self.loop.held, self.reach.reached, name_of, bool(self.loop.optimizers)
        )
        told |= {key for key in self.watch.copies if key not in self.reach.reached}
        told |= self.layers.leaves_told()
        self.loop.report(name_of, told, self._made_at, self._stranger, self._files())
        self.sizes.report(self.findings, name_of)
        self._report_symmetric()

    def _may_pass(self, answer: Answer) -> bool:
        """Return whether a gradient of 0 may be right: all margins are kept, or one turn began with zeros."""
        once = self.loop.backwards < 2 and answer.kind == "multiplied by 0"
        return once or (bool(self.loop.losses) and not any(self.loop.losses))

    def _report_flags(self) -> None:
        """Say where a flag of a weight is given a name that nothing reads."""
        for leaf in self.loop.ever_held.values():
            for name, value in list(vars(leaf).items()):
                if value is False and leaf.requires_grad and FLAG.fullmatch(name):
                    place = attribute_set(self._files(), name)
                    self.findings.tell(
                        "misspelled flag", place, name=name, weight=self.watch.name_of(leaf) or "the weight"
                    )
                    return

    def _candidates(self) -> list[Any]:
        """Return what the program means to train: what optimizers hold, or all parameters in use."""
        if self.loop.optimizers:
            return list(self.loop.ever_held.values())
        # Leaves of the program's own that numbers were taken of, and not only to be printed.
        apart = [loss for loss in self.reach.asides.values() if not _is_printed(loss.event.place)]
        named = [x for loss in apart for x in loss.leaves.values() if id(x) in self.watch.names]
        called = [p for m in self.layers.called.values() for p in m._parameters.values() if p is not None]
        return list({id(p): p for p in (*called, *named)}.values())

    def _made_at(self, leaf: Any) -> At | None:
        owner = self.layers.owner_of(leaf)
        return None if owner is None else self.layers.made.get(id(owner[0]))

    def _stranger(self, leaf: Any) -> Place | None:
        """Return where a module is called of which no optimizer holds anything."""
        for module in self.layers.called.values():
            inside = list(module.parameters())
            if any(p is leaf for p in inside) and any(self.loop.held(p) for p in inside):
                return None
        owner = self.layers.owner_of(leaf)
        if owner is None:
            return None
        copied = id(owner[0]) not in self.layers.made
        named = NOT_TRAINED.search(self.watch.name_of(leaf) or "")
        return self.layers.uses.get(id(owner[0])) if copied or named else None

    def _zero_factor(self, answer: Answer) -> Answer:
        """Name the line that makes the weights that are 0, where these are the factor."""
        if answer.kind != "multiplied by 0":
            return answer
        for module in self.layers.called.values():
            for name, p in module._parameters.items():
                value = values_of(p)
                if value is not None and value.size > 1 and not value.any():
                    place = self.watch.inits.get(id(p)) or assigned(module, name)
                    if place is not None and p.dim() >= 2:
                        called = self.watch.name_of(p) or name
                        cause = f"{answer.cause} `{called}` starts at 0 and stays there."
                        return replace(
                            answer, cause=cause, place=place, evidence=(f"used at {answer.place}",)
                        )
        return answer

    def _negative_bias(self, answer: Answer, leaf: Any) -> Answer:
        """Name the line that sets a bias so far below 0 that the relu after it gives nothing."""
        owner = self.layers.owner_of(leaf) if answer.kind == "dead relu" else None
        bias = None if owner is None else owner[0]._parameters.get("bias")
        value = values_of(bias)
        place = self.watch.inits.get(id(bias))
        if value is None or place is None or not value.size or value.max() >= 0:
            return answer
        cause = f"{answer.cause} `{self.watch.name_of(bias) or 'bias'}` starts at {value.max():.3g} or below."
        mend = "start the bias at 0, or a little above"
        return replace(answer, cause=cause, place=place, evidence=(f"used at {answer.place}",), mend=mend)

    def _files(self) -> list[str]:
        ats = [w.at for w in self.loop.optimizers.values() if w.at is not None]
        ats += list(self.layers.made.values())
        return list(dict.fromkeys([*self.watch.files, *(at[0].co_filename for at in ats)]))

    def _report_copied(self) -> None:
        """Say where weights that an optimizer holds were copied, and only the copies are used."""
        missing = [
            p for key, p in self.loop.ever_held.items()
            if key in self.watch.copies and key not in self.reach.reached
        ]  # fmt: skip
        if missing:
            self.findings.tell(
                "copied", self.watch.copies[id(missing[0])], names=listed(missing, self.watch.name_of)
            )

    def _report_untied(self) -> None:
        """Say where one weight was copied by itself into the same model: the two are trained apart."""
        first = self.loop.first_values
        for weight, place in self.watch.single_copies:
            mine = first.get(id(weight))
            others = [
                p for key, p in self.loop.ever_held.items()
                if p is not weight and mine is not None and key in first and np.array_equal(first[key], mine)
            ]  # fmt: skip
            if others and self.loop.held(weight) and mine is not None and mine.any():
                self.findings.tell(
                    "copied weight", place, other=self.watch.name_of(others[0]) or "a weight",
                    copy=self.watch.name_of(weight) or "another one"
                )

    def _report_unused(self, told: set[int]) -> None:
        if not self.reach.calls or not self.reach.reached:
            return
        loose = any(
            key not in self.loop.ever_held for key in self.loop.graded if key not in self.layers.leaves_told()
        )
        unused: dict[Any, list[Any]] = {}
        for leaf in self._candidates():
            key = id(leaf)
            if key in self.reach.reached or key in told or not leaf.requires_grad:
                continue
            if loose and key not in self.watch.names:
                continue  # a layer that was replaced: the finding about the new one tells of it
            owner = self.layers.owner_of(leaf)
            unused.setdefault(None if owner is None else owner[0], []).append(leaf)
        for owner, leaves in unused.items():
            idle = all(self._of_idle_optimizer(leaf) for leaf in leaves)
            if idle and aside(self.reach, leaves) is None:
                continue
            told |= {id(leaf) for leaf in leaves if idle}
            at = None if owner is None else self.layers.made.get(id(owner))
            use = None if owner is None else self.layers.uses.get(id(owner))
            names = listed(leaves, self.watch.name_of)
            cut = aside(self.reach, leaves) if use or owner is None else None
            end = self.reach.end_of(leaves) if use else None
            if end is not None:
                self.findings.tell("left out", end, names=names, end=end, use=use)
                continue
            derived = self.reach.behind_derivatives.get(id(leaves[0]))
            if derived is not None:
                self.findings.tell("not reached: a derivative without it", derived, names=names)
                continue
            early = [] if use else returns_in_loop(self._files())
            if early:
                self.findings.tell("return in the loop", early[0], names=names)
                continue
            if cut is not None:
                self.findings.add("lost history", cut.answer(f"Probably: No gradient reaches {names}"))
                continue
            self.findings.tell(
                "not reached: called in vain" if use else "not reached: never called",
                use or at, names=names,
            )

    def _of_idle_optimizer(self, leaf: Any) -> bool:
        """Return whether all parameters of the optimizers that hold a leaf are out of reach: told as one."""
        holders = [w for w in self.loop.optimizers.values() if any(p is leaf for p in w.parameters())]
        return bool(holders) and all(
            not any(id(p) in self.reach.reached for p in w.parameters()) for w in holders
        )

    def _report_symmetric(self) -> None:
        for module in self.layers.kept.values():
            weight = module._parameters.get("weight")
            if weight is not None and weight._grad is not None and symmetric(weight, weight._grad):
                at = self.layers.made.get(id(module))
                self.findings.tell(
                    "symmetric weights",
                    self.watch.inits.get(id(weight)) or at,
                    weight=self.watch.name_of(weight) or "a weight"
                )


def _is_printed(place: Place | None) -> bool:
    return place is not None and place.code.lstrip().startswith("print(")


def _named(answer: Answer, name: str | None) -> Answer:
    return replace(answer, cause=f"`{name}` has a gradient of 0: {answer.cause}") if name else answer
