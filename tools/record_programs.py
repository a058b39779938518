"""Record what torch answers to the programs of tests/tensor/cases as tests/tensor/data/programs_*.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_programs``.
"""

from __future__ import annotations

import json

import torch
from tests.tensor.programs import HERE, TOPICS, answer, cases


def main() -> None:
    for topic in TOPICS:
        torch.set_default_dtype(torch.float32)
        torch.set_warn_always(True)
        answers = {}
        for line in cases(topic):
            torch.set_default_dtype(torch.float32)
            answers[line] = answer(line, torch)
        target = HERE / "data" / f"programs_{topic}.json"
        target.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")
        print(f"{topic}: {len(answers)} programs")


if __name__ == "__main__":
    main()
