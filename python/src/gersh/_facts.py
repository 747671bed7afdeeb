"""What the library says of its objectives and solvers: one source for lists, checks and docstrings."""

from typing import List, NamedTuple, Optional, Tuple

from ._library import library

# gersh_supervision by bits; gersh_bound_set and gersh_graph_signs
SUPERVISION = [library.gersh_supervision_name(1 << bit).decode() for bit in range(5)]
BOUNDS = (None, "diagonal", "hull", "psd")
SIGNS = ("free", "balanced", "positive", "no edges")


class ObjectiveInfo(NamedTuple):
    """What is true of an objective, as `gersh.objectives` lists them."""

    name: str
    help: str
    takes: Tuple[str, ...]  # what it can learn from: "classes", "targets", "pairs", "triplets", "quadruplets"
    automatic: Tuple[str, ...]  # those of them for which objective='auto' is this one,
    second: Tuple[str, ...]  # and for which it is tried where the first one helps little
    maximized: bool  # a larger value is better
    nonnegative: bool
    homogeneous: bool  # the size of the distances does not matter
    smoothed: bool  # it is minimised by way of smooth functions near it
    local: bool  # pairs that are far apart do not matter
    mean: float  # mean squared distance under the multiple of the identity that trace='auto' sets


class SolverInfo(NamedTuple):
    """What is true of a solver, as `gersh.solvers` lists them."""

    name: str
    help: str
    bound: Optional[str]  # which metrics its bound holds for: "diagonal", "hull", "psd", or None
    signs: str  # what its graphs may be: "free", "balanced", "positive" or "no edges"
    dense: bool  # its atoms are dense vectors
    rules: bool  # it keeps rules for pairs of features
    learns: bool  # False: its metric is a multiple of the identity


def _names(bits):
    return tuple(name for i, name in enumerate(SUPERVISION) if bits >> i & 1)


def _listed(function):
    found = []
    while entry := function(len(found)):
        found.append(entry.contents)
    return found


def objectives() -> List[ObjectiveInfo]:
    """The objectives that there are.

    Returns
    -------
    list of gersh.ObjectiveInfo
        For each its name, what it wants, what it can learn from, and what is true of its values.

    Examples
    --------
    >>> import gersh
    >>> [objective.name for objective in gersh.objectives() if "triplets" in objective.takes]
    ['lsml', 'lmnn']
    """
    return [ObjectiveInfo(o.name.decode(), o.help.decode(), _names(o.takes), _names(o.automatic), _names(o.second),
                          bool(o.maximized), bool(o.nonnegative), bool(o.homogeneous), bool(o.smoothed), bool(o.local),
                          o.mean) for o in _listed(library.gersh_objective_at)]


def solvers() -> List[SolverInfo]:
    """The solvers that there are.

    Returns
    -------
    list of gersh.SolverInfo
        For each its name, which metrics it searches, and what is true of these and of its bound.

    Examples
    --------
    >>> import gersh
    >>> [solver.name for solver in gersh.solvers() if solver.bound and not solver.dense]
    ['diagonal', 'balanced', 'hull']
    """
    return [SolverInfo(s.name.decode(), s.help.decode(), BOUNDS[s.bound], SIGNS[s.signs], bool(s.dense), bool(s.rules),
                       bool(s.learns)) for s in _listed(library.gersh_solver_at)]


OBJECTIVES = {objective.name: objective for objective in objectives()}
SOLVERS = {solver.name: solver for solver in solvers()}


def documented(*takes):
    """Fills in the names of the objectives that can learn from one of these, and of all solvers, in a docstring."""
    def fill(kind):
        if kind.__doc__ is None:  # Python runs without docstrings
            return kind
        named = [repr(o.name) for o in OBJECTIVES.values() if set(takes) & set(o.takes)]
        kind.__doc__ = kind.__doc__.replace("<objectives>", ", ".join(named)).replace(
            "<solvers>", ", ".join(map(repr, SOLVERS)))
        return kind
    return fill
