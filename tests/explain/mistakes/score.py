"""Say how many of the mistakes the tool explains: `python -m tests.explain.mistakes.score open`.

- *first*: what a user meets first names line and cause. That is the note on the error, or the first lines of
  `python -m pullback explain` where the program ends without one.
- *best*: any answer does.
- *certain and wrong*: the first answer that is certain names neither.

`sound` runs the programs that make no mistake, of which nothing certain may be said.

Of the held half only figures are printed, so that nothing is tuned to it.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.explain.mistakes.programs import (
    HALVES,
    SYMPTOMS,
    Met,
    Mistake,
    meet,
    mistakes,
    said_of_sound,
    sound,
)

Result = tuple[Mistake, Met]


def score(chosen: Iterable[Mistake], jobs: int = 2) -> list[Result]:
    """Run programs, a few at a time, and judge what the tool says of each."""
    chosen = list(chosen)
    with ThreadPoolExecutor(jobs) as pool:
        return list(zip(chosen, pool.map(meet, chosen), strict=True))


def _row(title: str, results: list[Result]) -> str:
    count = len(results)
    best = sum(any(judged.right for judged in met.best) for _, met in results)
    first = sum(any(judged.right for judged in met.first) for _, met in results)
    wrong = sum(met.certain_and_wrong for _, met in results)
    mend = sum(any(judged.right and judged.mend for judged in met.best) for _, met in results)
    name = sum(any(judged.right and judged.name for judged in met.best) for _, met in results)
    shares = "".join(f"{100 * found / count:7.0f} %" for found in (best, first, mend, name))
    return f"{title:34}{count:5}{shares}{wrong:9}"


def table(results: list[Result], by: str) -> str:
    """Return the figures of all, and of each symptom or kind, as a table of text."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for mistake, met in results:
        groups[mistake.symptom if by == "symptom" else mistake.kind].append((mistake, met))
    order = SYMPTOMS if by == "symptom" else sorted(groups)
    heading = f"{by:34}{'n':>5}{'best':>9}{'first':>9}{'+mend':>9}{'+name':>9}{'certain':>9}"
    rows = [_row(key, groups[key]) for key in order if key in groups]
    return "\n".join([heading + " and wrong", *rows, _row("all", results)])


def failures(results: list[Result]) -> str:
    """Return a line for each program whose first answer is not right, or certain and wrong."""
    rows = []
    for mistake, met in results:
        if met.timed_out:
            state = "timed out"
        elif not any(judged.right for judged in met.best):
            line = any(judged.line for judged in met.best)
            cause = any(judged.cause for judged in met.best)
            state = "missed" + " (line named)" * line + " (cause named)" * cause
        elif not any(judged.right for judged in met.first):
            state = "not first"
        elif met.certain_and_wrong:
            state = "right, but"
        else:
            continue
        wrong = ", certain and wrong" * met.certain_and_wrong
        rows.append(f"{mistake.file.stem:46} line {mistake.line:3}  {state}{wrong}")
    return "\n".join(rows)


def alarms(programs: dict[str, Path], jobs: int = 2) -> str:
    """Return what is said of programs that make no mistake, and how often something is."""
    rows, count = [], [0, 0]
    with ThreadPoolExecutor(jobs) as pool:
        for path, said in zip(programs.values(), pool.map(said_of_sound, programs.values()), strict=True):
            for k, (word, texts) in enumerate(zip(("certain", "doubtful"), said, strict=True)):
                count[k] += bool(texts)
                rows += [f"{path.stem}: {word}\n{text}" for text in texts]
    rows.append(f"{len(programs)} sound programs: {count[0]} certain answers, {count[1]} in doubt")
    return "\n".join(rows)


def main() -> None:
    """Print the figures of one half."""
    parser = argparse.ArgumentParser(prog="python -m tests.explain.mistakes.score", description=__doc__)
    parser.add_argument("half", choices=(*HALVES, "sound"))
    parser.add_argument("--show", metavar="NNN", help="print all that is said of one program")
    parser.add_argument("--jobs", type=int, default=2, help="how many programs run at a time (default 2)")
    options = parser.parse_args()
    if options.half == "sound":
        programs = sound()
        print(alarms({options.show: programs[options.show]} if options.show else programs, options.jobs))
        return
    chosen = mistakes(options.half)
    if options.show:
        chosen = [mistake for mistake in chosen if mistake.number == options.show]
        if not chosen:
            parser.error(f"there is no program {options.show} in {options.half}")
    results = score(chosen, options.jobs)
    if options.show:
        mistake, met = results[0]
        print(met.text)
        print(f"\nwanted: line {mistake.line}{''.join(f' or {n}' for n in mistake.also)}, {mistake.kind}")
        print(f"cause: {mistake.cause}\nmend: {mistake.mend}\nname: {mistake.name}\n")
    print(table(results, "kind"), table(results, "symptom"), sep="\n\n")
    if options.half != "held" or options.show:
        print("", failures(results), sep="\n")
    late = sum(met.timed_out for _, met in results)
    if late:
        print(f"\n{late} timed out")


if __name__ == "__main__":
    main()
