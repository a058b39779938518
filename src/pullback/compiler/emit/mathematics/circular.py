"""sin, cos, tan and their inverses.

The argument is reduced by multiples of pi/2 held in parts, which is right for arguments up to a bound; beyond
it, and in float64 next to a multiple of pi/2, the C library's function stands in, lane by lane: a loop whose
vectors hold no such argument never gets there.
"""

from ..lanes import Lanes, Writer
from .coefficients import ASIN, ATAN, COS, SIN
from .exponentials import ROUND

TWO_OVER_PI = 0.6366197723675814
#: pi/2 in three parts: products of the first two with integers of 20 bits are exact.
FIRST, SECOND, THIRD = (
    float.fromhex("0x1.921fb54400000p+0"),
    float.fromhex("0x1.0b4611a600000p-34"),
    float.fromhex("0x1.3198a2e037073p-69"),
)
_REACH = 2.0**19
HALF_PI, HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17


class _Reduced:
    """An argument as a multiple of pi/2 and a rest in two parts, with the rest's sine and cosine."""

    def __init__(self, ops: Writer, x: Lanes) -> None:
        t = ops.muladd(x, TWO_OVER_PI, ROUND)
        n = t - ROUND
        self.quadrant = ops.bits(t)
        high = ops.muladd(n, -FIRST, x)
        part = n * SECOND
        rest = high - part
        below = (high - rest) - part
        below = ops.muladd(n, -THIRD, below)
        beyond = ~(abs(x) <= _REACH)
        if ops.narrow:
            self.hard = beyond
            self._narrow(ops, rest + below)
            return
        # A rest this small lost too many bits.
        self.hard = beyond | ((abs(rest) < 2.0**-14) & n.differs(0.0))
        whole = rest + below
        below = below - (whole - rest)
        self._wide(ops, whole, below)

    def _narrow(self, ops: Writer, r: Lanes) -> None:
        z = r * r
        self.sin = ops.muladd(z * r, ops.polynomial(z, SIN[1]), r)
        self.cos = ops.muladd(z * z, ops.polynomial(z, COS[1]), ops.muladd(z, -0.5, 1.0))

    def _wide(self, ops: Writer, r: Lanes, below: Lanes) -> None:
        z = r * r
        half = z * 0.5
        tail = ops.muladd(z * r, ops.polynomial(z, SIN[0]), below * (1.0 - half))
        self.sin = r + tail
        self.sin_low = tail - (self.sin - r)
        near = 1.0 - half
        rest = (1.0 - near) - half
        tail = ops.muladd(z * z, ops.polynomial(z, COS[0]), rest - r * below)
        self.cos = near + tail
        self.cos_low = tail - (self.cos - near)

    def turned(self, ops: Writer, quadrant: Lanes) -> Lanes:
        """Return the sine after a number of quarter turns."""
        odd = (quadrant & 1).differs(0)
        y = ops.select(odd, self.cos, self.sin)
        return ops.from_bits(ops.bits(y) ^ ((quadrant & 2) << 62))


def sin(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return the sine."""
    reduced = _Reduced(ops, x)
    y = reduced.turned(ops, reduced.quadrant)
    return ops.select(abs(x) < 2.0**-27, x, y), reduced.hard


def cos(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return the cosine."""
    reduced = _Reduced(ops, x)
    return reduced.turned(ops, reduced.quadrant + 1), reduced.hard


def tan(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return the tangent."""
    reduced = _Reduced(ops, x)
    odd = (reduced.quadrant & 1).differs(0)
    top = ops.select(odd, -reduced.cos, reduced.sin)
    bottom = ops.select(odd, reduced.sin, reduced.cos)
    y = top / bottom
    if not ops.narrow:
        top_low = ops.select(odd, -reduced.cos_low, reduced.sin_low)
        bottom_low = ops.select(odd, reduced.sin_low, reduced.cos_low)
        y = y + ((ops.fma(-y, bottom, top) + top_low) - y * bottom_low) / bottom
    return ops.select(abs(x) < 2.0**-27, x, y), reduced.hard


def _arc(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """Return the arc sine in two parts, or near one half of its distance from pi/2; and where it is that."""
    size = abs(x)
    far = size > 0.5
    z = ops.select(far, (1.0 - size) * 0.5, x * x)
    base = ops.select(far, ops.sqrt(z), size)
    return base, base * z * ops.polynomial(z, ASIN[ops.narrow]), far


def asin(ops: Writer, x: Lanes) -> Lanes:
    """Return the arc sine."""
    base, tail, far = _arc(ops, x)
    twice = 2.0 * base
    rest = HALF_PI - twice
    below = ((HALF_PI - rest) - twice) - (2.0 * tail - HALF_PI_LOW)
    y = ops.select(far, rest + below, base + tail)
    return ops.copysign(ops.select(abs(x) < 2.0**-27, abs(x), y), x)


def acos(ops: Writer, x: Lanes) -> Lanes:
    """Return the arc cosine."""
    base, tail, far = _arc(ops, x)
    arc = base + tail
    near = HALF_PI - (ops.copysign(arc, x) - HALF_PI_LOW)
    twice = 2.0 * arc
    below = 2.0 * HALF_PI - (twice - 2.0 * HALF_PI_LOW)
    return ops.select(far, ops.select(x < 0.0, below, twice), near)


def _atan_of_ratio(ops: Writer, small: Lanes, large: Lanes, turn: Lanes) -> Lanes:
    """Return atan(small / large), or pi/2 less it."""
    q = small / large
    z = q * q
    tail = z * q * ops.horner(z, ATAN[ops.narrow])
    near = q + tail
    near = ops.select(q < 2.0**-27, q, near)
    far = HALF_PI - ((q - HALF_PI_LOW) + tail)
    return ops.select(turn, far, near)


def atan(ops: Writer, x: Lanes) -> Lanes:
    """Return the arc tangent."""
    size = abs(x)
    turn = size > 1.0
    one = ops.constant(1.0)
    y = _atan_of_ratio(ops, ops.select(turn, one, size), ops.select(turn, size, one), turn)
    return ops.copysign(y, x)


def atan2(ops: Writer, y: Lanes, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return the angle of the point (x, y)."""
    height, width = abs(y), abs(x)
    turn = height > width
    small, large = ops.select(turn, width, height), ops.select(turn, height, width)
    angle = _atan_of_ratio(ops, small, large, turn)
    behind = (ops.bits(x) >> 63).differs(0)
    angle = ops.select(behind, 2.0 * HALF_PI - (angle - 2.0 * HALF_PI_LOW), angle)
    odd = ~((large > 0.0) & (large < float("inf")))
    return ops.copysign(angle, y), odd
