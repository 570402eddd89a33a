"""Comparisons, relays and calibrations: their subjects, their decisions, what each contestant reached.

SQLite builds the tables of verdicts, marks and findings anew here, without their triggers: 0010
makes them again, and the way back restores those of 0007.
"""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

frozen = import_module("verdicts_app.migrations.0003_verdicts_never_change")
checks = import_module("verdicts_app.migrations.0007_checks_never_change")

REBUILT = (frozen.VERDICT, frozen.MARK, frozen.FINDING)
TRIGGERS = [
    checks.AFTER,
    *(trigger for trigger in frozen.TRIGGERS[1:] if trigger[1] in REBUILT),
]
"""Those of 0003 and 0007 on the tables that are built anew."""

SUBJECTS = ("response", "capture", "pair", "chain", "gold_answer")
ID = (
    "id",
    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
)


def restore_triggers(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for trigger in TRIGGERS:
            checks.create(schema_editor, trigger)


def exactly_one_subject():
    condition = Q()
    for subject in SUBJECTS:
        condition |= Q(**{f"{kind}__isnull": kind != subject for kind in SUBJECTS})
    return condition


def key(to, name="+", **options):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, related_name=name, to=to, **options
    )


def response():
    return key("verdicts_app.response")


def total(sentence):
    return models.CheckConstraint(
        condition=Q(total_nano__isnull=True, total_exact="")
        | (Q(total_nano__gte=0) & ~Q(total_exact="")),
        name=sentence,
    )


CREATE_PAIR = migrations.CreateModel(
    name="Pair",
    fields=[ID, ("first", response()), ("second", response())],
    options={
        "ordering": ["id"],
        "constraints": [
            models.UniqueConstraint(fields=["first", "second"], name="a pair is stored once"),
            models.CheckConstraint(
                condition=~Q(first=F("second")), name="an answer is not compared with itself"
            ),
        ],
    },
)
CREATE_CHAIN = migrations.CreateModel(
    name="Chain",
    fields=[
        ID,
        ("theme", models.CharField(max_length=200)),
        ("run", key("verdicts_app.run", "chains")),
        ("scenario", key("rubrics_app.scenario", "chains", null=True)),
        ("sm", response()),
        ("tea", response()),
        ("dev", response()),
        ("reviewer", response()),
    ],
    options={
        "ordering": ["id"],
        "constraints": [
            models.UniqueConstraint(
                fields=["sm", "tea", "dev", "reviewer"], name="a relay is stored once"
            ),
            models.CheckConstraint(condition=~Q(theme=""), name="a relay names its theme"),
        ],
    },
)
CREATE_CONTESTANT = migrations.CreateModel(
    name="VerdictContestant",
    fields=[
        ID,
        ("position", models.PositiveSmallIntegerField()),
        ("label", models.CharField(max_length=210)),
        ("total_nano", models.BigIntegerField(null=True)),
        ("total_exact", models.CharField(blank=True, max_length=200)),
        ("without_persona_nano", models.BigIntegerField(null=True)),
        ("without_persona_exact", models.CharField(blank=True, max_length=200)),
        ("order_totals", models.TextField(default="[]")),
        (
            "outcome",
            models.CharField(
                choices=[
                    ("won", "Won"),
                    ("lost", "Lost"),
                    ("tied", "Tied"),
                    ("inconsistent", "Inconsistent"),
                ],
                max_length=12,
            ),
        ),
        ("persona", key("verdicts_app.persona", "contests")),
        ("response", key("verdicts_app.response", "contests")),
        ("verdict", key("verdicts_app.verdict", "contestants")),
    ],
    options={
        "ordering": ["position"],
        "constraints": [
            models.UniqueConstraint(
                fields=["verdict", "position"], name="a comparison has one contestant a place"
            ),
            models.CheckConstraint(
                condition=Q(position__in=[1, 2]), name="a contestant is the first or the second"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=["won", "lost", "tied", "inconsistent"]),
                name="a contestant won lost tied or was judged inconsistently",
            ),
            total("a contestant has its total exactly and scaled or not at all"),
        ],
    },
)
DECISION = models.CharField(
    blank=True,
    choices=[("win", "Win"), ("tie", "Tie"), ("inconsistent", "Inconsistent")],
    default="",
    max_length=12,
)
RATING = models.CharField(
    blank=True,
    choices=[("excellent", "Excellent"), ("good", "Good"), ("poor", "Poor")],
    default="",
    max_length=10,
)
VERDICT_CONSTRAINTS = [
    models.CheckConstraint(
        condition=exactly_one_subject(), name="a verdict has exactly one subject"
    ),
    models.CheckConstraint(
        condition=Q(pair__isnull=False, decision__in=["win", "tie", "inconsistent"])
        | Q(pair__isnull=True, decision=""),
        name="a comparison is decided and no other verdict is",
    ),
    models.CheckConstraint(
        condition=Q(chain__isnull=False, rating__in=["excellent", "good", "poor"])
        | Q(chain__isnull=True, rating=""),
        name="a relay is rated and no other verdict is",
    ),
    models.CheckConstraint(
        condition=Q(decision="", rating="") | Q(total_nano__isnull=True),
        name="what is decided or rated has no total of its own",
    ),
    models.CheckConstraint(
        condition=Q(gold_answer__isnull=True) | Q(on_board=False),
        name="a calibration is on no board",
    ),
]


def subject(model, kind):
    return migrations.AddField(
        model, kind, key(f"verdicts_app.{kind}", f"{model}s", null=True, db_index=False)
    )


def gold_answer(model):
    to = key("rubrics_app.revision", null=True, db_index=False)
    return migrations.AddField(model, "gold_answer", to)


def index(model, kind, fields):
    only = Q(**{f"{kind}__isnull": False})
    return migrations.AddIndex(
        model, models.Index(condition=only, fields=fields, name=f"{model}_{kind}")
    )


def detail(model):
    return [
        migrations.AddField(
            model, "order", models.CharField(blank=True, default="", max_length=20)
        ),
        migrations.AlterField(model, "contestant", models.CharField(blank=True, max_length=210)),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics_app", "0005_ship_calls_rubric"),
        ("verdicts_app", "0010_add_up_verdicts"),
    ]
    operations = [
        migrations.RunPython(migrations.RunPython.noop, restore_triggers),
        CREATE_PAIR,
        CREATE_CHAIN,
        migrations.RemoveConstraint("judgement", "a judgement has exactly one subject"),
        subject("judgement", "pair"),
        subject("judgement", "chain"),
        gold_answer("judgement"),
        migrations.AddField(
            "judgement", "linked", key("verdicts_app.verdict", null=True, db_index=False)
        ),
        migrations.AddConstraint(
            "judgement",
            models.CheckConstraint(
                condition=exactly_one_subject(), name="a judgement has exactly one subject"
            ),
        ),
        index("judgement", "pair", ["pair"]),
        index("judgement", "chain", ["chain"]),
        subject("verdict", "pair"),
        subject("verdict", "chain"),
        gold_answer("verdict"),
        migrations.AddField("verdict", "decision", DECISION),
        migrations.AddField("verdict", "rating", RATING),
        *[migrations.AddConstraint("verdict", one) for one in VERDICT_CONSTRAINTS],
        index("verdict", "pair", ["pair", "-id"]),
        index("verdict", "chain", ["chain", "-id"]),
        migrations.AddIndex(
            "verdict",
            models.Index(
                condition=Q(gold_answer__isnull=False),
                fields=["gold_answer", "epoch", "-id"],
                name="verdict_calibration",
            ),
        ),
        *detail("verdictmark"),
        *detail("verdictfinding"),
        CREATE_CONTESTANT,
    ]
