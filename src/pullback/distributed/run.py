"""Start a program as several processes that work together: torchrun.

    python -m pullback.distributed.run --nproc-per-node 4 train.py --its --arguments

Each process runs the program as ``python -m pullback`` does, with torchrun's environment variables: RANK,
LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and the rest. The first process that fails ends all; the
launcher then names its rank, shows its traceback and ends with status 1.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..array.threads import processors
from .launched_job import PATIENCE, Job, Launch


def get_args_parser() -> argparse.ArgumentParser:
    """Return the parser of torchrun's options."""
    made = argparse.ArgumentParser(
        prog="torchrun", description="Start a program as several processes that work together."
    )

    def option(*names: str, **settings: Any) -> None:
        # The variable PET_NNODES stands for --nnodes, and so on.
        told = os.environ.get(f"PET_{max(names, key=len)[2:].replace('-', '_').upper()}")
        if told is not None:
            settings["default"] = bool(int(told)) if settings.get("action") == "store_true" else told
        # torchrun knows each option by both spellings.
        spellings = [name for name in names for name in (name, f"--{name[2:].replace('-', '_')}")]
        made.add_argument(*dict.fromkeys(spellings if names[0][:2] == "--" else names), **settings)

    option("--nnodes", default="1", help="number of machines")
    option("--nproc-per-node", default="1", help="processes on each: a number, 'cpu', 'auto' or 'gpu'")
    option("--node-rank", type=int, default=0, help="which of the machines this is")
    option("--master-addr", default=None, help="a name of machine 0 that all can reach")
    option("--master-port", type=int, default=None, help="a free port of machine 0")
    option("--rdzv-endpoint", default="", help="HOST:PORT of machine 0, in place of the two before")
    option("--rdzv-backend", default="static", help="taken for torchrun's sake")
    option("--rdzv-id", default="none", help="a name of the job")
    option("--rdzv-conf", default="", help="taken for torchrun's sake")
    option("--local-addr", default=None, help="taken for torchrun's sake")
    option("--standalone", action="store_true", help="a job on this machine, at any free port")
    option("--max-restarts", type=int, default=0, help="how often to start all anew where one fails")
    option("--monitor-interval", type=float, default=0.1, help="taken for torchrun's sake")
    option("--start-method", default="spawn", choices=["spawn", "fork", "forkserver"],
           help="taken for torchrun's sake")  # fmt: skip
    option("--role", default="default", help="a name for the processes")
    option("--log-dir", default=None, help="a folder for what the processes print")
    option("-r", "--redirects", default="0",
           help="1, 2 or 3: output, errors or both go to --log-dir only; 0:1,1:3 by local rank")  # fmt: skip
    option("-t", "--tee", default="0", help="likewise: what goes to --log-dir as well")
    option("--local-ranks-filter", default="", help="whose output is shown, as 0,1")
    option("--run-path", action="store_true", help="taken for torchrun's sake: a path is always run")
    option("--signals-to-handle", default="SIGTERM,SIGINT,SIGHUP,SIGQUIT",
           help="signals by which the launcher ends its processes")  # fmt: skip
    option("--shutdown-timeout", type=float, default=None, help="for how many seconds they may take to end")
    option("--virtual-local-rank", action="store_true", help="LOCAL_RANK is 0 in each")
    option("--event-log-handler", default="null", help="taken for torchrun's sake")
    option("--numa-binding", default=None, help="taken for torchrun's sake: of accelerators alone")
    for name in ("--duplicate-stdout-filters", "--duplicate-stderr-filters", "--logs-specs"):
        option(name, default="", help="not served: use --tee and --log-dir")
    kind = made.add_mutually_exclusive_group()
    kind.add_argument("-m", "--module", action="store_true", help="the program is a module's name")
    kind.add_argument("--no-python", "--no_python", action="store_true", help="the program is not Python's")
    made.add_argument("training_script", help="the program")
    made.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return made


def processes(told: str) -> int:
    """Return how many processes ``--nproc-per-node`` means; ValueError where it is no number."""
    if told in ("cpu", "auto"):
        return processors()
    if told == "gpu":
        raise ValueError("Cuda is not available.")
    try:
        count = int(told)
    except ValueError:
        raise ValueError(f"Unsupported nproc_per_node value: {told}") from None
    if count < 1:
        raise ValueError(f"Unsupported nproc_per_node value: {told}")
    return count


def streams(told: str, count: int) -> dict[int, int]:
    """Return which streams ``--redirects`` or ``--tee`` means, by local rank.

    Raises a ValueError where it is neither one of 0 to 3 nor pairs of a rank and one of these.
    """
    try:
        if ":" not in told:
            found = dict.fromkeys(range(count), int(told))
        else:
            found = {int(rank): int(value) for rank, value in (one.split(":") for one in told.split(","))}
    except ValueError:
        raise ValueError(f"{told} does not match: <[0-3]> or <local_rank>:<[0-3]>,...") from None
    if any(value not in range(4) for value in found.values()):
        raise ValueError(f"{told} does not match: <[0-3]> or <local_rank>:<[0-3]>,...")
    return found


def launch_of(options: Any) -> Launch:
    """Return what the options ask for; ValueError where they cannot be served."""
    least, _, most = options.nnodes.partition(":")
    if most and most != least:
        raise ValueError(f"the number of machines is fixed when a job starts: write --nnodes {most}")
    host, port = options.master_addr, options.master_port
    if options.rdzv_endpoint:
        name, _, number = options.rdzv_endpoint.partition(":")
        host, port = host or name, port if port is not None else int(number or 29400)
    alone = options.standalone or int(least) == 1
    if alone:
        host = host or "127.0.0.1"
        port = 0 if port is None else port
    if not alone and host is None:
        raise ValueError("a job of several machines needs --master-addr, a name of machine 0")
    for name in ("duplicate_stdout_filters", "duplicate_stderr_filters", "logs_specs"):
        if getattr(options, name):
            raise ValueError(f"--{name.replace('_', '-')} is not served: use --tee 3 and --log-dir")
    count = processes(options.nproc_per_node)
    if options.no_python:
        command = [options.training_script]
    elif options.module:
        command = [sys.executable, "-u", "-m", "pullback", "-m", options.training_script]
    else:
        command = [sys.executable, "-u", "-m", "pullback", options.training_script]
    return Launch(
        command=[*command, *options.training_script_args], program=options.training_script, count=count,
        nodes=int(least), node=options.node_rank, host=host or "127.0.0.1",
        port=29500 if port is None else port, name=options.rdzv_id, restarts=options.max_restarts,
        role=options.role, log_dir=options.log_dir, tee=streams(options.tee, count),
        redirect=streams(options.redirects, count), virtual_local_rank=options.virtual_local_rank,
        patience=PATIENCE if options.shutdown_timeout is None else options.shutdown_timeout,
        shown=[int(one) for one in options.local_ranks_filter.split(",") if one],
    )  # fmt: skip


def parse_args(args: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of a command line."""
    return get_args_parser().parse_args(args)


def run(args: Any, rank_argument: bool = False) -> int:
    """Run the program that options name, given its rank on the machine as well where it takes a
    `rank_argument`; return the exit status.
    """
    try:
        launch = launch_of(args)
    except ValueError as error:
        get_args_parser().error(str(error))
    launch.rank_argument = rank_argument
    with ended_by(args.signals_to_handle):
        return Job(launch).run()


def main(args: Sequence[str] | None = None) -> int:
    """Run the program that the arguments, by default the command line's, name; return the exit status."""
    return run(parse_args(args))


@contextmanager
def ended_by(names: str) -> Iterator[None]:
    """Let signals end the launcher and with it its processes.

    An interrupt is an exception already, except where a shell started the launcher beside itself.
    """
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in names.split(","):
            number = getattr(signal, name.strip(), None)
            if number is not None and signal.getsignal(number) is not signal.default_int_handler:
                before[number] = signal.signal(number, stopped)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stopped(number: int, _: Any) -> None:
    """Turn a signal that asks the launcher to end into an exception, so that it ends its processes."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
