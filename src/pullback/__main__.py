"""`python -m pullback`: see `pullback.command.run`."""

import sys

from pullback.command.run import main

if __name__ == "__main__":
    main(sys.argv[1:])
