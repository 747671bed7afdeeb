"""libgersh: the shared library, the prototypes of what is called, and its failures as exceptions.

ctypes releases the interpreter's lock during each call, so that fits run beside each other in threads.
"""

import ctypes as c
import os
import re
from pathlib import Path

from . import _structures as s


class FileError(OSError, ValueError):
    """A file that cannot be opened, read or written."""


ARGUMENT, INPUT, IO, UNBALANCED, MEMORY, NUMERIC, CANCELLED, DISK = range(1, 9)  # gersh_status


def _raise(status, function, arguments):
    """What every function that returns a gersh_status goes through."""
    if status == 0:
        return
    # The sentences name options of the command line, which are parameters here.
    text = library.gersh_last_error().decode("utf-8", "replace")
    text = re.sub(r"--([a-z-]+) ([a-z0-9]+)\b", lambda m: f"{m[1].replace('-', '_')}={m[2]!r}", text)
    if status == MEMORY:
        raise MemoryError(text)
    if status in (IO, DISK):
        raise FileError(text)
    if status == CANCELLED:
        raise KeyboardInterrupt(text)
    raise ValueError(text)


_P, _PP, _SIZE, _TEXT = c.c_void_p, c.POINTER(c.c_void_p), c.c_size_t, c.c_char_p

# Functions that can fail, by their arguments.
_FAILING = {
    "gersh_settings_new": [_PP],
    "gersh_settings_set": [_P, _TEXT, _TEXT],
    "gersh_dataset_copy": [_PP, _P],
    "gersh_dataset_densify": [_P],
    "gersh_scaling_apply": [_P, _P],
    "gersh_dataset_new": [_PP, _SIZE, _SIZE, _P, _SIZE, _P, _P, _P],
    "gersh_model_fit": [_PP, c.POINTER(s.FitInfo), _P, _P, c.POINTER(s.FitOptions)],
    "gersh_model_write": [_P, _TEXT, c.c_int],
    "gersh_model_read": [_PP, _TEXT],
    "gersh_model_pack": [c.POINTER(c.c_void_p), c.POINTER(_SIZE), _P, c.c_int],
    "gersh_model_unpack": [_PP, _TEXT, _SIZE],
    "gersh_dataset_set_weights": [_P, _P],
    "gersh_model_verify": [c.POINTER(s.Verification), _P, _P],
    "gersh_model_report": [_P, _TEXT, c.POINTER(s.ReportOptions)],
    "gersh_importance_permute": [_P, _P, c.POINTER(s.ImportanceOptions)],
    "gersh_importance_choose": [_P, c.c_int],
    "gersh_tuples_new": [c.POINTER(c.POINTER(s.Tuples)), c.c_int, _SIZE, _P, _P, _SIZE],
    "gersh_model_correlations": [_P, _P, c.POINTER(s.Graph)],
    "gersh_metric_graph": [c.POINTER(c.POINTER(s.Graph)), c.POINTER(s.Metric)],
    "gersh_discs_align": [c.POINTER(c.POINTER(s.Discs)), c.POINTER(s.Graph), _P],
    "gersh_transform_new": [_PP, c.POINTER(s.Metric), _SIZE, c.c_int, _P],
    "gersh_transform_apply": [_P, _P, _SIZE, _P, _SIZE],
    "gersh_tune": [c.POINTER(c.POINTER(s.Tuning)), _P, _P, c.POINTER(s.TuneOptions)],
}

# The others: what they return, and their arguments.
_OTHER = {
    "gersh_last_error": (_TEXT, []),
    "gersh_version": (_TEXT, []),
    "gersh_cpu_level": (_TEXT, []),
    "gersh_stop_name": (_TEXT, [c.c_int]),
    "gersh_edge_kind_name": (_TEXT, [c.c_int]),
    "gersh_cancel_request": (None, [c.POINTER(s.Cancel)]),
    "gersh_settings_free": (None, [_P]),
    "gersh_settings_get": (_TEXT, [_P, _TEXT]),
    "gersh_settings_count": (c.c_int, []),
    "gersh_settings_info": (c.POINTER(s.SettingInfo), [c.c_int]),
    "gersh_supervision_name": (_TEXT, [c.c_int]),
    "gersh_objective_at": (c.POINTER(s.ObjectiveInfo), [c.c_int]),
    "gersh_solver_at": (c.POINTER(s.SolverInfo), [c.c_int]),
    "gersh_dataset_free": (None, [_P]),
    "gersh_dataset_classes": (_SIZE, [_P]),
    "gersh_dataset_rows": (_SIZE, [_P]),
    "gersh_dataset_values": (c.POINTER(c.c_double), [_P]),
    "gersh_dataset_labels": (c.POINTER(c.c_int), [_P]),
    "gersh_dataset_targets": (c.POINTER(c.c_double), [_P]),
    "gersh_dataset_weights": (c.POINTER(c.c_double), [_P]),
    "gersh_model_free": (None, [_P]),
    "gersh_model_metric": (c.POINTER(s.Metric), [_P]),
    "gersh_model_scaling": (_P, [_P]),
    "gersh_scaling_width": (_SIZE, [_P]),
    "gersh_scaling_vector": (c.POINTER(c.c_double), [_P, _TEXT]),
    "gersh_model_info": (c.POINTER(s.FitInfo), [_P]),
    "gersh_model_standing": (_TEXT, [_P, c.POINTER(s.Verification)]),
    "gersh_model_certainty": (_TEXT, [_P, _SIZE, _P, c.POINTER(s.Verification)]),
    "gersh_check_result_name": (_TEXT, [c.c_int]),
    "gersh_verification_verdict_name": (_TEXT, [c.c_int]),
    "gersh_model_training_accuracy": (c.POINTER(s.TrainingAccuracy), [_P]),
    "gersh_model_settings": (_P, [_P]),
    "gersh_model_objective": (c.POINTER(s.ObjectiveInfo), [_P]),
    "gersh_model_task": (_TEXT, [_P]),
    "gersh_model_is_custom": (c.c_int, [_P]),
    "gersh_model_features": (_SIZE, [_P]),
    "gersh_model_feature_name": (_TEXT, [_P, _SIZE]),
    "gersh_model_classes": (_SIZE, [_P]),
    "gersh_model_class_name": (_TEXT, [_P, _SIZE]),
    "gersh_model_data": (_P, [_P]),
    "gersh_model_tuples": (c.POINTER(s.Tuples), [_P]),
    "gersh_model_rules": (c.POINTER(s.EdgeRule), [_P, c.POINTER(_SIZE)]),
    "gersh_model_colors": (c.POINTER(c.c_int), [_P]),
    "gersh_model_importance": (c.POINTER(s.Importance), [_P]),
    "gersh_importance_is_blind": (c.c_int, [c.POINTER(s.Importance)]),
    "gersh_importance_rank": (c.c_int, [_P, _P]),
    "gersh_importance_kind_name": (_TEXT, [c.c_int]),
    "gersh_tuples_free": (None, [c.POINTER(s.Tuples)]),
    "gersh_metric_matrix": (None, [c.POINTER(s.Metric), _P]),
    "gersh_graph_free": (None, [c.POINTER(s.Graph)]),
    "gersh_discs_free": (None, [c.POINTER(s.Discs)]),
    "gersh_transform_free": (None, [_P]),
    "gersh_transform_columns": (_SIZE, [_P]),
    "gersh_tuning_free": (None, [c.POINTER(s.Tuning)]),
}


def _load():
    path = os.environ.get("GERSH_LIBRARY") or str(Path(__file__).with_name("libgersh.so"))
    try:
        found = c.CDLL(path)
    except OSError as error:
        raise ImportError(f"libgersh cannot be loaded: {error}; install the package with `pip install ./python` or "
                          "`make python` from gersh's sources") from error
    for name, arguments in _FAILING.items():
        function = getattr(found, name)
        function.restype, function.argtypes, function.errcheck = c.c_int, arguments, _raise
    for name, (result, arguments) in _OTHER.items():
        function = getattr(found, name)
        function.restype, function.argtypes = result, arguments
    return found


def _keep_freed_memory():
    """Has the C library keep memory that a fit frees for the next one, instead of giving it back to the system each time.

    glibc does so for blocks of up to the size of the largest that was freed. This frees one of 31 MB, which was never
    touched: what happens in any program that frees a large array. Fits of some milliseconds take a twentieth less.
    """
    process = c.CDLL(None)
    process.malloc.restype, process.malloc.argtypes = c.c_void_p, [c.c_size_t]
    process.free.restype, process.free.argtypes = None, [c.c_void_p]
    process.free(process.malloc(31 << 20))


library = _load()
_keep_freed_memory()
