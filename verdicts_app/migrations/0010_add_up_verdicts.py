"""The sums of the verdicts that are there. Frozen: it must not follow later changes of the code."""

from collections import defaultdict
from datetime import date, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import migrations

UNIT = 60
COLUMNS = (
    "response_id",
    "epoch_id",
    "persona_id",
    "scenario_id",
    "response__model",
    "answered_at",
    "repeat",
    "total_nano",
    "without_persona_nano",
    "cost_nano_usd",
)
NAMES = (
    "runs",
    "total",
    "bare_runs",
    "without_persona",
    "verdicts",
    "costed",
    "cost_nano_usd",
)


def add_up(apps, schema_editor):
    verdict, judgement, board_sum = (
        apps.get_model("verdicts_app", name) for name in ("Verdict", "Judgement", "BoardSum")
    )
    given_up = judgement.objects.filter(state="unjudged", response__isnull=False)
    gone = defaultdict(set)
    for response, epoch, repeat in given_up.values_list("response_id", "epoch_id", "repeat"):
        gone[response, epoch].add(repeat)
    counted = verdict.objects.filter(
        on_board=True,
        response__isnull=False,
        total_nano__isnull=False,
        persona__isnull=False,
        scenario__isnull=False,
    ).order_by("response_id", "epoch_id")
    sums = defaultdict(lambda: [0] * len(NAMES))
    rows = counted.values_list(*COLUMNS).iterator(chunk_size=2000)
    for run, group in groupby(rows, key=lambda row: row[:2]):
        verdicts = list(group)
        if len(verdicts) >= len(gone[run] - {row[6] for row in verdicts}):
            for key in keys_of(verdicts[0]):
                sums[key] = [a + b for a, b in zip(sums[key], figures(verdicts), strict=True)]
    board_sum.objects.bulk_create(
        (
            board_sum(
                epoch_id=epoch,
                span=span,
                start=start,
                persona_id=persona,
                scenario_id=scenario,
                model=model,
                **dict(zip(NAMES, values, strict=True)),
            )
            for (epoch, span, start, persona, scenario, model), values in sums.items()
        ),
        batch_size=500,
    )


def keys_of(row):
    _, epoch, persona, scenario, model, answered_at = row[:6]
    day = answered_at.astimezone(ZoneInfo(settings.TIME_ZONE)).date()
    starts = {
        "all": date.min,
        "month": day.replace(day=1),
        "week": day - timedelta(days=day.weekday()),
        "day": day,
    }
    for span, start in starts.items():
        yield epoch, span, start, persona, scenario, model


def figures(verdicts):
    totals, bare, costs = (
        [row[column] for row in verdicts if row[column] is not None] for column in (7, 8, 9)
    )
    return (
        1,
        sum(totals) * UNIT // len(totals),
        1 if bare else 0,
        sum(bare) * UNIT // len(bare) if bare else 0,
        len(verdicts),
        len(costs),
        sum(costs),
    )


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0009_board_sums")]
    operations = [migrations.RunPython(add_up, migrations.RunPython.noop)]
