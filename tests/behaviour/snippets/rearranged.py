"""`torch.func.rearrange`: patterns and what it refuses."""

from __future__ import annotations

from typing import Any

from .transforms import tell

T = Any


def patterns(torch: T) -> None:
    x = torch.arange(24).view(2, 3, 4)
    for pattern in (
        "a b c -> c a b", "a b c -> a (b c)", "a b c -> (c b) a", "... c -> c ...", "a ... -> ... a",
        "a b c -> a 1 b c", "a b c -> (a b c)", "a ... -> a (...)", "a b c -> () b (c a)", "... -> (...)",
    ):  # fmt: skip
        print(pattern, torch.func.rearrange(x, pattern).shape)
    print(torch.func.rearrange(x, "a b (c d) -> a d (b c)", d=2))
    print(torch.func.rearrange(x, "a b (c d) -> (a d) b c", c=2, d=2))
    print(torch.func.rearrange([x, x], "n a b c -> a b (n c)").shape)
    print(torch.func.rearrange(x[:1], "1 b c -> c b").shape)
    print(torch.func.rearrange(torch.tensor(3), " -> "))


def refuses(torch: T) -> None:
    x = torch.arange(24).view(2, 3, 4)
    rearrange = torch.func.rearrange
    for pattern in (
        "a b c", "a b c -> a b c -> a", "a b -> b a", "a b c d -> a b c d", "a b c -> a b",
        "a b c -> a b c d", "a a c -> a c", "a (b c -> a b c", "a b) c -> a b c", "a ((b) c) d -> a b c d",
        "a b . -> a b", "a ... ... -> a ...", "a b c -> a ... b c", "(a ...) b -> a b ...", "a b 4 -> a b 4",
        "a _b c -> a _b c", "a b c -> a b -c", "a b 0 -> a b 0", "a b c d ... -> a b c d ...",
        "a 2b c -> a 2b c",
    ):  # fmt: skip
        tell(lambda pattern=pattern: rearrange(x, pattern))
    tell(lambda: rearrange(x, "a b c -> a b c", d=2))
    tell(lambda: rearrange(x, "a b (c d) -> a b c d", d=2.0))
    tell(lambda: rearrange(x, "a b (c d) -> a b c d", c=3))
    tell(lambda: rearrange(x, "a 1 ... -> a ...", a=3))
    tell(lambda: rearrange(x, "a b (c d) -> a b c d", c=2, d=3))
    tell(lambda: rearrange(x, "a b (c d) -> a b c d"))
    tell(lambda: rearrange(x, "a b c -> a b c", a=5))
