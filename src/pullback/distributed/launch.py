"""torch.distributed.launch: the older name of `pullback.distributed.run`, with its older habit.

The rank on the machine is also given to the program, as ``--local-rank=N``, unless ``--use-env`` is said.
"""

import sys
from collections.abc import Sequence
from typing import Any

from .run import parse_args, run


def launch(args: Any, rank_argument: bool = True) -> int:
    """Run the program that options name; return the exit status."""
    return run(args, rank_argument)


def main(args: Sequence[str] | None = None) -> int:
    """Run the program that the arguments name; return the exit status."""
    given = list(sys.argv[1:] if args is None else args)
    kept = [word for word in given if word not in ("--use-env", "--use_env")]
    return launch(parse_args(kept), rank_argument=len(kept) == len(given))


if __name__ == "__main__":
    sys.exit(main())
