"""What is known of how good a metric is: its certificate, and the verification of it."""

from typing import Any, Callable, List, NamedTuple, Optional

from . import _structures as s
from ._library import library


class Check(NamedTuple):
    """One thing that was checked; a number that there is none of is not a number (nan).

    Attributes
    ----------
    name : str
        What was checked: 'objective value', 'bound', ...
    result : {'passed', 'failed', 'not checked'}
    stated, recomputed : float
        What the model says, and what was found.
    tolerance : float
        By how much they may differ, or the one exceed the other.
    sentence : str
        The same in words; of what was not checked, the reason.
    """

    name: str
    result: str
    stated: float
    recomputed: float
    tolerance: float
    sentence: str

    def __str__(self) -> str:
        return f"{self.name}: {self.result} ({self.sentence})"


class Verification:
    """What `verify` found. It is true only where everything was checked and nothing failed.

    Attributes
    ----------
    verdict : {'verified', 'not fully checked', 'FAILED'}
        'FAILED': do not trust the model. 'not fully checked': nothing failed, but not everything could be checked.
    checks : list of Check
    """

    def __init__(self, verdict: str, checks: List[Check]):
        self.verdict, self.checks = verdict, checks

    def __bool__(self) -> bool:
        return self.verdict == "verified"

    def __str__(self) -> str:
        return "\n".join([*map(str, self.checks), self.verdict])

    def __repr__(self) -> str:
        counts = [(sum(check.result == result for check in self.checks), result)
                  for result in ("passed", "failed", "not checked")]
        return f"<Verification: {self.verdict}; {', '.join(f'{n} {result}' for n, result in counts if n)}>"


def verification_of(found: s.Verification) -> Verification:
    checks = [Check(check.name.decode(), library.gersh_check_result_name(check.result).decode(), check.stated,
                    check.recomputed, check.tolerance, check.sentence.decode("utf-8", "replace"))
              for check in found.check[:found.count]]
    return Verification(library.gersh_verification_verdict_name(found.verdict).decode(), checks)


class Certificate:
    """How near the objective value of a metric is to the best possible, and how that is known.

    Attributes
    ----------
    value : float
        The objective's value at the metric.
    bound : float or None
        No metric that the solver searches has a better value. None where the solver has no bound, as are the gaps.
    gap, relative_gap : float or None
        The distance from the value to the bound, and the same as a share of the value.
    search_gap : float or None
        The part of the gap that a longer search would close; the rest is that of a bound for a larger set of metrics.
    standing : {'certified', 'stated', 'verified', 'not fully checked', 'FAILED'}
        How this is known. 'certified': by the fit that this estimator made; 'stated': by the file or the pickle that it
        came from, unchecked; otherwise by the verdict of the last `verify`.

    str(certificate) is the same as a sentence.
    """

    def __init__(self, info: s.FitInfo, standing: str, sentence: str, verify: Callable[..., Verification]):
        self.value: float = info.objective_value
        known = bool(info.has_bound)
        self.bound: Optional[float] = info.bound if known else None
        self.gap: Optional[float] = info.gap if known else None
        self.relative_gap: Optional[float] = info.relative_gap if known else None
        self.search_gap: Optional[float] = info.search_gap if known else None
        self.standing = standing
        self._sentence, self._verify = sentence, verify

    def verify(self, X: Any = None, y: Any = None) -> Verification:
        """Checks the model from the definitions; the same as the estimator's `verify(X, y)`."""
        return self._verify(X, y)

    def __str__(self) -> str:
        return self._sentence

    def __repr__(self) -> str:
        return f"<Certificate: value {self.value:.6g}, {self._sentence}>"
