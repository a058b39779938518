"""Modified Bessel functions and Airy's for float32, by polynomials in double precision.

SciPy adds up Chebyshev series one number after another, 50 to 90 ns each, and for Ai finds Bi and both
derivatives, too, in 200. A polynomial is one loop over many numbers, also in native code. Each is within 1e-9
of the function: they were fitted to SciPy's at the nodes of Chebyshev polynomials. The variable goes from −1
to 1; the highest power is first.
"""

from collections.abc import Callable

import numpy as np
from numpy import ndarray

#: exp(−x)·I₀(x) and exp(−x)·I₁(x)/x in x/4 − 1 up to x = 8, and both times √x in 16/x − 1 beyond; I₀(x) and
#: I₁(x)/x in x²/2 − 1 up to 2; there what K₀(x) and x·K₁(x) have beside the logarithm, and exp(x)·√x·K(x) in
#: 4/x − 1 beyond; Ai(x) in x/2 up to 2; beyond, in the inverse of ζ = ⅔·x√x, of its waves the size and what
#: is added to ζ (DLMF 9.8), and the factor of exp(−ζ); the cosine of a turn's part d in 8·d² − 1.
_I0_NEAR = np.array([
    -0.000136047363332, 0.000348628424038, -0.000205759405604, 0.000412651423728, -0.00204734498026,
    0.00416927372236, -0.00660461958244, 0.011554065536, -0.0197762060324, 0.0303606371766, -0.0429569157527,
    0.0567272882879, -0.0695465912488, 0.0792829727755, -0.0849628311534, 0.0873428051544, -0.0890434670005,
    0.094515647198, -0.113004326534, 0.20700192113,
])  # fmt: skip
_I0_FAR = np.array([
    3.16198557843e-08, 1.08679425132e-07, 3.07332290961e-07, 1.47611573393e-06, 1.11398156589e-05,
    0.000136217164243, 0.00336055224172, 0.402176509419,
])  # fmt: skip
_I1_NEAR = np.array([
    -1.74679347165e-05, 4.75213439079e-05, -4.07101043454e-05, 9.35681702631e-05, -0.000368571991527,
    0.000812403530797, -0.00151709151624, 0.00295600390937, -0.00554539815393, 0.00960630648746,
    -0.0155679529461, 0.0236799437582, -0.0336719785704, 0.0446755173003, -0.0552799757989, 0.0637673292734,
    -0.0684826091619, 0.0680576021809, -0.0611243379891, 0.0446877098642,
])  # fmt: skip
_I1_FAR = np.array([
    -3.57743584823e-08, -1.22732172554e-07, -3.58429888249e-07, -1.82569073155e-06, -1.50352680297e-05,
    -0.000219237125382, -0.00974957745756, 0.38939845906,
])  # fmt: skip
_I0_SMALL = np.array([
    3.23673678378e-08, 2.35815184393e-06, 0.000119820682621, 0.0039285648192, 0.0735898683617,
    0.635861728192, 1.56608292976,
])  # fmt: skip
_I1_SMALL = np.array([
    1.94209200606e-07, 1.17913320957e-05, 0.000479282725485, 0.0117856940279, 0.147179736724, 0.635861728228,
])  # fmt: skip
_K0_SMALL = np.array([
    6.09445334679e-08, 4.05566572949e-06, 0.000182805551451, 0.00505339206363, 0.0717770103438,
    0.340497321086, -0.303620772916,
])  # fmt: skip
_K1_SMALL = np.array([
    -7.08284051811e-07, -3.89344982668e-05, -0.00138316873993, -0.0278542273157, -0.243838528889,
    -0.332240956228, 0.88508828773,
])  # fmt: skip
_K0_LARGE = np.array([
    -4.3456883507e-07, 1.09747635506e-06, -2.00493365721e-06, 6.65885093592e-06, -2.48216745848e-05,
    9.96896497257e-05, -0.000479753043013, 0.00303287515717, -0.0310714626456, 1.21859533885,
])  # fmt: skip
_K1_LARGE = np.array([
    5.15852743404e-07, -1.324257598e-06, 2.51362517035e-06, -8.55775873159e-06, 3.29442464455e-05,
    -0.000139741749039, 0.000735705576067, -0.005566710346, 0.103349738706, 1.36315188997,
])  # fmt: skip
_AIRY = np.array([
    -6.26571157004e-06, 3.02183678846e-05, -6.89841121899e-06, -0.000294678545169, 0.000856975459215,
    -5.1151239317e-06, -0.00584689992647, 0.0140286625473, 1.40194369716e-06, -0.0657328016986,
    0.126231925002, 1.44958678228e-07, -0.345092511953, 0.473370727982, -9.8989433317e-10, -0.517638807363,
    0.355028053894,
])  # fmt: skip
_AIRY_SIZE = np.array([
    2.92545967515e-07, -6.84742301832e-07, 1.49902132783e-07, 1.56186887797e-06, -5.22978618641e-06,
    1.26054797025e-05, -1.61806486437e-05, -3.93835824172e-05, 0.000384995182091, -0.00150233847803,
    -0.00412297022894, 0.997769296417,
])  # fmt: skip
_AIRY_PHASE = np.array([
    2.31924834576e-07, 2.49003041419e-08, -1.54582482073e-06, 2.59826601349e-06, -1.62185681036e-06,
    -5.00516370581e-06, 3.23041422065e-05, -0.000102266843232, 0.000122295530575, 0.00122826432077,
    -0.0168814860091, -0.803251600848,
])  # fmt: skip
_COSINE = np.array([
    1.45293737288e-08, -6.92897940467e-07, 2.48757957011e-05, -0.000641826540769, 0.0111006128095,
    -0.115564543256, 0.594574363944, -0.883792937305, -0.605699867079,
])  # fmt: skip
_AIRY_FALL = np.array([
    5.31099338405e-08, -1.22673145978e-07, 1.6865208307e-07, -5.2056759678e-07, 1.8112846856e-06,
    -6.20277593325e-06, 2.42274185846e-05, -0.000113921361305, 0.000706601111242, -0.00730672960553,
    0.491839641409,
])  # fmt: skip

#: What 1/ζ is at x = 2, about; the factors were fitted up to there.
_END = 0.530330085889911


def _modified(near: ndarray, far: ndarray, odd: bool, scaled: bool) -> Callable[[ndarray], ndarray]:
    def series(x: ndarray) -> ndarray:
        size = np.abs(x)
        low = np.polyval(near, size * 0.25 - 1)
        if odd:
            low = low * size
        found = np.where(size <= 8, low, np.polyval(far, 16 / size - 1) / np.sqrt(size))
        if not scaled:
            found = found * np.exp(size)
        return np.where(x < 0, -found, found) if odd else found

    return series


i0, i0e, i1, i1e = (
    _modified(near, far, odd, scaled)
    for near, far, odd in ((_I0_NEAR, _I0_FAR, False), (_I1_NEAR, _I1_FAR, True))
    for scaled in (False, True)
)


def _second_kind(
    near: ndarray, slope: ndarray, far: ndarray, first: bool, scaled: bool
) -> Callable[[ndarray], ndarray]:
    def series(x: ndarray) -> ndarray:
        square = x * x * 0.5 - 1
        rest = np.log(x * 0.5) * np.polyval(slope, square)
        low = np.polyval(near, square)
        low = low / x + rest * x if first else low - rest
        high = np.polyval(far, 4 / x - 1) / np.sqrt(x)
        fall = np.exp(x)
        found = np.where(x <= 2, low * fall, high) if scaled else np.where(x <= 2, low, high / fall)
        return np.where(np.equal(x, 0), np.inf, found)

    return series


k0, k0e, k1, k1e = (
    _second_kind(near, slope, far, first, scaled)
    for near, slope, far, first in (
        (_K0_SMALL, _I0_SMALL, _K0_LARGE, False), (_K1_SMALL, _I1_SMALL, _K1_LARGE, True)
    )
    for scaled in (False, True)
)


def ai(x: ndarray) -> ndarray:
    """Return Airy's function Ai."""
    size = np.abs(x)
    root = np.sqrt(size)
    angle = size * root * (2 / 3)
    inverse = (2 / _END) / angle - 1
    turn = (angle + np.polyval(_AIRY_PHASE, inverse)) * (0.5 / np.pi)
    turn = turn - np.rint(turn)
    waves = np.polyval(_COSINE, turn * turn * 8 - 1) * np.polyval(_AIRY_SIZE, inverse)
    beyond = np.where(x < 0, waves, np.exp(-angle) * np.polyval(_AIRY_FALL, inverse))
    found = np.where(size <= 2, np.polyval(_AIRY, x * 0.5), beyond / np.sqrt(np.pi * root))
    return np.where(np.isinf(x), np.nan, found)
