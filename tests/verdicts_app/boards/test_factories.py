import pytest

from tests import factories
from verdicts_app.models import Judgement, Verdict


@pytest.mark.django_db
def test_a_verdict_is_stored_scaled_and_exact():
    verdict = factories.make_verdict(total="75.698085")
    verdict.refresh_from_db()
    assert verdict.total_nano == 75_698_085_000
    assert verdict.total_exact == "15139617/200000"
    assert verdict.persona.spec == "lighthouse:reviewer"


@pytest.mark.django_db
def test_a_board_holds_every_total_given():
    factories.make_board({"a:dev": {"s1": [70, "72.5"], "s2": [80]}, "control:dev": {"s1": [60]}})
    factories.make_unjudged("a:dev", "s1")
    assert sorted(Verdict.objects.values_list("persona__spec", "total_nano")) == [
        ("a:dev", 70 * 10**9),
        ("a:dev", 725 * 10**8),
        ("a:dev", 80 * 10**9),
        ("control:dev", 60 * 10**9),
    ]
    assert Judgement.objects.get().unjudged_reason == "truncated"
