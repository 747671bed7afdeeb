"""Metric learning with signed graphs: certified Mahalanobis metrics as scikit-learn estimators."""

from ._certificate import Certificate, Check, Verification
from ._facts import ObjectiveInfo, SolverInfo, objectives, solvers
from ._graph import Discs, Graph, Importance, TrainingAccuracy
from ._library import FileError, library
from ._run import Progress, TuneProgress
from ._supervised import DEML, GLR, LMNN, LSML, MCML, PGML, SGML, MetricLearner
from ._tune import load, tune
from ._tuples import (DEMLPairs, GLRPairs, LMNNQuadruplets, LMNNTriplets, LSMLPairs, LSMLQuadruplets, LSMLTriplets,
                      MCMLPairs, MetricLearnerPairs, MetricLearnerQuadruplets, MetricLearnerTriplets, PGMLPairs,
                      PGMLQuadruplets, PGMLTriplets, SGMLPairs, SGMLQuadruplets, SGMLTriplets)

__version__: str = library.gersh_version().decode()
__all__ = ["Certificate", "Check", "DEML", "DEMLPairs", "Discs", "FileError", "GLR", "GLRPairs", "Graph", "Importance",
           "LMNN", "LMNNQuadruplets", "LMNNTriplets", "LSML", "LSMLPairs", "LSMLQuadruplets", "LSMLTriplets", "MCML", "MCMLPairs", "MetricLearner",
           "MetricLearnerPairs", "MetricLearnerQuadruplets", "MetricLearnerTriplets", "ObjectiveInfo", "PGML", "PGMLPairs",
           "PGMLQuadruplets", "PGMLTriplets", "Progress", "SGML", "SGMLPairs", "SGMLQuadruplets", "SGMLTriplets", "SolverInfo",
           "TrainingAccuracy", "TuneProgress", "Verification", "load", "objectives", "solvers", "tune"]
