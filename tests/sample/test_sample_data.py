"""The sample data: loaded whole and once, labelled, computed by the product's own arithmetic."""

from datetime import UTC, datetime

import pytest

from rubrics_app import selectors
from rubrics_app.models import Revision, RevisionKind, Scenario
from verdicts_app.models import Epoch, Judgement, LedgerEntry, Origin, Persona, Run, Verdict
from verdicts_app.sample import load
from verdicts_app.sample.answers import answer
from verdicts_app.sample.cast import CAST

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def three_days(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same loading over three runs, two of one revision and one of the next."""
    monkeypatch.setattr(load, "DAYS", 9)
    monkeypatch.setattr(load, "CHANGE_ON", 6)


@pytest.mark.django_db
@pytest.mark.usefixtures("three_days")
def test_loading_makes_six_personas_a_control_and_eight_scenarios() -> None:
    loaded = load.load_sample(now=NOW)

    assert loaded.is_new
    assert loaded.runs == Run.objects.filter(is_sample=True).count() == 3
    assert Persona.objects.filter(is_control=False).count() == 6
    assert Persona.objects.get(is_control=True).spec == "control:dev"
    assert Scenario.objects.filter(is_sample=True).count() == 8
    assert set(Verdict.objects.values_list("origin", flat=True)) == {Origin.SAMPLE}
    assert Epoch.objects.filter(origin=Origin.SAMPLE).count() == 4
    for mode in load.MODES:
        assert Revision.objects.filter(kind=RevisionKind.RUBRIC, key=f"sample-{mode}").count() == 2


@pytest.mark.django_db
@pytest.mark.usefixtures("three_days")
def test_loading_again_changes_nothing() -> None:
    first = load.load_sample(now=NOW)
    second = load.load_sample(now=NOW)

    assert not second.is_new
    assert (second.runs, second.verdicts) == (first.runs, first.verdicts)


@pytest.mark.django_db
@pytest.mark.usefixtures("three_days")
def test_every_sample_outcome_has_its_requests() -> None:
    load.load_sample(now=NOW)

    finished = Judgement.objects.exclude(state="judged", verdict=None)
    assert finished.count() == Judgement.objects.count()
    with_requests = LedgerEntry.objects.values("judgement").distinct().count()
    assert with_requests == Judgement.objects.count()


@pytest.mark.django_db
@pytest.mark.usefixtures("three_days")
def test_the_same_day_gives_the_same_answer() -> None:
    load.load_sample(now=NOW)
    documents = [
        selectors.scenario_document(revision)
        for revision in Revision.objects.filter(kind=RevisionKind.SCENARIO)
    ]

    said = answer(CAST[0], documents[0], day=0, days=9)

    assert said == answer(CAST[0], documents[0], day=0, days=9)
    assert CAST[0].opening in said.text


@pytest.mark.django_db
@pytest.mark.usefixtures("three_days")
def test_answers_come_before_their_upload_and_that_before_judging() -> None:
    load.load_sample(now=NOW)

    for judgement in Judgement.objects.select_related("response"):
        response = judgement.response
        assert response.answered_at < response.uploaded_at <= judgement.planned_at
        assert judgement.planned_at < judgement.finished_at <= NOW
