"""The Celery app. Tasks live in `verdicts_app.tasks` and are thin."""

import os
import warnings
from pathlib import Path
from typing import Any

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "judgeweb.settings")


def _filesystem_broker(folder: Path) -> dict[str, Any]:
    """Options of the embedded broker: one folder, in and out the same, so one machine only."""
    messages, control = folder / "messages", folder / "control"
    for path in (messages, control):
        path.mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(messages),
        "data_folder_out": str(messages),
        "control_folder": str(control),
        "store_processed": False,
    }


# In a container everybody is root; who runs it so elsewhere has decided that.
warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")

app = Celery("judgeweb")
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    broker_transport_options=_filesystem_broker(settings.DATA_DIR / "broker")
    if settings.CELERY_BROKER_URL.startswith("filesystem")
    else {"visibility_timeout": 3600},
    broker_connection_retry_on_startup=True,
    task_ignore_result=True,
    task_acks_late=True,
    task_default_queue="judging",
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    timezone=settings.TIME_ZONE,
    beat_schedule_filename=str(settings.DATA_DIR / "beat-schedule"),
    beat_schedule={
        "sweep": {"task": "verdicts_app.tasks.sweep", "schedule": settings.JUDGE_SWEEP_S},
    },
    imports=["verdicts_app.tasks"],
)
