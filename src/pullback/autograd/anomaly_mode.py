"""Detect anomalies: `backward` checks every covector for NaN and names the forward call behind a failure."""

import os
from typing import Any

from ..core.general_call import node_watchers
from ..core.hooks import hooks_of
from ..core.modes import change, modes
from ..core.warn import warn
from ..tensor.signature import parsed

#: Frames inside the package say nothing about the user's program.
_PACKAGE = os.path.dirname(os.path.dirname(__file__))


def _remember(node: Any) -> None:
    """Keep the stack of the call that made a node, while the mode is on."""
    if modes().anomaly:
        import traceback

        frames = traceback.extract_stack()
        while len(frames) > 1 and frames[-1].filename.startswith(_PACKAGE):
            frames.pop()
        hooks_of(node).metadata["traceback_"] = traceback.format_list(frames)


if _remember not in node_watchers:
    node_watchers.append(_remember)


class set_detect_anomaly:
    """Switch anomaly detection on or off; also a context manager."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = change(anomaly=mode, anomaly_check_nan=check_nan)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        change(anomaly=self.before.anomaly, anomaly_check_nan=self.before.anomaly_check_nan)


class detect_anomaly:
    """Context manager: detect anomalies in the forward and backward passes inside."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
            "enabled for debugging."
        )

    def __enter__(self) -> None:
        self.before = change(anomaly=True, anomaly_check_nan=self.check_nan)

    def __exit__(self, *exc: object) -> None:
        change(anomaly=self.before.anomaly, anomaly_check_nan=self.before.anomaly_check_nan)


@parsed("set_anomaly_enabled", "(bool enabled, bool check_nan = True)")
def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly detection, and its check for NaN, on or off."""
    change(anomaly=enabled, anomaly_check_nan=check_nan)


def is_anomaly_enabled() -> bool:
    """Return whether the mode is on."""
    return modes().anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether the mode checks for NaN."""
    return modes().anomaly_check_nan
