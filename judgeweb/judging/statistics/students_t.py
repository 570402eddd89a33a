"""Student's t: probabilities and quantiles, to at least 10 digits.

Source: Abramowitz and Stegun 26.7.1 (p from the incomplete beta function), 26.5.8 (its continued
fraction, evaluated by Lentz's method), 26.7.5 (first guess of a quantile, refined by Newton).
Written out because the first page that shows an interval must not wait seconds for scipy.
    two-sided p = I_x(df/2, 1/2) with x = df / (df + t^2)
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p, pi, sqrt, tan
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

TINY = 1e-300
DIGITS = 1e-15
# From here on lgamma differences lose digits and the asymptotic series has them all.
LARGE = 500.0


def two_sided_p(t: float, df: float) -> float:
    """The probability of |T| >= |t|. t = 0 gives 1, an infinite t gives 0. Raise ValueError
    unless df > 0."""
    if df <= 0:
        raise ValueError(f"{df} degrees of freedom")
    square = t * t
    if square == 0:
        return 1.0
    if square == float("inf"):
        return 0.0
    # x is near 1 for small t: both logarithms are taken without that cancellation.
    log_x, log_rest = -log1p(square / df), -log1p(df / square)
    front = exp(df / 2 * log_x + log_rest / 2 - log_beta_half(df / 2))
    x = df / (df + square)
    if x < (df / 2 + 1) / (df / 2 + 2.5):
        return front * beta_fraction(df / 2, 0.5, x) / (df / 2)
    return 1 - front * beta_fraction(0.5, df / 2, square / (df + square)) / 0.5


def two_sided_p_many(t: NDArray[Any], df: NDArray[Any]) -> NDArray[Any]:
    """`two_sided_p` of each pair at once: a board of 200 makes 19,900 tests."""
    import numpy as np

    square, half = np.square(t, dtype=float), np.asarray(df, dtype=float) / 2
    p = np.where(square == 0, 1.0, 0.0)
    at = np.flatnonzero((square > 0) & np.isfinite(square))
    square, half = square[at], half[at]
    log_x, log_rest = -np.log1p(square / (2 * half)), -np.log1p(2 * half / square)
    known, where = np.unique(half, return_inverse=True)
    log_beta = np.array([log_beta_half(float(value)) for value in known])[where]
    front = np.exp(half * log_x + log_rest / 2 - log_beta)
    x = 2 * half / (2 * half + square)
    is_tail = x < (half + 1) / (half + 2.5)
    a, b = np.where(is_tail, half, 0.5), np.where(is_tail, 0.5, half)
    share = front * beta_fraction_many(a, b, np.where(is_tail, x, 1 - x)) / a
    p[at] = np.where(is_tail, share, 1 - share)
    return p


@lru_cache(maxsize=1024)
def t_quantile(level: float, df: float) -> float:
    """The t with a share `level` of the distribution between -t and t: 0 <= level < 1, df > 0."""
    if not 0 <= level < 1:
        raise ValueError(f"{level} is no share below 1")
    if df == 1:
        return tan(pi * level / 2)
    t = first_guess(level, df)
    for _ in range(100):
        step = (two_sided_p(t, df) - (1 - level)) / (2 * density(t, df))
        # The tail is convex: Newton's steps come from one side and may be trusted up to a doubling.
        t += max(-t / 2, min(step, t + 1))
        if abs(step) <= 1e-14 * max(1.0, t):
            break
    return t


def first_guess(level: float, df: float) -> float:
    z = NormalDist().inv_cdf((1 + level) / 2)
    return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)


def density(t: float, df: float) -> float:
    return exp(-(df + 1) / 2 * log1p(t * t / df) - log_beta_half(df / 2)) / sqrt(df)


def log_beta_half(a: float) -> float:
    """log B(a, 1/2)."""
    if a < LARGE:
        return lgamma(a) + lgamma(0.5) - lgamma(a + 0.5)
    return log(pi) / 2 - (log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3))


def beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b) without the factor in front of it."""
    c, d = 1.0, 1 / kept_away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / kept_away(1 + term * d)
            c = kept_away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < DIGITS:
            break
    return value


def beta_fraction_many(a: NDArray[Any], b: NDArray[Any], x: NDArray[Any]) -> NDArray[Any]:
    """`beta_fraction` of each triple; a step with nothing left to add leaves a value as it is."""
    import numpy as np

    def kept(values: NDArray[Any]) -> NDArray[Any]:
        return np.where(np.abs(values) > TINY, values, TINY)

    c, d = np.ones_like(x), 1 / kept(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / kept(1 + term * d)
            c = kept(1 + term / c)
            value = value * c * d
        if (np.abs(c * d - 1) < DIGITS).all():
            break
    return value


def kept_away(value: float) -> float:
    """Never zero: it is divided by."""
    return value if abs(value) > TINY else TINY
