"""The sums of the captures and of the verdicts on them that are there, and the call types of their
judgements. Frozen: it must not follow later changes of the code."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import migrations
from django.db.models import Exists, OuterRef, Subquery

COLUMNS = {
    ("schema_ok", False): 3,
    ("schema_ok", None): 4,
    ("factually_grounded", False): 5,
    ("factually_grounded", None): 6,
    ("hallucination_free", False): 7,
    ("hallucination_free", None): 8,
}
"""Dimension and what was decided -> the place of its count in NAMES."""
NAMES = (
    *("verdicts", "passed", "undecided", "schema_failed", "schema_undecided", "factual_failed"),
    *("factual_undecided", "hallucination_failed", "hallucination_undecided"),
)
BATCH = 1000


def name_call_types(apps, schema_editor):
    capture, judgement = (apps.get_model("verdicts_app", name) for name in ("Capture", "Judgement"))
    of_capture = capture.objects.filter(pk=OuterRef("capture_id")).values("call_type")
    judgement.objects.filter(capture__isnull=False).update(call_type=Subquery(of_capture))


def add_up_captures(apps, schema_editor):
    capture, capture_sum, verdict = (
        apps.get_model("verdicts_app", name) for name in ("Capture", "CaptureSum", "Verdict")
    )
    zone = ZoneInfo(settings.TIME_ZONE)
    live = verdict.objects.filter(capture=OuterRef("pk"), superseded_at__isnull=True)
    rows = (
        capture.objects.order_by("pk")
        .annotate(is_judged=Exists(live))
        .values_list(
            *("run_id", "call_type", "system_prompt_id", "model", "success", "failure_kind"),
            *("latency_ms", "at", "uploaded_at", "is_judged"),
        )
    )
    sums = {}
    for (
        run,
        call_type,
        prompt,
        model,
        success,
        kind,
        latency,
        at,
        uploaded,
        judged,
    ) in rows.iterator(chunk_size=2000):
        moment = at or uploaded
        is_failure = bool(kind) or success is False
        day = moment.astimezone(zone).date()
        key = (run, call_type, prompt, model, is_failure, kind, day)
        held = sums.setdefault(key, [0, 0, 0, moment, moment, uploaded])
        held[0] += 1
        held[1] += latency is not None
        held[2] += judged
        held[3:] = min(held[3], moment), max(held[4], moment), max(held[5], uploaded)
    key_names = (
        *("run_id", "call_type", "system_prompt_id", "model", "is_failure", "failure_kind", "day"),
    )
    names = ("captures", "timed", "judged", "first_at", "last_at", "last_upload")
    store(capture_sum, key_names, names, sums)


def add_up_verdicts(apps, schema_editor):
    call_sum, check, verdict = (
        apps.get_model("verdicts_app", name) for name in ("CallSum", "VerdictCheck", "Verdict")
    )
    zone = ZoneInfo(settings.TIME_ZONE)
    counted = verdict.objects.filter(
        capture__isnull=False, on_board=True, mode="calls", repeat=1
    ).order_by("pk")
    sums = {}
    last = 0
    while batch := list(
        counted.filter(pk__gt=last).values_list(
            *("pk", "epoch_id", "capture__run_id", "capture__call_type"),
            *("capture__system_prompt_id", "capture__model", "judgement__contract_revision_id"),
            *("answered_at", "passed"),
        )[:BATCH]
    ):
        first, last = batch[0][0], batch[-1][0]
        counts = {row[0]: [1, row[8] is True, row[8] is None, *[0] * 6] for row in batch}
        not_held = check.objects.filter(verdict_id__gte=first, verdict_id__lte=last)
        for pk, key, ok in not_held.exclude(ok=True).values_list("verdict_id", "key", "ok"):
            if pk in counts and (key, ok) in COLUMNS:
                counts[pk][COLUMNS[key, ok]] = 1
        for pk, epoch, run, call_type, prompt, model, contract, at, _ in batch:
            for span, start in starts_of(at.astimezone(zone).date()):
                key = (epoch, span, start, run, call_type, prompt, model, contract)
                held = sums.setdefault(key, [*[0] * len(NAMES), at, pk])
                held[:-2] = map(sum, zip(held[:-2], counts[pk], strict=True))
                held[-2:] = max(held[-2], at), max(held[-1], pk)
    key_names = (
        *("epoch_id", "span", "start", "run_id", "call_type", "system_prompt_id", "model"),
        "contract_revision_id",
    )
    store(call_sum, key_names, (*NAMES, "newest_at", "newest_verdict"), sums)


def starts_of(day):
    return (
        ("all", date.min),
        ("month", day.replace(day=1)),
        ("week", day - timedelta(days=day.weekday())),
        ("day", day),
    )


def store(model, key_names, names, sums):
    model.objects.bulk_create(
        (
            model(**dict(zip(key_names, key, strict=True)), **dict(zip(names, values, strict=True)))
            for key, values in sums.items()
        ),
        batch_size=500,
    )


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0016_call_sums")]
    operations = [
        migrations.RunPython(name_call_types, migrations.RunPython.noop),
        migrations.RunPython(add_up_captures, migrations.RunPython.noop),
        migrations.RunPython(add_up_verdicts, migrations.RunPython.noop),
    ]
