import csv
import io
import json
import re

import pytest

from tests import factories

pytestmark = pytest.mark.django_db

XSS = ("<img src=x onerror=alert(1)>", "</script><b>x", "$\\href{javascript:alert(1)}{x}$")


@pytest.fixture
def viewer(client, make_user):
    client.force_login(make_user("viewer"))
    return client


def flat(value: float) -> dict[str, list[float]]:
    return {f"s{n}": [value + n] for n in range(6)}


def text_of(response) -> str:
    assert response.status_code == 200
    return response.content.decode()


def test_one_verdict_makes_a_board(viewer):
    factories.make_verdict("a:dev", "s0", total="75.698085")
    page = text_of(viewer.get("/"))
    assert "75.7" in page
    assert "Not ranked: fewer than 5 scenarios. a:dev needs 4 more." in page
    assert "no interval" in page


def test_the_board_says_mean_interval_range_and_difference(viewer):
    factories.make_board({"a:dev": flat(80), "control:dev": flat(70)})
    page = re.sub(r"\s+", " ", text_of(viewer.get("/")))
    assert '82.5<span class="ci">80.5 to 84.5</span>' in page
    assert '+10.0<span class="ci">+10.0 to +10.0</span>' in page
    assert "control 72.5" in page
    assert "12 valid verdicts of 12 tried, on 6 scenarios, all from one epoch." in page


def test_repeat_spread_has_a_column_where_there_are_repeats(viewer):
    factories.make_verdict("b:dev", "s0", total=60)
    assert "Repeat s.d." not in text_of(viewer.get("/"))
    response = factories.make_response("a:dev", "s0")
    for repeat, total in enumerate((80, 90), start=1):
        factories.make_verdict(response=response, total=total, repeat=repeat)

    page = re.sub(r"\s+", " ", text_of(viewer.get("/")))

    # sqrt(50) = 7.07
    assert '<td class="num" data-label="Repeat s.d.">7.1<span class="ci">1 answer</span>' in page
    assert '<td class="num" data-label="Repeat s.d.">–<span class="ci">no repeats</span>' in page
    rows = json.loads(text_of(viewer.get("/leaderboard.json")))["rows"]
    data = {row["name"]: (row["repeat_sd"], row["repeated_answers"]) for row in rows}
    assert data == {"a:dev": (7.071067811, 1), "b:dev": (None, 0)}


def test_unjudged_answers_link_to_their_reasons(viewer):
    factories.make_board({"a:dev": flat(80)})
    factories.make_unjudged("a:dev", "s0", reason="truncated")
    page = text_of(viewer.get("/"))
    assert "6 / 7" in page
    link = re.search(r'href="(/verdicts/\?[^"]*state=unjudged)">1 unjudged', page)
    listed = text_of(viewer.get(link[1].replace("&amp;", "&")))
    assert "unjudged: truncated" in listed


def test_an_earlier_epoch_is_named_and_can_be_chosen(viewer):
    first = factories.make_epoch("one", rubric_revision=factories.make_revision(number=1))
    factories.make_verdict(total=80, epoch=first)
    second = factories.make_epoch("two", rubric_revision=factories.make_revision(number=2))
    factories.make_verdict(total=60, epoch=second)
    page = text_of(viewer.get("/"))
    assert "2 epochs" in page
    assert f"epoch={first.digest[:12]}" in page
    assert "80.0" in text_of(viewer.get("/", {"epoch": first.digest[:12]}))


def test_what_cannot_be_read_in_the_address_is_named(viewer):
    factories.make_verdict()
    page = text_of(viewer.get("/?from=never&min=x"))
    assert "from “never” is not a day such as 2026-11-30. It is left out." in page
    assert "min “x” is not a whole number" in page


def test_nothing_matches_names_the_filter_to_loosen(viewer):
    factories.make_verdict()
    page = text_of(viewer.get("/?role=nobody"))
    assert "No verdict passes these filters" in page
    assert "Without role “nobody”" in page


def test_an_empty_installation_names_the_next_step(viewer, client, make_user):
    assert "No verdicts yet" in text_of(viewer.get("/"))
    client.force_login(make_user("operator"))
    assert 'href="/upload/"' in text_of(client.get("/"))


def test_sample_data_is_labelled(viewer):
    factories.make_verdict(epoch=factories.make_epoch("sample", origin="sample"))
    assert "sample data" in text_of(viewer.get("/"))
    assert "sample data" in text_of(viewer.get("/trends/"))


@pytest.mark.parametrize("path", ["/", "/trends/", "/verdicts/"])
def test_names_with_markup_stay_text(viewer, path):
    for number, name in enumerate(XSS):
        factories.make_verdict(
            factories.make_persona(name, character=name), factories.make_scenario(f"s{number}")
        )
    page = text_of(viewer.get(path))
    assert "<img src=x" not in page
    assert "</script><b>" not in page
    assert "&lt;img src=x" in page or "\\u0026lt;img" in page
    for inside in re.findall(r'<script id="[^"]*" type="application/json">(.*?)</script>', page):
        json.loads(inside)


@pytest.mark.parametrize("path", ["/leaderboard.json", "/trends.json"])
def test_the_data_of_a_view_is_strict_json(viewer, path):
    factories.make_verdict("a:dev", "s0", total="75.698085")
    factories.make_unjudged("b:dev", "s0")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    data = json.loads(viewer.get(path).content, parse_constant=refuse)
    assert data["mode"] == "solo"


def test_json_and_csv_hold_the_very_view_exactly(viewer):
    factories.make_board({"a:dev": {"s0": ["75.698085"], "s1": [80]}, "=b:tea": {"s0": [50]}})
    data = viewer.get("/leaderboard.json?role=dev").json()
    [row] = data["rows"]
    assert (row["name"], row["mean_exact"], row["scenarios"]) == ("a:dev", "31139617/400000", 2)
    table = list(csv.DictReader(io.StringIO(viewer.get("/leaderboard.csv").content.decode())))
    assert [row["name"] for row in table] == ["a:dev", "'=b:tea"]
    assert float(table[0]["mean"]) == 77.8490425
    assert table[0]["mean_low"] == ""


def test_pages_need_a_role(client, make_user, django_user_model):
    assert client.get("/").status_code == 302
    client.force_login(django_user_model.objects.create_user("nobody"))
    assert client.get("/").status_code == 403
    assert client.get("/leaderboard.json").status_code == 403


def test_the_page_has_a_fixed_number_of_queries(viewer, django_assert_max_num_queries):
    viewer.get("/")
    for count in (3, 30):
        factories.make_board({f"p{n}:dev": {"s0": [n]} for n in range(count)})
        with django_assert_max_num_queries(15):
            viewer.get("/")


def test_where_calls_alone_are_judged_it_leads_to_their_pass_rates(viewer):
    factories.make_call_verdict()
    page = text_of(viewer.get("/"))
    assert "No answer is judged yet" in page
    assert 'href="/trends/?view=rates">See the pass rates</a>' in page
    factories.make_verdict()
    assert "See the pass rates" not in text_of(viewer.get("/"))


def test_modes_are_switched_on_the_board_itself(viewer):
    factories.make_board({"a:dev": flat(80)}, epoch=factories.make_epoch("one", mode="solo"))
    factories.make_comparison()
    page = re.sub(r"\s+", " ", text_of(viewer.get("/")))
    assert 'href="?mode=compare">Head to head</a>' in page
    assert 'href="?mode=solo" aria-current="true">Solo</a>' in page
    assert "Who beats whom?" in text_of(viewer.get("/?mode=compare"))


def test_head_to_head_says_results_and_leads_to_their_verdicts(viewer):
    # lighthouse:dev 78 against control:dev 71
    verdict = factories.make_comparison()
    page = re.sub(r"\s+", " ", text_of(viewer.get("/?mode=compare")))
    assert "lighthouse:dev has the largest share of wins. 1 duel on 1 scenario" in page
    assert "100%" in page
    assert "1 – 0 – 0" in page
    assert '+7.0<span class="ci">no interval</span>' in page
    link = re.search(r'href="(/verdicts/\?[^"]*against=control%3Adev[^"]*)"', page)
    listed = text_of(viewer.get(link[1].replace("&amp;", "&")))
    assert f'href="/verdicts/{verdict.pk}/"' in listed
    assert "lighthouse:dev against control:dev" in listed
    assert "<b>win</b>" in listed
    csv_text = text_of(viewer.get("/leaderboard.csv?mode=compare"))
    assert next(csv.reader(io.StringIO(csv_text)))[:4] == ["name", "character", "is_control", "won"]


def test_a_retried_pair_leaves_the_list_of_the_unjudged(viewer):
    pair = factories.make_pair()
    judgement = factories.make_judgement(
        pair.first, epoch="compare", state="unjudged", unjudged_reason="truncated"
    )
    type(judgement).objects.filter(pk=judgement.pk).update(response=None, pair=pair)
    listed = text_of(viewer.get("/verdicts/?state=unjudged"))
    assert "lighthouse:dev against control:dev" in listed
    factories.make_comparison(pair)
    assert "against control:dev" not in text_of(viewer.get("/verdicts/?state=unjudged"))
