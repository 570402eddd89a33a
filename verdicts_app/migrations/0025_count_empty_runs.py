"""How many stored runs answered nothing. Frozen: it must not follow later changes of the code."""

from collections import defaultdict
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import migrations
from django.db.models import F

CHUNK = 500
COLUMNS = (
    "response_id",
    "epoch_id",
    "persona_id",
    "scenario_id",
    "response__model",
    "answered_at",
    "repeat",
    "flags",
)


def count_up(apps, schema_editor):
    verdict, judgement, board_sum = (
        apps.get_model("verdicts_app", name) for name in ("Verdict", "Judgement", "BoardSum")
    )
    counted = verdict.objects.filter(
        on_board=True,
        response__isnull=False,
        total_nano__isnull=False,
        persona__isnull=False,
        scenario__isnull=False,
    ).order_by()
    flagged = counted.filter(flags__contains="empty_answer")
    empty = sorted(set(flagged.values_list("response_id", flat=True)))
    sums = defaultdict(int)
    for start in range(0, len(empty), CHUNK):
        ids = empty[start : start + CHUNK]
        gone = given_up(judgement, ids)
        for run, verdicts in runs_of(counted, ids).items():
            lost = gone[run] - {row[6] for row in verdicts}
            if any(map(is_empty, verdicts)) and len(verdicts) >= len(lost):
                for key in keys_of(verdicts[0]):
                    sums[key] += 1
    for (epoch, span, start, persona, scenario, model), runs in sums.items():
        board_sum.objects.filter(
            epoch_id=epoch,
            span=span,
            start=start,
            persona_id=persona,
            scenario_id=scenario,
            model=model,
        ).update(empty_runs=F("empty_runs") + runs)


def is_empty(row):
    return "empty_answer" in row[7].split(",")


def given_up(judgement, ids):
    gone = defaultdict(set)
    unjudged = judgement.objects.filter(state="unjudged", response_id__in=ids)
    for response, epoch, repeat in unjudged.values_list("response_id", "epoch_id", "repeat"):
        gone[response, epoch].add(repeat)
    return gone


def runs_of(counted, ids):
    runs = defaultdict(list)
    for row in counted.filter(response_id__in=ids).order_by("id").values_list(*COLUMNS):
        runs[row[:2]].append(row)
    return runs


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


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0024_empty_runs")]
    operations = [migrations.RunPython(count_up, migrations.RunPython.noop)]
