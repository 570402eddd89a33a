"""The queue's side of the work: thin. Messages only wake workers; the rows are the truth, so a
message that is lost, doubled or late changes nothing."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery.signals import (
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)
from django.conf import settings
from kombu.exceptions import OperationalError

from judgeweb.celery import app
from verdicts_app.work import drafting, drafting_loop, judge_config
from verdicts_app.work import drain as draining
from verdicts_app.work import sweep as sweeping

logger = logging.getLogger(__name__)

WAKE_EXPIRES_S = 60
"""A worker that was away longer finds the work by its first sweep."""

SWEPT = "judgeweb_swept"
"""The question to workers how long ago they swept."""

# Made before the worker forks, so that its children see it: they are not told otherwise.
_closing = multiprocessing.Event()
_swept_at = multiprocessing.Value("d", 0.0)


@app.task(expires=WAKE_EXPIRES_S)
def drain() -> None:
    """Any number of these may run at once, on any number of machines."""
    with _told_to_stop_by_signal():
        left = draining.drain(until_s=settings.JUDGE_DRAIN_S, should_stop=_closing.is_set)
    if left and not _closing.is_set():
        wake_workers()


@app.task(expires=settings.JUDGE_SWEEP_S)
def sweep() -> None:
    swept = sweeping.sweep()
    _swept_at.value = time.time()
    if swept.jobs_with_work:
        wake_workers()
    if drafting.sweep_draftings():
        wake_for_draftings()


@app.task(expires=WAKE_EXPIRES_S)
def draft_contracts() -> None:
    drafting_loop.work_off_draftings()


def wake_workers() -> bool:
    """Return False where the broker cannot be reached: the work stays planned, and the sweeper
    of the next worker finds it."""
    return _sent(drain)


def wake_for_draftings() -> bool:
    """As `wake_workers`, for contracts to be drafted."""
    return _sent(draft_contracts)


def _sent(task: Any) -> bool:
    try:
        task.apply_async(retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("no worker was woken, the work is found by the next sweep: %s", error)
        return False
    return True


def seconds_since_sweeps(timeout_s: float) -> list[float | None]:
    """What each worker that answers says of its last sweep; None: none yet. Raises what the
    broker raises."""
    replies = app.control.broadcast(SWEPT, reply=True, timeout=timeout_s) or []
    return [reply["ok"] for worker in replies for reply in worker.values() if "ok" in reply]


@worker_init.connect
def _start(**kwargs: Any) -> None:
    from celery.worker.control import inspect_command  # only workers need it

    _closing.clear()
    inspect_command(name=SWEPT)(_since_sweep)


def _since_sweep(_state: Any) -> dict[str, float | None]:
    return {"ok": time.time() - _swept_at.value if _swept_at.value else None}


@worker_process_init.connect
def _load_sdk(**kwargs: Any) -> None:
    """Before there is work: the first answers after a start would wait for it, half a minute
    where nothing is compiled yet."""
    if judge_config.is_configured():
        threading.Thread(target=judge_config.load_sdk, name="sdk", daemon=True).start()


@worker_ready.connect
def _look_for_work(**kwargs: Any) -> None:
    """What was planned or lost while no worker ran."""
    sweep.apply_async()


@worker_shutting_down.connect
def _stop(**kwargs: Any) -> None:
    _closing.set()


@contextmanager
def _told_to_stop_by_signal() -> Iterator[None]:
    """A signal to the whole process group reaches this child too: it finishes what is in flight
    instead of dying with it."""
    try:
        before = signal.signal(signal.SIGTERM, lambda *_: _closing.set())
    except ValueError:  # not the main thread: the worker's pool is no pool of processes
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
