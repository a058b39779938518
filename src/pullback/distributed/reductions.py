"""Name the operations that make one value of those of all processes, as torch names them."""

from enum import IntEnum


class ReduceOp(IntEnum):
    """Name the operation that makes one value of those of all processes."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8
    UNUSED = 9

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {int(self)}>"

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


#: torch's name of the class of its members.
ReduceOp.RedOpType = ReduceOp  # type: ignore[attr-defined]  # an enumeration's body would make it a member
