"""Student's t and the binomial distribution: all the probabilities that Groma asks of a library of statistics.

Student's t follows from the incomplete beta function I_x(a, b) = P(X <= x) of X ~ Beta(a, b). It is computed

* as a logarithm: the smallest tails keep their relative precision;
* from logit = log(x / (1 - x)): x near 0 and x near 1 have the same precision;
* for x up to the mean of X, by the continued fraction of Didonato and Morris (Significant digit computation of the
  incomplete beta function ratios, 1992); beyond the mean as I_x(a, b) = 1 - I_(1-x)(b, a).

tests/unit/test_distributions.py holds the errors below 1e-11 of a tail, up to shapes of 10^6 and down to 1e-290.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_ROUNDING = 2 * float(np.finfo(np.float64).eps)
# Coefficients of Stirling's series in 1 / z, 1 / z^3, ...; from z = 10 on they are exact to the last digit.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_STIRLING_FROM = 10
_log_gamma = np.frompyfunc(math.lgamma, 1, 1)
# Up to this |u| a series gives log(1 + u) - u to the last digit; beyond it nothing cancels.
_NEAR = 0.2
_NEAR_TERMS = 8
# Terms of the fraction beyond the root of the larger shape. It takes a third of that: tested up to shapes of 10^7.
_TERMS = 200
# A step of Newton's method from here squares the error of the share: then it is exact to the last digit.
_CLOSE = 1e-8
_STEPS = 50  # it takes at most 15


def student_tail(freedom: ArrayLike, value: ArrayLike) -> Floats:
    """Return P(T > value) of Student's t, for arrays that broadcast.

    freedom  degrees of freedom, at least 1; ValueError below
    value    any number; infinities have the tails 0 and 1, NaN has NaN
    """
    degrees, values = np.broadcast_arrays(np.asarray(freedom, np.float64), np.asarray(value, np.float64))
    if (degrees < 1).any():
        raise ValueError("Student's t needs at least one degree of freedom")
    with np.errstate(divide="ignore", invalid="ignore"):  # the logarithm of 0; NaN beside infinity
        logit = np.log(degrees) - 2 * np.log(np.abs(values))
        beyond = np.exp(log_incomplete_beta(degrees / 2, 0.5, logit)[0]) / 2
    tail: Floats = np.where(values < 0, 1 - beyond, beyond)
    return tail


@lru_cache(maxsize=256)
def student_quantile(freedom: float, share: float) -> float:
    """Return the value below which Student's t lies with the probability `share`.

    freedom  degrees of freedom, at least 1
    share    between 0 and 1, both excluded; a small upper tail keeps its precision as -student_quantile(freedom, tail)

    Raises ValueError beyond these.
    """
    if not (freedom >= 1 and 0 < share < 1):
        raise ValueError(f"Student's t has no quantile {share} with {freedom} degrees of freedom")
    beyond = 2 * min(share, 1 - share)  # P(|T| > t)
    if beyond == 1:
        return 0.0
    if beyond > 0.5:
        half_log = _logit(0.5, freedom / 2, math.log1p(-beyond)) / 2
    else:
        half_log = -_logit(freedom / 2, 0.5, math.log(beyond)) / 2
    with np.errstate(over="ignore"):
        return math.copysign(float(np.exp(half_log + math.log(freedom) / 2)), share - 0.5)


def binomial_at_most(count: int, share: float) -> Floats:
    """Return P(Bin(count, share) <= k) for k = 0, 1, ..., count.

    The ratios of neighbouring probabilities are multiplied outwards from the most probable k, and the sum of all is
    made 1. So small probabilities at the low end keep their relative precision; those at the high end have it with
    1 - share: P(Bin(count, share) >= k) = P(Bin(count, 1 - share) <= count - k).

    Raises ValueError for a share that is not between 0 and 1, both excluded, and for a negative count.
    """
    if not (count >= 0 and 0 < share < 1):
        raise ValueError(f"no binomial distribution of {count} draws with the probability {share}")
    k = np.arange(1, count + 1)
    ratios = np.log((count - k + 1) / k * (share / (1 - share)))  # of P(k) to P(k - 1)
    mode = min(count, math.floor((count + 1) * share))
    upwards, downwards = np.cumsum(ratios[mode:]), -np.cumsum(ratios[:mode][::-1])[::-1]
    below = np.cumsum(np.exp(np.concatenate([downwards, [0.0], upwards])))
    shares: Floats = below / below[-1]
    return shares


def log_incomplete_beta(a: ArrayLike, b: ArrayLike, logit: ArrayLike) -> tuple[Floats, Floats]:
    """Return log I_x(a, b) and the logarithm of its derivative by the logit of x, x^a (1 - x)^b / B(a, b).

    All broadcast. The shapes are at least 1/2: with smaller ones most of X lies beyond its mean.
    """
    a, b, logit = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (a, b, logit)))
    shapes = np.stack([a, b])
    log_mean, log_share = np.log(shapes / (a + b)), -np.logaddexp(0, np.stack([-logit, logit]))
    x, y = shares = np.exp(log_share)
    above = b * x - a * y  # (a + b) times the distance of x from the mean
    whole, *rests = _stirling_rest(np.stack([a + b, a, b]))
    powers = _log_power(shapes, log_share - log_mean, np.stack([above, -above]))
    log_slope = (np.log(a) + log_mean[1] - math.log(2 * math.pi)) / 2 + whole - sum(rests) + powers.sum(axis=0)
    is_above = above > 0
    near, far = np.where(is_above, shapes[::-1], shapes)
    small, large = np.where(is_above, shares[::-1], shares)
    log_tail = log_slope + np.log(_fraction(near, far, small, large, np.abs(above)))
    return np.where(is_above, np.log1p(-np.exp(np.where(is_above, log_tail, -np.inf))), log_tail), log_slope


def _logit(a: float, b: float, log_share: float) -> float:
    """Return the logit of x with log I_x(a, b) = `log_share`, by Newton's method.

    The density of logit X is log-concave, and so is its integral I: log I lies below each of its tangents. So the first
    step ends left of the solution from wherever it starts, and all others go right without passing it.
    """
    at = math.log(a / b)
    for _ in range(_STEPS):
        log_below, log_slope = (float(each) for each in log_incomplete_beta(a, b, at))
        error = log_share - log_below
        at += error * math.exp(log_below - log_slope)
        if abs(error) < _CLOSE:
            break
    return at


def _log_power(shape: Floats, log_ratio: Floats, above: Floats) -> Floats:
    """Return shape * log_ratio - above, where exp(log_ratio) = 1 + above / shape: near 0 without cancellation."""
    is_near = np.abs(above) < _NEAR * shape
    u = np.where(is_near, above / shape, 0.0)
    r = u / (2 + u)  # log(1 + u) = 2 atanh(r) = 2 (r + r^3 / 3 + r^5 / 5 + ...)
    series = np.zeros_like(r)
    for term in range(_NEAR_TERMS, 0, -1):
        series = series * r**2 + 1 / (2 * term + 1)
    return np.where(is_near, shape * r * (2 * r**2 * series - u), shape * log_ratio - above)


def _stirling_rest(z: Floats) -> Floats:
    """Return log Gamma(z) less Stirling's formula (z - 1/2) log z - z + log(2 pi) / 2, for positive z."""
    series = np.zeros_like(z)
    for coefficient in reversed(_STIRLING):
        series = series / z**2 + coefficient
    low = np.minimum(z, _STIRLING_FROM)
    exact = np.asarray(_log_gamma(low), np.float64) - ((low - 0.5) * np.log(low) - low + math.log(2 * math.pi) / 2)
    return np.where(z < _STIRLING_FROM, exact, series / z)


def _fraction(a: Floats, b: Floats, x: Floats, y: Floats, below: Floats) -> Floats:
    """Return I_x(a, b) B(a, b) / (x^a y^b), y being 1 - x, where x is `below` / (a + b) below the mean.

    By the modified method of Lentz (Thompson and Barnett 1986), until no term changes the last digit.
    """
    above = denominator = a / (a + 1) * (below + 1)
    inverse = np.zeros_like(a)
    for n in range(1, _TERMS + math.isqrt(int(np.max([a, b], initial=0)))):
        of_last = (a + n - 1) * (a + b + n - 1) * n * (b - n) * (x / (a + 2 * n - 1)) ** 2
        own = n + n * (b - n) * x / (a + 2 * n - 1) + (a + n) / (a + 2 * n + 1) * (below + 1 + n * (1 + y))
        inverse = 1 / (own + of_last * inverse)
        above = own + of_last / above
        change = above * inverse
        denominator = denominator * change
        if not (np.abs(change - 1) > _ROUNDING).any():
            break
    return 1 / denominator
