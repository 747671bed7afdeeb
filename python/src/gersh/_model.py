"""The library's objects with their lifetimes: data sets, tuples, and the fitted model."""

import contextlib
import ctypes as c
import threading
from typing import List, Optional

import numpy as np

from . import _structures as s
from ._certificate import Verification, verification_of
from ._graph import Discs, Graph, Importance, TrainingAccuracy
from ._library import library
from ._settings import read_settings

KINDS = [library.gersh_importance_kind_name(kind).decode() for kind in range(3)]  # gersh_importance_kind
_free = c.CDLL(None).free
_free.restype, _free.argtypes = None, [c.c_void_p]


def texts(words):
    """Pointers to UTF-8 texts; the array owns them."""
    encoded = [word.encode() for word in words]
    for word, code in zip(words, encoded):
        if b"\0" in code:
            raise ValueError(f"The name {word!r} has a NUL character in it.")
    return (c.c_char_p * len(encoded))(*encoded)


def as_rows(x):
    """x with neighbouring doubles in each row, as the library reads it; a copy only where it is laid out otherwise."""
    x = np.asarray(x, dtype=np.float64)
    if x.strides[1] != 8 and x.shape[1] > 1 or x.strides[0] % 8 != 0 or x.strides[0] < 8 * x.shape[1]:
        x = np.ascontiguousarray(x)
    return x


def address(array):
    """Where an array's memory begins; None for None. Ten times faster than array.ctypes.data."""
    return None if array is None else array.__array_interface__["data"][0]


def _array(pointer, *shape):
    """A copy of the library's memory."""
    return np.ctypeslib.as_array(pointer, shape=shape).copy()


class Dataset:
    """A context with a data set of the library: rows x, and the names of their classes, classes[codes], or their targets."""

    def __init__(self, x, codes=None, classes=None, targets=None, feature_names=None):
        x = as_rows(x)
        self._pointer = c.c_void_p()
        names = None if feature_names is None else texts(feature_names)
        labels = None
        if codes is not None:
            words = texts(classes)
            labels = np.frombuffer(words, dtype=np.uintp)[codes]
        elif targets is not None:
            targets = np.ascontiguousarray(targets, dtype=np.float64)
        library.gersh_dataset_new(c.byref(self._pointer), x.shape[0], x.shape[1], address(x), x.strides[0] // 8,
                                  address(labels), address(targets), names)
        if codes is not None and library.gersh_dataset_classes(self._pointer) != len(classes):
            self.__exit__()
            raise ValueError(f"The labels {sorted(classes)} do not name {len(classes)} different classes: labels that "
                             "are the same number are one class.")

    def __enter__(self):
        return self._pointer

    def __exit__(self, *failure):
        library.gersh_dataset_free(self._pointer)


@contextlib.contextmanager
def tuples_of(rows, similar, count):
    """Tuples of the library: (n, 2, 3 or 4) row numbers below count; of pairs also whether they are similar."""
    rows = np.ascontiguousarray(rows, dtype=np.uintp)
    similar = None if similar is None else np.ascontiguousarray(similar, dtype=np.intc)
    out = c.POINTER(s.Tuples)()
    library.gersh_tuples_new(c.byref(out), rows.shape[1] - 2, rows.shape[0], address(rows), address(similar), count)
    try:
        yield out
    finally:
        library.gersh_tuples_free(out)


class Model:
    """A gersh_model. It is freed with the object, and pickled as the bytes of its file."""

    def __init__(self, pointer: c.c_void_p):
        self._pointer = pointer
        self._lock = threading.Lock()
        self._maps = {}  # of each number of columns that was asked for
        self._verification = None  # the last one; a copy from a file or a pickle has none

    def __del__(self, free_map=library.gersh_transform_free, free_model=library.gersh_model_free):
        for pointer in self._maps.values():
            free_map(pointer)
        free_model(self._pointer)

    def __reduce__(self):
        return Model.unpack, (self.pack(),)

    @classmethod
    def read(cls, path: str) -> "Model":
        out = c.c_void_p()
        library.gersh_model_read(c.byref(out), path.encode())
        return cls(out)

    @classmethod
    def unpack(cls, content: bytes) -> "Model":
        out = c.c_void_p()
        library.gersh_model_unpack(c.byref(out), content, len(content))
        return cls(out)

    def pack(self) -> bytes:
        content, size = c.c_void_p(), c.c_size_t()
        library.gersh_model_pack(c.byref(content), c.byref(size), self._pointer, 1)
        try:
            return c.string_at(content, size.value)
        finally:
            _free(content)

    def write(self, path: str, with_data: bool) -> None:
        library.gersh_model_write(self._pointer, path.encode(), with_data)

    def report(self, path: str, options: s.ReportOptions) -> None:
        if self._verification is not None:
            options.verification = c.pointer(self._verification)
        library.gersh_model_report(self._pointer, path.encode(), c.byref(options))

    def verify(self, data, tuples=None) -> Verification:
        """Checks the model on a data set of the library, or with None on its own samples.

        `tuples`, rows and whether they are similar, must be the model's own, on which it is checked.
        """
        found = s.Verification()
        library.gersh_model_verify(c.byref(found), self._pointer, data)
        if tuples is not None and not all(map(np.array_equal, tuples, self.tuples())):
            nan = float("nan")
            found.check[found.count] = s.Check(b"tuples", 0, nan, nan, nan,
                                               b"these are not the tuples that the model was fitted to")
            found.count, found.verdict = found.count + 1, 0
        self._verification = found
        return verification_of(found)

    def give_weights(self, data) -> None:
        """Gives a data set the sample weights of the fit, as far as the model has them for that many samples."""
        own = library.gersh_model_data(self._pointer)
        if own and library.gersh_dataset_rows(own) == library.gersh_dataset_rows(data):
            library.gersh_dataset_set_weights(data, library.gersh_dataset_weights(own))

    def standing(self) -> str:
        return library.gersh_model_standing(self._pointer, self._verification).decode()

    def certainty(self) -> str:
        text = c.create_string_buffer(256)
        library.gersh_model_certainty(text, len(text), self._pointer, self._verification)
        return text.value.decode("utf-8", "replace").replace("'gersh inspect --verify'", "verify()")

    @property
    def metric(self):
        return library.gersh_model_metric(self._pointer)

    @property
    def info(self) -> s.FitInfo:
        return library.gersh_model_info(self._pointer).contents

    def training_accuracy(self) -> Optional[TrainingAccuracy]:
        """The comparison with the Euclidean metric, or None where there is none."""
        found = library.gersh_model_training_accuracy(self._pointer).contents
        if found.samples == 0:
            return None
        other = found.other.decode() if found.other else None
        return TrainingAccuracy(found.samples, found.accuracy, found.euclidean, ("alike", "better", "worse")[found.verdict],
                                bool(found.automatic), bool(found.switched), other, found.other_accuracy if other else None)

    @property
    def objective(self) -> str:
        return library.gersh_model_objective(self._pointer).contents.name.decode()

    @property
    def is_custom(self) -> bool:
        return bool(library.gersh_model_is_custom(self._pointer))

    @property
    def task(self) -> str:
        return library.gersh_model_task(self._pointer).decode()

    def settings(self) -> dict:
        return read_settings(library.gersh_model_settings(self._pointer))

    def feature_names(self) -> Optional[List[str]]:
        """The names, or None where the library numbered the features."""
        count = library.gersh_model_features(self._pointer)
        names = [library.gersh_model_feature_name(self._pointer, j).decode() for j in range(count)]
        return None if names == [f"x{j + 1}" for j in range(count)] else names

    def features(self) -> int:
        return library.gersh_model_features(self._pointer)

    def class_names(self) -> List[str]:
        count = library.gersh_model_classes(self._pointer)
        return [library.gersh_model_class_name(self._pointer, j).decode() for j in range(count)]

    def rules(self) -> list:
        """The rules for pairs of features, as the parameter `edges` takes them; None for none."""
        count = c.c_size_t()
        found = library.gersh_model_rules(self._pointer, c.byref(count))
        return [(found[r].first, found[r].second, library.gersh_edge_kind_name(found[r].kind).decode())
                for r in range(count.value)] or None

    def tuple_size(self) -> int:
        """Rows of each tuple that it was fitted to; 0 for a model of labels."""
        found = library.gersh_model_tuples(self._pointer)
        return found.contents.kind + 2 if found else 0

    def tuples(self):
        """The rows of each tuple, and of pairs whether each is similar, else None."""
        found = library.gersh_model_tuples(self._pointer).contents
        rows = _array(found.row, found.count, self.tuple_size()).astype(int)
        return rows, _array(found.similar, found.count).astype(bool) if found.similar else None

    def data(self):
        """Training rows, codes of their classes in class_names(), targets, weights: copies, None for what is not there.

        The result is None when the model has no training rows.
        """
        kept = library.gersh_model_data(self._pointer)
        if not kept:
            return None
        data = c.c_void_p()
        library.gersh_dataset_copy(c.byref(data), kept)
        try:
            library.gersh_dataset_densify(data)
            n = library.gersh_dataset_rows(data)
            found = [library.gersh_dataset_labels(data), library.gersh_dataset_targets(data),
                     library.gersh_dataset_weights(data)]
            return [_array(library.gersh_dataset_values(data), n, self.features()),
                    *(_array(pointer, n) if pointer else None for pointer in found)]
        finally:
            library.gersh_dataset_free(data)

    def width(self) -> int:
        """The number of the metric's features, which rows are scaled to."""
        return library.gersh_scaling_width(library.gersh_model_scaling(self._pointer))

    def scale(self) -> np.ndarray:
        """What each feature is divided by."""
        return _array(library.gersh_scaling_vector(library.gersh_model_scaling(self._pointer), b"scale"), self.width())

    def scaled(self, x: np.ndarray) -> np.ndarray:
        """Rows of the data as the metric sees them."""
        with Dataset(x) as data:
            library.gersh_scaling_apply(library.gersh_model_scaling(self._pointer), data)
            return _array(library.gersh_dataset_values(data), len(x), self.width())

    def matrix(self) -> np.ndarray:
        count = self.width()
        m = np.empty((count, count))
        library.gersh_metric_matrix(self.metric, address(m))
        return m

    def _map(self, columns):
        pointer = self._maps.get(columns)
        if pointer is None:
            pointer = c.c_void_p()
            library.gersh_transform_new(c.byref(pointer), self.metric, columns, 0, None)
            self._maps[columns] = pointer
        return pointer

    def columns(self, columns: int) -> int:
        """The number of columns of the map; `columns` 0 asks for all of the metric."""
        with self._lock:
            return library.gersh_transform_columns(self._map(columns))

    def transform(self, scaled: np.ndarray, columns: int) -> np.ndarray:
        """Scaled rows in the metric's space. One thread at a time: a map has its own workspace."""
        scaled = as_rows(scaled)
        with self._lock:
            pointer = self._map(columns)
            out = np.empty((scaled.shape[0], library.gersh_transform_columns(pointer)))
            library.gersh_transform_apply(pointer, address(out), scaled.shape[0], address(scaled),
                                          scaled.strides[0] // 8)
        return out

    def colors(self) -> Optional[np.ndarray]:
        found = library.gersh_model_colors(self._pointer)
        return _array(found, self.width()).astype(int) if found else None

    def can_permute(self) -> bool:
        """Whether there are samples with labels or targets, and an objective that is the library's own."""
        return bool(library.gersh_model_data(self._pointer)) and not self.tuple_size() and not self.is_custom and \
            self.task != "none"

    def needs_permutation(self) -> bool:
        """Whether only the permutation importance, which is not there yet, can rank the features."""
        found = library.gersh_model_importance(self._pointer)
        return found.contents.kind == 0 and bool(library.gersh_importance_is_blind(found)) and self.can_permute()

    def permute(self, options: s.ImportanceOptions) -> None:
        """Measures the permutation importance unless it is there; what ranks the features stays."""
        with self._lock:
            found = library.gersh_model_importance(self._pointer).contents
            if not found.permutation:
                kind = found.kind
                library.gersh_importance_permute(self._pointer, None, c.byref(options))
                if kind:
                    library.gersh_importance_choose(self._pointer, kind)

    def importance(self, kind: str) -> Importance:
        """Ranks by that kind, 'auto' for the model's own."""
        value = np.empty(self.width())
        with self._lock:
            before = library.gersh_model_importance(self._pointer).contents.kind
            if kind != "auto":
                library.gersh_importance_choose(self._pointer, KINDS.index(kind))
            chosen = KINDS[library.gersh_importance_rank(address(value), self._pointer)]
            library.gersh_importance_choose(self._pointer, before)
        pointer = library.gersh_model_importance(self._pointer)
        found, n = pointer.contents, self.width()
        known, measured = bool(found.contribution), bool(found.permutation)
        return Importance(
            kind=chosen, value=value / value.sum() if chosen == "weight" else value,
            blind=bool(library.gersh_importance_is_blind(pointer)), separation=found.separation if known else None,
            contribution=_array(found.contribution, n) if known else None,
            permutation=_array(found.permutation, n) if measured else None,
            deviation=_array(found.deviation, n) if measured else None, score=found.score if measured else None)

    @contextlib.contextmanager
    def _graph(self):
        out = c.POINTER(s.Graph)()
        library.gersh_metric_graph(c.byref(out), self.metric)
        try:
            yield out
        finally:
            library.gersh_graph_free(out)

    def graph(self, names: List[str]) -> Graph:
        with self._graph() as pointer:
            graph = pointer.contents
            diagonal = _array(graph.diagonal, graph.nodes)
            if graph.edges == 0:
                none = np.empty(0, dtype=int)
                return Graph(names, none, none, np.empty(0), diagonal, np.empty(0), self.colors())
            start = _array(graph.start, graph.nodes + 1).astype(int)
            second = _array(graph.neighbor, 2 * graph.edges).astype(int)
            entry = _array(graph.entry, 2 * graph.edges)
            correlation = np.empty(2 * graph.edges)
            library.gersh_model_correlations(address(correlation), self._pointer, pointer)
        first = np.repeat(np.arange(len(names)), np.diff(start))
        once = first < second
        return Graph(names, first[once], second[once], -entry[once], diagonal, correlation[once], self.colors())

    def discs(self) -> Optional[Discs]:
        """The discs, or None where the graph is not balanced, so that they cannot be aligned."""
        if not library.gersh_model_colors(self._pointer):
            return None
        out = c.POINTER(s.Discs)()
        with self._graph() as graph:
            library.gersh_discs_align(c.byref(out), graph, None)
        try:
            d, n = out.contents, out.contents.nodes
            balance = d.balance.contents
            return Discs(center=_array(d.center, n), radius=_array(d.radius, n), aligned_radius=_array(d.aligned, n),
                         scalar=_array(d.scalar, n), component=_array(balance.component, n).astype(int),
                         eigenvalue=_array(getattr(d, "lambda"), balance.components), lambda_min=d.lambda_min,
                         lambda_lower=d.lambda_lower)
        finally:
            library.gersh_discs_free(out)
