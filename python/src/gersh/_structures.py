"""The structures of libgersh's headers, as ctypes has them; tests/test_library.py compares them with the compiler's."""

import ctypes as c


class Cancel(c.Structure):
    _fields_ = [("requested", c.c_int)]


class SettingInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_int), ("group", c.c_int), ("initial", c.c_char_p),
                ("choices", c.c_char_p), ("low", c.c_double), ("high", c.c_double), ("value", c.c_char_p),
                ("help", c.c_char_p)]


class ObjectiveInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("help", c.c_char_p), ("takes", c.c_uint), ("automatic", c.c_uint),
                ("second", c.c_uint), ("maximized", c.c_int), ("nonnegative", c.c_int), ("homogeneous", c.c_int),
                ("smoothed", c.c_int), ("local", c.c_int), ("mean", c.c_double)]


class SolverInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("help", c.c_char_p), ("bound", c.c_int), ("signs", c.c_int), ("dense", c.c_int),
                ("rules", c.c_int), ("learns", c.c_int)]


class Atom(c.Structure):
    _fields_ = [("i", c.c_size_t), ("j", c.c_size_t), ("a", c.c_double), ("b", c.c_double)]


class Metric(c.Structure):
    _fields_ = [("features", c.c_size_t), ("rho", c.c_double), ("atoms", c.c_size_t),
                ("weight", c.POINTER(c.c_double)), ("atom", c.POINTER(Atom)), ("dense", c.POINTER(c.c_double))]


class Graph(c.Structure):
    _fields_ = [("nodes", c.c_size_t), ("edges", c.c_size_t), ("diagonal", c.POINTER(c.c_double)),
                ("start", c.POINTER(c.c_size_t)), ("neighbor", c.POINTER(c.c_size_t)),
                ("entry", c.POINTER(c.c_double))]


class Balance(c.Structure):
    _fields_ = [("nodes", c.c_size_t), ("components", c.c_size_t), ("component", c.POINTER(c.c_size_t)),
                ("balanced", c.c_int), ("color", c.POINTER(c.c_int)), ("witness_length", c.c_size_t),
                ("witness", c.POINTER(c.c_size_t))]


class Discs(c.Structure):
    _fields_ = [("nodes", c.c_size_t), ("balance", c.POINTER(Balance)), ("scalar", c.POINTER(c.c_double)),
                ("center", c.POINTER(c.c_double)), ("radius", c.POINTER(c.c_double)),
                ("aligned", c.POINTER(c.c_double)), ("lambda", c.POINTER(c.c_double)),
                ("lower", c.POINTER(c.c_double)), ("lambda_min", c.c_double), ("lambda_lower", c.c_double),
                ("smallest", c.c_double), ("below", c.c_double), ("above", c.c_double)]


class Tuples(c.Structure):
    _fields_ = [("kind", c.c_int), ("count", c.c_size_t), ("row", c.POINTER(c.c_size_t)),
                ("similar", c.POINTER(c.c_int))]


class Progress(c.Structure):
    _fields_ = [("stage", c.c_char_p), ("iteration", c.c_int), ("value", c.c_double), ("bound", c.c_double),
                ("gap", c.c_double), ("atoms", c.c_size_t), ("seconds", c.c_double)]


class EdgeRule(c.Structure):
    _fields_ = [("first", c.c_size_t), ("second", c.c_size_t), ("kind", c.c_int)]


PROGRESS = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(Progress))
EVALUATE = c.CFUNCTYPE(c.c_double, c.c_void_p, c.c_size_t, c.POINTER(c.c_size_t), c.POINTER(c.c_size_t),
                       c.POINTER(c.c_double), c.POINTER(c.c_double))
CURVATURE = c.CFUNCTYPE(None, c.c_void_p, c.c_size_t, c.POINTER(c.c_double), c.POINTER(c.c_double),
                        c.POINTER(c.c_double))


class CustomObjective(c.Structure):
    _fields_ = [("context", c.c_void_p), ("evaluate", EVALUATE), ("curvature", CURVATURE)]


class FitOptions(c.Structure):
    _fields_ = [("weights", c.c_void_p), ("rules", c.POINTER(EdgeRule)), ("rule_count", c.c_size_t),
                ("tuples", c.POINTER(Tuples)), ("start", c.POINTER(Metric)), ("custom", c.POINTER(CustomObjective)),
                ("progress", PROGRESS), ("progress_context", c.c_void_p), ("cancel", c.POINTER(Cancel))]


class FitInfo(c.Structure):
    _fields_ = [("objective_value", c.c_double), ("has_bound", c.c_int), ("bound", c.c_double), ("gap", c.c_double),
                ("relative_gap", c.c_double), ("search_gap", c.c_double), ("tol", c.c_double),
                ("iterations", c.c_int), ("newton_steps", c.c_int), ("seconds", c.c_double), ("stop", c.c_int),
                ("budget", c.c_double), ("rho", c.c_double), ("seconds_gradient", c.c_double),
                ("seconds_minimizer", c.c_double), ("seconds_objective", c.c_double), ("seconds_step", c.c_double),
                ("seconds_eigen", c.c_double), ("choice", c.c_int), ("pairs", c.c_double), ("pairs_all", c.c_double),
                ("rows_used", c.c_double), ("rounds", c.c_int), ("value_error", c.c_double), ("memory", c.c_double)]


class Importance(c.Structure):
    _fields_ = [("kind", c.c_int), ("contribution", c.POINTER(c.c_double)), ("separation", c.c_double),
                ("splits", c.c_size_t), ("score", c.c_double), ("permutation", c.POINTER(c.c_double)),
                ("deviation", c.POINTER(c.c_double))]


class TrainingAccuracy(c.Structure):
    _fields_ = [("samples", c.c_size_t), ("accuracy", c.c_double), ("euclidean", c.c_double), ("verdict", c.c_int),
                ("automatic", c.c_int), ("switched", c.c_int), ("other", c.c_char_p), ("other_accuracy", c.c_double)]


class ImportanceOptions(c.Structure):
    _fields_ = [("progress", c.c_void_p), ("progress_context", c.c_void_p), ("cancel", c.POINTER(Cancel))]


class TuneProgress(c.Structure):
    _fields_ = [("round", c.c_int), ("rounds", c.c_int), ("done", c.c_size_t), ("total", c.c_size_t),
                ("accuracy", c.c_double), ("seconds", c.c_double)]


TUNE_PROGRESS = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(TuneProgress))


class TuneOptions(c.Structure):
    _fields_ = [("budget", c.c_double), ("progress", TUNE_PROGRESS), ("progress_context", c.c_void_p),
                ("cancel", c.POINTER(Cancel))]


class TuneRow(c.Structure):
    _fields_ = [("objective", c.c_char_p), ("solver", c.c_char_p), ("scale", c.c_char_p), ("trace", c.c_double),
                ("neighbors", c.c_size_t), ("votes", c.c_char_p), ("score", c.c_double), ("accuracy", c.c_double),
                ("uncertainty", c.c_double), ("round", c.c_int), ("seconds", c.c_double)]


class Tuning(c.Structure):
    _fields_ = [("model", c.c_void_p), ("count", c.c_size_t), ("row", c.POINTER(TuneRow)), ("fits", c.c_size_t),
                ("seconds", c.c_double), ("interrupted", c.c_int), ("settings", c.c_void_p)]


class Check(c.Structure):
    _fields_ = [("name", c.c_char_p), ("result", c.c_int), ("stated", c.c_double), ("recomputed", c.c_double),
                ("tolerance", c.c_double), ("sentence", c.c_char * 200)]


class Verification(c.Structure):
    _fields_ = [("verdict", c.c_int), ("count", c.c_size_t), ("check", Check * 16)]


class ReportOptions(c.Structure):
    _fields_ = [("data", c.c_void_p), ("verification", c.POINTER(Verification)), ("name", c.c_char_p), ("data_name", c.c_char_p), ("splits", c.c_size_t),
                ("threads", c.c_int), ("progress", c.c_void_p), ("progress_context", c.c_void_p),
                ("cancel", c.POINTER(Cancel))]
