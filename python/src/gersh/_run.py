"""One running computation of the library: progress, callbacks, Ctrl-C, and objectives that are Python functions.

For as long as a computation runs in the main thread, SIGINT asks it to stop instead of raising, as an exception could not
pass through the library. Python calls its handlers only once the library has returned; but it writes the number of each
signal to a file descriptor at once, where a thread waits for it that tells the library. A second Ctrl-C, in the same
computation or within a second, raises KeyboardInterrupt after it, which is the way out of many fits in a row.
"""

import contextlib
import ctypes as c
import os
import signal
import socket
import sys
import threading
import time
from typing import NamedTuple

import numpy as np

from . import _structures as s
from ._library import library

# signal.signal without the search for a name of the handler that it returns, which takes longer than all the rest.
_set_handler = getattr(signal, "_signal", signal).signal
AGAIN = 1.0  # seconds within which a second Ctrl-C, in the next computation, means to leave
_last_interrupt = float("-inf")


class Progress(NamedTuple):
    """Where a running fit is: what a `callback` gets after each iteration."""

    stage: str
    iteration: int
    value: float
    bound: float
    gap: float
    atoms: int
    seconds: float


class TuneProgress(NamedTuple):
    """Where a running search of `tune` is: what its `callback` gets after each fit."""

    round: int
    rounds: int
    done: int
    total: int
    accuracy: float
    seconds: float


class Watch:
    """The thread that reads the numbers of signals, of which there is one in each process."""

    _only = None

    def __init__(self):
        self.process = os.getpid()
        self.run = None  # the computation that SIGINT is to end
        self._in, self._out = socket.socketpair()
        self._out.setblocking(False)
        self._caught_up = threading.Event()
        threading.Thread(target=self._read, name="gersh signals", daemon=True).start()

    @classmethod
    def here(cls):
        if cls._only is None or cls._only.process != os.getpid():  # threads do not live on in a forked process
            cls._only = cls()
        return cls._only

    def _read(self):
        while True:
            numbers = self._in.recv(256)
            run = self.run
            if run is not None and run.listens and signal.SIGINT in numbers:
                run.stop()
            if run is not None and run.outer_descriptor != -1:
                with contextlib.suppress(OSError):  # its reader may be gone
                    os.write(run.outer_descriptor, numbers.replace(b"\0", b""))
            if 0 in numbers:
                self._caught_up.set()

    def begin(self, run):
        """From here on SIGINT stops the run; returns what was in force before."""
        before, self.run = self.run, run
        return before, signal.set_wakeup_fd(self._out.fileno(), warn_on_full_buffer=False)

    def end(self, before, descriptor, interrupted):
        signal.set_wakeup_fd(descriptor)
        if interrupted:  # what is still to be read is not meant for the next run
            self._caught_up.clear()
            self._out.send(b"\0")
            self._caught_up.wait()
        self.run = before


class Bar:
    """A line on stderr that follows a fit: the bar fills as the gap shrinks to a millionth of the value."""

    WIDTH = 20

    def __init__(self):
        self.last = float("-inf")

    def __call__(self, now):
        if now.seconds - self.last < 0.1:
            return
        self.last = now.seconds
        self.draw(now)

    def draw(self, now):
        if isinstance(now, TuneProgress):
            done = now.done / max(now.total, 1)
            words = (f"round {now.round} of {now.rounds}, fit {now.done} of {now.total}: accuracy "
                     f"{100 * now.accuracy:.2f} %, {now.seconds:.1f} s")
        else:
            share = abs(now.gap) / max(abs(now.value), 1e-300)
            known = np.isfinite(share)
            done = min(1.0, -np.log10(max(share, 1e-6)) / 6) if known and share < 1 else 0.0
            words = (f"{now.stage} {now.iteration}: value {now.value:.6g}, "
                     + (f"gap {100 * share:.3g} %, " if known else "") + f"{now.atoms} atoms, {now.seconds:.1f} s")
        bar = "#" * int(done * self.WIDTH)
        sys.stderr.write(f"\r[{bar:.<{self.WIDTH}}] {words}\033[K")
        sys.stderr.flush()

    def end(self):
        if self.last > float("-inf"):
            sys.stderr.write("\n")


class Run:
    """A context in which the library computes.

    `cancel` goes to the library, as does what `report` makes of the user's callback. Afterwards `interrupted` says
    whether Ctrl-C ended it, and `stopped` whether the callback did.
    """

    def __init__(self, callback=None, verbose=0):
        if callback is not None and not callable(callback):
            raise ValueError(f"callback must be callable or None. Got {callback!r} instead.")
        self.cancel = s.Cancel()
        self.interrupted = self.stopped = self.leave = False
        self._callback = callback
        self._bar = Bar() if verbose else None
        self._error = None
        self._previous = self._before = None
        self.outer_descriptor = -1  # where signals were announced before
        self._in_main = threading.current_thread() is threading.main_thread()

    def stop(self):
        library.gersh_cancel_request(c.byref(self.cancel))

    def guard(self, function, otherwise=None):
        """function, called by the library: what it raises ends the computation and is raised after it."""

        def guarded(*arguments):
            if self._error is not None:
                return otherwise
            try:
                return function(*arguments)
            except BaseException as error:  # also SystemExit: nothing may pass through the library
                self._error = error
                self.stop()
                return otherwise

        return guarded

    def _tell(self, now):
        if self._bar is not None:
            self._bar(now)
        if self._callback is not None and self._callback(now):
            self.stopped = True
            self.stop()

    def report(self):
        """The library's progress function for a fit; a null one where nobody listens."""
        if self._callback is None and self._bar is None:
            return s.PROGRESS()
        return s.PROGRESS(self.guard(lambda context, now: self._tell(Progress(
            now.contents.stage.decode(), *(getattr(now.contents, name) for name in Progress._fields[1:])))))

    def report_tuning(self):
        if self._callback is None and self._bar is None:
            return s.TUNE_PROGRESS()
        return s.TUNE_PROGRESS(self.guard(lambda context, now: self._tell(TuneProgress(
            *(getattr(now.contents, name) for name in TuneProgress._fields)))))

    def _on_signal(self, number, frame):
        global _last_interrupt
        if not self.listens:
            return
        if self._previous is signal.default_int_handler:
            now = time.monotonic()
            self.leave = self.interrupted or now - _last_interrupt < AGAIN
            _last_interrupt = now
        else:
            self.guard(self._previous)(number, frame)
        self.interrupted = True
        self.stop()

    @property
    def listens(self):
        """Whether SIGINT has a handler in Python, rather than being ignored."""
        return callable(self._previous)

    def __enter__(self):
        if self._in_main:
            self._previous = _set_handler(signal.SIGINT, self._on_signal)
            self._before, self.outer_descriptor = Watch.here().begin(self)
        return self

    def __exit__(self, kind, error, trace):
        if self._in_main:
            _set_handler(signal.SIGINT, self._previous)
            Watch.here().end(self._before, self.outer_descriptor, self.interrupted)
        if self._bar is not None:
            self._bar.end()
        if self._error is not None:
            raise self._error
        if self.leave:
            raise KeyboardInterrupt


def run_in_thread(function, *arguments):
    """Calls function in a thread of its own while this one waits, so that signals are handled at once."""
    failure = []

    def call():
        try:
            function(*arguments)
        except BaseException as error:  # raised in the caller's thread
            failure.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    while thread.is_alive():
        thread.join(0.05)
    if failure:
        raise failure[0]


def custom_objective(run, function, y):
    """The library's objective from function(distance, first, second, y), which returns value and gradient."""
    pairs = []  # the rows of each pair, made once

    def evaluate(context, count, first, second, distance, gradient):
        if not pairs:
            pairs.extend(np.ctypeslib.as_array(rows, shape=(count,)).astype(np.intp) for rows in (first, second))
        if gradient:
            out = np.ctypeslib.as_array(gradient, shape=(count,))
            out[:] = 0
        found = function(np.ctypeslib.as_array(distance, shape=(count,)).copy(), *pairs, y)
        try:
            value, slope = found
        except TypeError:
            raise TypeError(f"A custom objective must return its value and its gradient. Got {found!r} instead."
                            ) from None
        slope = np.asarray(slope, dtype=np.float64)
        if slope.shape != (count,):
            raise ValueError(f"The gradient of a custom objective must have the shape ({count},), one number for each "
                             f"distance. Got {slope.shape} instead.")
        if not (np.isfinite(value) and np.isfinite(slope).all()):
            raise ValueError("A custom objective must return finite numbers.")
        if gradient:
            out[:] = slope
        return float(value)

    return s.CustomObjective(None, s.EVALUATE(run.guard(evaluate, 0.0)), s.CURVATURE())
