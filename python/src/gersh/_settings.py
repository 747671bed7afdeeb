"""Parameters of the estimators as settings of the library, and the library's table of settings."""

import ctypes as c
import numbers
from typing import NamedTuple, Optional

from sklearn.utils import check_random_state

from ._library import library

# Parameters that are named as scikit-learn does, not as the library's table.
RENAMED = {"seed": "random_state", "threads": "n_jobs"}
LARGEST_SEED = 2**31 - 1  # of those that are drawn from a RandomState
KINDS = ("text", "choice", "flag", "whole", "number")  # gersh_setting_kind
GROUPS = ("read", "scale", "graph", "fit", "use", "run")  # gersh_setting_group


class Setting(NamedTuple):
    """A line of the library's table."""

    name: str
    parameter: str
    kind: str
    group: str
    initial: str
    choices: tuple
    low: float
    high: float
    help: str


def _read_table():
    table = {}
    for i in range(library.gersh_settings_count()):
        info = library.gersh_settings_info(i).contents
        name = info.name.decode()
        choices = tuple(info.choices.decode().split("|")) if info.choices else ()
        table[name] = Setting(name, RENAMED.get(name, name.replace("-", "_")), KINDS[info.kind], GROUPS[info.group],
                              info.initial.decode(), choices, info.low, info.high, info.help.decode())
    return table


def _parsed(setting, text):
    """A value of the library as Python has it."""
    if setting.kind == "flag":
        return text == "yes"
    if setting.kind == "whole":
        return int(text)
    return float(text) if setting.kind == "number" and text not in setting.choices else text


TABLE = _read_table()
DEFAULTS = {name: _parsed(setting, setting.initial) for name, setting in TABLE.items()}


def _expected(setting):
    """What a value must be, in scikit-learn's words."""
    words = "{" + ", ".join(repr(word) for word in sorted(setting.choices)) + "}"
    if setting.kind == "choice":
        return f"a str among {words}"
    if setting.kind == "flag":
        return "an instance of 'bool'"
    high = "inf)" if setting.high > 1e300 else f"{setting.high:g}]"
    kind = "an int" if setting.kind == "whole" else "a float"
    text = f"{kind} in the range [{setting.low:g}, {high}"
    return text + (f" or a str among {words}" if setting.choices else "")


def _text(value):
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return None


def check_seed(random_state) -> Optional[int]:
    """The seed that a `random_state` stands for; None is the library's own, which is always the same."""
    if random_state is None:
        return None
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(LARGEST_SEED))


def check_threads(n_jobs) -> Optional[int]:
    """The setting `threads`: None and -1 are one thread for each core."""
    if n_jobs is None or n_jobs == -1:
        return None
    if not isinstance(n_jobs, numbers.Integral) or n_jobs < 1:
        raise ValueError(f"n_jobs must be a positive int, -1 or None. Got {n_jobs!r} instead.")
    return int(n_jobs)


class Settings:
    """A context with a settings object of the library that has the given values by their names; None is its default.

    Values that are the default are left out, which saves time, unless they are to count as given explicitly.
    """

    def __init__(self, owner, values, *, explicit=False):
        self._pointer = c.c_void_p()
        library.gersh_settings_new(c.byref(self._pointer))
        try:
            for name, value in values.items():
                default = DEFAULTS[name]
                same = value is default or value == default and type(value) is type(default)
                if value is not None and (explicit or not same):
                    self._set(owner, name, value)
        except BaseException:
            self.__exit__()
            raise

    def _set(self, owner, name, value):
        text = _text(value)
        try:
            if text is None or isinstance(value, bool) != (TABLE[name].kind == "flag"):
                raise ValueError
            library.gersh_settings_set(self._pointer, name.encode(), text.encode())
        except ValueError:
            parameter = TABLE[name].parameter
            raise ValueError(f"The {parameter!r} parameter of {owner} must be {_expected(TABLE[name])}. "
                             f"Got {value!r} instead.") from None

    def __enter__(self):
        return self._pointer

    def __exit__(self, *failure):
        library.gersh_settings_free(self._pointer)


def read_settings(pointer):
    """The values of a settings object of the library, by the names of its table, as Python has them."""
    return {name: _parsed(setting, library.gersh_settings_get(pointer, name.encode()).decode())
            for name, setting in TABLE.items()}
