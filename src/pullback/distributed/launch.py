"""torch.distributed.launch: the older name of `pullback.distributed.run`, with its older habit.

The rank on the machine is also given to the program, as ``--local-rank=N``, unless ``--use-env`` is said.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from . import run


def main(args: Sequence[str] | None = None) -> int:
    """Run the program that the arguments name; return the exit status."""
    given = list(sys.argv[1:] if args is None else args)
    kept = [word for word in given if word not in ("--use-env", "--use_env")]
    return run.main(kept, rank_argument=len(kept) == len(given))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, run.stopped)
    sys.exit(main())
