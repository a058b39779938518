"""Say what is there when an error is raised: the frames of the program, and what the failing call is
about.
"""

import sys
from types import FrameType, TracebackType
from typing import Any

from ..core.blame import Place, own_file, place_at
from ..core.node import Node
from .answer import Answer
from .names import Names
from .roots import receiver_of
from .scene import Scene, freezing, paths_in

#: Frames of the program that are looked at.
MOST_FRAMES = 40


class Raised:
    """Hold the frames of the program that an error went through; while it is being raised, those that run.

    `scenes` are the frames, the innermost first, each at the line that it was at; `scene` is the one whose
    line calls backward, otherwise the innermost, and `place` its line. `innermost` is the line of the
    innermost one, `node` the node whose rule raised the error.
    """

    def __init__(self, error: BaseException, node: Any = None) -> None:
        self.node = node or _node_of(error)
        frames = _frames_of(error)
        self.scenes = [Scene(frame, line) for frame, line, _ in frames]
        self.scene = next((s for s in self.scenes if names_in(s)), next(iter(self.scenes), None))
        self.innermost = place_at(frames[0][0].f_code, frames[0][2]) if frames else None
        self.place: Place | None = None
        if self.scene is not None:
            frame = self.scene.frame
            at = next(i for f, _, i in frames if f is frame)
            self.place = place_at(frame.f_code, at)

    def made(self, name: str, before: int | None = None) -> Place | None:
        """Return the line that gives a name of the scene its value last."""
        return None if self.scene is None else self.scene.made(name, before)

    def freezing(self) -> Place | None:
        """Return the line of the program's files that sets requires_grad to False."""
        return freezing(scene.frame.f_code.co_filename for scene in self.scenes)

    def names_at(self) -> list[str]:
        """Return the names that the failing call is about."""
        return [] if self.scene is None else names_in(self.scene)

    def names(self) -> Names:
        """Return the program's names as seen from the innermost frame."""
        return Names(self.scenes[0].frame if self.scenes else None)


def _frames_of(error: BaseException) -> list[tuple[FrameType, int, int]]:
    """Return (frame, line, instruction) of the program's frames, the innermost first."""
    traceback: TracebackType | None = error.__traceback__
    found = []
    outer: FrameType | None = sys._getframe(1) if traceback is None else traceback.tb_frame.f_back
    while traceback is not None:
        found.append((traceback.tb_frame, traceback.tb_lineno, traceback.tb_lasti))
        traceback = traceback.tb_next
    found.reverse()
    while outer is not None and len(found) < MOST_FRAMES:
        found.append((outer, outer.f_lineno, outer.f_lasti))
        outer = outer.f_back
    return [at for at in found if not _foreign(at[0])]


def _node_of(error: BaseException) -> Any:
    """Return the node whose rule raised an error; None where none did."""
    node, traceback = None, error.__traceback__
    while traceback is not None:
        owner = traceback.tb_frame.f_locals.get("self")
        node = owner if isinstance(owner, Node) else node
        traceback = traceback.tb_next
    return node


def _foreign(frame: FrameType) -> bool:
    """Return whether a frame is pullback's, or Python's own machinery that runs programs."""
    file = frame.f_code.co_filename
    return own_file[file] or file.startswith("<frozen ")


def names_in(scene: Scene) -> list[str]:
    """Return names that a call of backward or grad on the line of a scene is about."""
    names: list[str] = []
    for call in scene.calls_here():
        method = getattr(call.func, "attr", "")
        if method == "backward":
            name = receiver_of(call, scene)
            names += [name] if name else []
        elif method == "grad":
            given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "outputs")]
            names += [p for node in given for p in paths_in(node) if p not in ("torch", "pullback")]
    return names


def plain(error: BaseException, raised: Raised) -> Answer:
    """Return an answer that says no more than the error."""
    return Answer("error", str(error).splitlines()[0], raised.place, tuple(getattr(error, "__notes__", ())))
