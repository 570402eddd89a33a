"""The admin through a client that posts what a browser would post."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judgeweb.access.models import AuditEntry
from judgeweb.judging.documents import (
    ChecklistItem,
    CodeFile,
    ContractDocument,
    GoldDocument,
    ScenarioDocument,
)
from rubrics_app.contracts import save_contract
from rubrics_app.importing import Importer
from rubrics_app.models import (
    AnchorSet,
    CallTypePolicy,
    ChecklistEntry,
    Dimension,
    GoldStandard,
    Revision,
    Rubric,
    Scenario,
)
from rubrics_app.publishing import document_of, publish, state_of
from rubrics_app.scenarios import save_gold, save_scenario
from rubrics_app.selectors import default_rubric, rubric_document

CASES = Path(__file__).parents[1] / "cases" / "scenarios"
BACKEND = "django.contrib.auth.backends.ModelBackend"

pytestmark = pytest.mark.django_db

Page = Callable[..., dict[str, str]]


def change_url(draft: Any) -> str:
    return reverse(f"admin:rubrics_app_{draft._meta.model_name}_change", args=[draft.pk])


def publish_url(draft: Any) -> str:
    return reverse(f"admin:rubrics_app_{draft._meta.model_name}_publish", args=[draft.pk])


def form_id(draft: Any) -> str:
    return f"{draft._meta.model_name}_form"


def save_kiosk(items: int = 2) -> Scenario:
    document = ScenarioDocument(
        name="kiosk",
        challenge="  Find what is wrong.\n\nAll of it.\n",
        files=(CodeFile(language="python", filename="k.py", content="    x = 1\n\ty = 2\n"),),
        baseline_issues=tuple(
            ChecklistItem(
                id=f"item-{number}",
                category="high",
                description=f"Item {number}",
                details=(("location", f"line {number}"), ("note", "two\nlines")),
            )
            for number in range(items)
        ),
    )
    return save_scenario(document, user=None, actor="test").scenario


# --- who may ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "status"),
    [("viewer", 403), ("reviewer", 403), ("operator", 403), ("author", 200), ("admin", 200)],
)
def test_admin_is_entered_by_role(client: Client, make_user: Any, role: str, status: int) -> None:
    client.force_login(make_user(role), backend=BACKEND)
    for url in (reverse("admin:index"), change_url(Rubric.objects.get(key="solo"))):
        answer = client.get(url, follow=True)
        assert answer.status_code == status, url


def test_stranger_is_sent_to_the_one_login_page(client: Client) -> None:
    answer = client.get(reverse("admin:index"), follow=True)
    assert answer.redirect_chain[-1][0].startswith(reverse("login"))


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_nobody_else_publishes_or_saves(client: Client, make_user: Any, role: str) -> None:
    client.force_login(make_user(role), backend=BACKEND)
    rubric = Rubric.objects.get(key="solo")
    for url in (change_url(rubric), publish_url(rubric)):
        assert client.post(url, {"name": "Mine"}, follow=True).status_code == 403
    rubric.refresh_from_db()
    assert rubric.name == "Solo"


def test_users_are_for_administrators(client: Client, make_user: Any) -> None:
    url = reverse("admin:auth_user_changelist")
    client.force_login(make_user("author"), backend=BACKEND)
    assert client.get(url).status_code == 403
    client.force_login(make_user("admin"), backend=BACKEND)
    assert client.get(url).status_code == 200


def test_publishing_needs_the_csrf_token(author: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(author, backend=BACKEND)
    answer = client.post(publish_url(Rubric.objects.get(key="solo")), {})
    assert answer.status_code == 403


# --- pages ------------------------------------------------------------------------------------


def test_saving_untouched_pages_changes_nothing(
    client: Client, author: Any, admin_page: Page
) -> None:
    """White space, line ends and details come back from the form as they went in."""
    list(Importer(user=None, actor="test").take_files([CASES]))
    gold = GoldStandard.objects.get()
    drafts = [*AnchorSet.objects.all(), *Rubric.objects.all(), *Scenario.objects.all(), gold]
    for draft in (*drafts, save_kiosk(), *Dimension.objects.filter(key="quality")):
        fields = admin_page(change_url(draft), form_id(draft))
        answer = client.post(change_url(draft), fields)
        assert answer.status_code == 302, (
            draft,
            re.findall(r"errorlist.*", answer.content.decode()),
        )
    for draft in drafts:
        draft.refresh_from_db()
        assert (draft.version, state_of(draft).label) == (1, "published as revision 1"), draft


@pytest.mark.parametrize(
    "name",
    [
        "anchorset",
        "calltypepolicy",
        "contract",
        "goldstandard",
        "revision",
        "rubric",
        "scenario",
    ],
)
def test_lists_open(client: Client, author: Any, name: str) -> None:
    save_kiosk()
    answer = client.get(reverse(f"admin:rubrics_app_{name}_changelist"), {"q": "k"})
    assert answer.status_code == 200


def test_list_says_what_differs_from_what_is_published(client: Client, author: Any) -> None:
    save_kiosk()
    Scenario.objects.update(title="New title")
    page = client.get(reverse("admin:rubrics_app_scenario_changelist")).content.decode()
    assert "draft differs from revision 1" in page


def test_list_takes_as_many_queries_for_many_as_for_few(
    client: Client, author: Any, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        save_scenario(ScenarioDocument(name=f"s{number}", challenge="x"), user=None, actor="test")
    with django_assert_max_num_queries(16):
        client.get(reverse("admin:rubrics_app_scenario_changelist"))


# --- editing ----------------------------------------------------------------------------------


def test_new_rubric_is_made_marked_and_published(
    client: Client, author: Any, admin_page: Page
) -> None:
    add = reverse("admin:rubrics_app_rubric_add")
    fields = admin_page(add, "rubric_form") | {
        "key": "short",
        "name": "Short",
        "mode": "solo",
        "dimensions-TOTAL_FORMS": "1",
        "dimensions-0-key": "depth",
        "dimensions-0-label": "Depth",
        "dimensions-0-weight": "100",
        "dimensions-0-anchor_set": str(AnchorSet.objects.get(key="Depth").pk),
    }
    assert client.post(add, fields).status_code == 302
    rubric = Rubric.objects.get(key="short")
    dimension = rubric.dimensions.get()
    fields = admin_page(change_url(dimension), "dimension_form") | {
        "marks-TOTAL_FORMS": "1",
        "marks-0-key": "depth",
        "marks-0-label": "Depth",
    }
    answer = client.post(change_url(dimension), fields)
    assert answer.headers["Location"] == change_url(rubric)
    rubric.refresh_from_db()
    assert (rubric.version, rubric.updated_by) == (3, author)
    press_publish(client, rubric, admin_page)
    assert rubric.revisions().get().published_by == author
    verbs = AuditEntry.objects.order_by("id").values_list("actor", "action")
    assert list(verbs) == [
        ("ada", "create rubric"),
        ("ada", "change dimension"),
        ("ada", "publish rubric"),
    ]


def press_publish(client: Client, draft: Any, admin_page: Page, note: str = "") -> str:
    """Press Publish on the change page; the page that follows."""
    fields = admin_page(change_url(draft), publish_url(draft))
    fields["publish-note"] = note
    return client.post(publish_url(draft), fields, follow=True).content.decode()


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (("30", "40", "29"), "weights: sum to 99, not to 100"),
        (("33.33", "33.33", "33.33"), "weights: sum to 99.99, not to 100"),
    ],
)
def test_weights_are_refused_in_the_form_as_everywhere(
    client: Client, author: Any, admin_page: Page, weights: tuple[str, ...], said: str
) -> None:
    rubric = Rubric.objects.get(key="checklist")
    fields = admin_page(change_url(rubric), "rubric_form")
    fields |= {f"dimensions-{number}-weight": weight for number, weight in enumerate(weights)}
    answer = client.post(change_url(rubric), fields)
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert state_of(rubric).label == "published as revision 1"


def test_shares_of_one_are_stored_as_percent(client: Client, author: Any, admin_page: Page) -> None:
    rubric = Rubric.objects.get(key="checklist")
    fields = admin_page(change_url(rubric), "rubric_form")
    fields |= {f"dimensions-{n}-weight": weight for n, weight in enumerate(("0.1", "0.2", "0.7"))}
    assert client.post(change_url(rubric), fields).status_code == 302
    assert [d.weight for d in rubric.dimensions.all()] == [10, 20, 70]


def test_three_hundred_items_are_saved(client: Client, author: Any, admin_page: Page) -> None:
    """Case 124: far more fields than Django allows by default."""
    scenario = save_kiosk(items=300)
    fields = admin_page(change_url(scenario), "scenario_form")
    assert len(fields) > 1000
    fields["items-299-description"] = "The last one"
    assert client.post(change_url(scenario), fields).status_code == 302
    assert ChecklistEntry.objects.filter(scenario=scenario).count() == 300
    assert scenario.items.get(item_id="item-299").description == "The last one"


def test_details_are_edited_as_lines(client: Client, author: Any, admin_page: Page) -> None:
    scenario = save_kiosk()
    fields = admin_page(change_url(scenario), "scenario_form")
    assert fields["items-0-details"] == "location: line 0\r\nnote: two\r\n  lines"
    fields["items-0-details"] = "impact: money\r\nnote: a\r\n  b"
    assert client.post(change_url(scenario), fields).status_code == 302
    document = document_of(scenario)
    assert isinstance(document, ScenarioDocument)
    assert document.baseline_issues[0].details == (("impact", "money"), ("note", "a\nb"))
    fields["opened_version"] = "2"
    fields["items-0-details"] = "no colon here"
    answer = client.post(change_url(scenario), fields)
    assert "is not of the form" in answer.content.decode()


@pytest.mark.parametrize("grader", ["AI", "auto", "Claude", "agent 7"])
def test_gold_form_refuses_what_is_no_person(
    client: Client, author: Any, admin_page: Page, grader: str
) -> None:
    scenario, add = save_kiosk(), reverse("admin:rubrics_app_goldstandard_add")
    fields = admin_page(add, "goldstandard_form") | {
        "scenario": str(scenario.pk),
        "response": "All.",
        "score": "90",
        "graded_by": grader,
    }
    answer = client.post(add, fields)
    assert answer.status_code == 200
    assert "must name a person" in answer.content.decode()
    assert client.post(add, fields | {"graded_by": "Ana Ruiz"}).status_code == 302
    assert GoldStandard.objects.get().key == "kiosk"


# --- two authors (cases 130, 131) -------------------------------------------------------------


def test_second_save_conflicts_and_keeps_the_input(
    client: Client, author: Any, admin_page: Page, make_user: Any
) -> None:
    rubric = Rubric.objects.get(key="solo")
    mine = admin_page(change_url(rubric), "rubric_form")
    other = Client()
    other.force_login(make_user("author", "berta"), backend=BACKEND)
    theirs = admin_page(change_url(rubric), "rubric_form", other)
    assert other.post(change_url(rubric), theirs | {"description": "Berta's"}).status_code == 302

    answer = client.post(change_url(rubric), mine | {"description": "Ada's words"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert re.search(r"berta changed &#x27;solo&#x27; at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", page)
    assert "Ada&#x27;s words" in page
    rubric.refresh_from_db()
    assert (rubric.description, rubric.version) == ("Berta's", 2)

    # Pressing Save once more is no agreement.
    assert client.post(change_url(rubric), mine | {"description": "Ada's"}).status_code == 200
    agreed = mine | {"description": "Ada's", "replace_version": "2"}
    assert client.post(change_url(rubric), agreed).status_code == 302
    rubric.refresh_from_db()
    assert (rubric.description, rubric.version) == ("Ada's", 3)


@pytest.mark.parametrize("first", ["an item", "the title"])
def test_item_and_title_conflict_whichever_is_first(
    client: Client, author: Any, admin_page: Page, first: str
) -> None:
    scenario = save_kiosk()
    opened = admin_page(change_url(scenario), "scenario_form")
    changes = {"an item": {"items-1-description": "Changed"}, "the title": {"title": "Changed"}}
    second = next(name for name in changes if name != first)
    assert client.post(change_url(scenario), opened | changes[first]).status_code == 302
    scenario.refresh_from_db()
    assert scenario.version == 2
    answer = client.post(change_url(scenario), opened | changes[second])
    assert answer.status_code == 200
    assert "after you opened it" in answer.content.decode()
    scenario.refresh_from_db()
    assert scenario.version == 2


def test_removed_item_raises_the_version_and_a_stale_form_keeps_its_input(
    client: Client, author: Any, admin_page: Page
) -> None:
    scenario = save_kiosk()
    opened = admin_page(change_url(scenario), "scenario_form")
    assert client.post(change_url(scenario), opened | {"items-0-DELETE": "on"}).status_code == 302
    answer = client.post(change_url(scenario), opened | {"items-0-description": "My words"})
    assert answer.status_code == 200
    assert "My words" in answer.content.decode()
    assert "after you opened it" in answer.content.decode()


def test_mark_edited_on_its_page_conflicts_with_the_rubric_page(
    client: Client, author: Any, admin_page: Page
) -> None:
    rubric = Rubric.objects.get(key="checklist")
    dimension = rubric.dimensions.get(key="quality")
    opened = admin_page(change_url(rubric), "rubric_form")
    marks = admin_page(change_url(dimension), "dimension_form")
    answer = client.post(change_url(dimension), marks | {"marks-0-label": "Clear words"})
    assert answer.status_code == 302
    rubric.refresh_from_db()
    assert rubric.version == 2
    answer = client.post(change_url(rubric), opened | {"name": "Mine"})
    assert "after you opened it" in answer.content.decode()


def test_import_conflicts_with_an_open_form(client: Client, author: Any, admin_page: Page) -> None:
    scenario = save_kiosk()
    opened = admin_page(change_url(scenario), "scenario_form")
    save_kiosk(items=3)
    answer = client.post(change_url(scenario), opened | {"title": "Mine"})
    assert "Somebody changed &#x27;kiosk&#x27;" in answer.content.decode()


def test_form_without_a_version_conflicts(client: Client, author: Any, admin_page: Page) -> None:
    rubric = Rubric.objects.get(key="solo")
    fields = admin_page(change_url(rubric), "rubric_form")
    del fields["opened_version"]
    assert client.post(change_url(rubric), fields).status_code == 200


# --- publishing -------------------------------------------------------------------------------


def test_anchor_edited_and_published_is_the_next_revision(
    client: Client, author: Any, admin_page: Page
) -> None:
    before = default_rubric("solo").document
    depth = AnchorSet.objects.get(key="Depth")
    fields = admin_page(change_url(depth), "anchorset_form")
    fields["bands-3-text"] = "Goes to the root.\r\nAnd on."
    assert client.post(change_url(depth), fields).status_code == 302
    page = client.get(change_url(depth)).content.decode()
    assert "Draft differs from revision 1" in page
    assert "Publishing gives these rubrics a new revision with the new bands: "
    assert "phase-sm, phase-tea, solo" in page
    page = press_publish(client, depth, admin_page, note="Sharper")
    assert "Published as revision 2." in page
    assert Revision.objects.get(kind="anchor_set", key="Depth", number=2).note == "Sharper"
    solo = default_rubric("solo")
    assert solo.number == 2
    bands = [b.text for d in rubric_document(solo).dimensions if d.key == "depth" for b in d.bands]
    assert bands[3] == "Goes to the root.\nAnd on."
    assert Revision.objects.get(kind="rubric", key="solo", number=1).document == before


def test_refused_publish_names_places(client: Client, author: Any, admin_page: Page) -> None:
    depth = AnchorSet.objects.get(key="Depth")
    depth.bands.filter(low=9).delete()
    page = client.get(change_url(depth)).content.decode()
    assert "no anchor band covers 9, 10" in page
    assert re.search(r'value="Publish the saved draft" disabled', page)
    page = press_publish(client, depth, admin_page)
    assert "Not published: bands: has 4 anchor bands, not 5" in page
    assert depth.revisions().count() == 1


def test_publish_of_what_another_changed_is_refused(
    client: Client, author: Any, admin_page: Page
) -> None:
    scenario = save_kiosk()
    fields = admin_page(change_url(scenario), publish_url(scenario))
    save_scenario(
        ScenarioDocument(name="kiosk", challenge="Other"), user=None, actor="x", publish=False
    )
    answer = client.post(publish_url(scenario), fields, follow=True)
    assert "Not published: somebody changed" in answer.content.decode()
    assert scenario.revisions().count() == 1


def test_publish_of_nothing_new_says_so(client: Client, author: Any, admin_page: Page) -> None:
    page = press_publish(client, Rubric.objects.get(key="solo"), admin_page)
    assert "Nothing has changed since revision 1." in page


def test_publish_is_no_link(client: Client, author: Any) -> None:
    rubric = Rubric.objects.get(key="solo")
    assert client.get(publish_url(rubric)).headers["Location"] == change_url(rubric)
    assert client.post(reverse("admin:rubrics_app_rubric_publish", args=[999])).status_code == 404


# --- published drafts stay --------------------------------------------------------------------


def test_published_draft_is_archived_not_deleted(client: Client, author: Any) -> None:
    scenario = save_kiosk()
    delete = reverse("admin:rubrics_app_scenario_delete", args=[scenario.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 403
    listing = reverse("admin:rubrics_app_scenario_changelist")
    page = client.get(listing).content.decode()
    assert "delete_selected" not in page
    for action, archived in (("archive", True), ("take_back", False)):
        client.post(listing, {"action": action, "_selected_action": [scenario.pk]})
        scenario.refresh_from_db()
        assert scenario.is_archived is archived
    assert scenario.version == 3
    actions = list(AuditEntry.objects.order_by("id").values_list("action", flat=True))
    assert actions[-2:] == ["archive scenario", "take back scenario"]


def test_lists_say_yes_and_no_in_words(client: Client, author: Any) -> None:
    """Django's red cross reads like a fault."""
    Rubric.objects.filter(key="solo").update(is_archived=True)
    save_contract(ContractDocument(call_type="planner", json_schema="{}", strict=False), user=None)
    CallTypePolicy.objects.create(call_type="planner", undecidable_allowed=True)
    words = {}
    for model in ("rubric", "contract", "calltypepolicy"):
        page = client.get(reverse(f"admin:rubrics_app_{model}_changelist")).content.decode()
        assert "icon-no" not in page
        assert "icon-yes" not in page
        words[model] = re.findall(
            r'<td class="field-(?:archived|strictness|undecidable)">(.*?)<', page
        )
    assert sorted(words["rubric"])[0] == "archived"
    assert set(words["rubric"]) == {"archived", "–"}
    assert words["contract"] == ["lenient"]
    assert words["calltypepolicy"] == ["allowed"]


def test_unpublished_draft_can_be_deleted(client: Client, author: Any) -> None:
    draft = AnchorSet.objects.create(key="Tone")
    delete = reverse("admin:rubrics_app_anchorset_delete", args=[draft.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 302
    assert not AnchorSet.objects.filter(key="Tone").exists()
    assert AuditEntry.objects.get().action == "delete anchor set"


def test_key_is_given_once(client: Client, author: Any, admin_page: Page) -> None:
    depth = AnchorSet.objects.get(key="Depth")
    fields = admin_page(change_url(depth), "anchorset_form")
    assert "key" not in fields
    client.post(change_url(depth), fields | {"key": "Other"})
    depth.refresh_from_db()
    assert depth.key == "Depth"


# --- revisions and prompt ---------------------------------------------------------------------


def test_revision_shows_document_and_difference(client: Client, author: Any) -> None:
    rubric = Rubric.objects.get(key="solo")
    for number, (key, weight) in enumerate((("depth", 40), ("persona", 10)), 2):
        rubric.dimensions.filter(key=key).update(weight=weight)
        rubric.dimensions.filter(key="quality").update(weight=25 if number == 3 else 10)
        assert publish(rubric, user=None, actor="test").number == number
    second = Revision.objects.get(kind="rubric", key="solo", number=2)
    page = client.get(reverse("admin:rubrics_app_revision_change", args=[second.pk]))
    text = page.content.decode()
    assert "What changed since revision 1" in text
    assert re.search(r'<tr class="changed"><td>\s*weight: 25</td><td>\s*weight: 40</td>', text)
    assert "mode: solo" in text
    third = Revision.objects.get(kind="rubric", key="solo", number=3)
    url = reverse("admin:rubrics_app_revision_change", args=[third.pk])
    assert "since revision 1" in client.get(url, {"against": "1"}).content.decode()
    first = Revision.objects.get(kind="rubric", key="solo", number=1)
    url = reverse("admin:rubrics_app_revision_change", args=[first.pk])
    assert "This is the first revision." in client.get(url).content.decode()


def test_revision_has_no_way_to_be_changed(client: Client, author: Any) -> None:
    url = reverse("admin:rubrics_app_revision_change", args=[Revision.objects.first().pk])  # type: ignore[union-attr]
    assert client.post(url, {"note": "x"}).status_code == 403
    assert client.post(url.replace("change", "delete"), {"post": "yes"}).status_code == 403


def test_prompt_page_shows_the_prompt_of_the_drafts(client: Client, author: Any) -> None:
    scenario = save_kiosk()
    save_gold(
        GoldDocument(scenario="kiosk", response="GOLDEN", score=90, graded_by="Ana Ruiz"),
        user=None,
        actor="test",
    )
    AnchorSet.objects.get(key="Quality")
    url = reverse("admin:rubrics_app_scenario_prompt", args=[scenario.pk])
    page = client.get(url).content.decode()
    assert "System message (cached)" in page
    assert "Find what is wrong." in page
    assert "item-0" in page
    assert "GOLDEN" in page
    assert "This answer is made up." in page
    assert re.search(r"<option selected>checklist</option>", page)
    refused = client.get(url, {"with": "nothing"}).content.decode()
    assert "There is no rubric &#x27;nothing&#x27;." in refused
    rubric_url = reverse(
        "admin:rubrics_app_rubric_prompt", args=[Rubric.objects.get(key="checklist").pk]
    )
    assert "item-0" in client.get(rubric_url).content.decode()
    solo_url = reverse("admin:rubrics_app_rubric_prompt", args=[Rubric.objects.get(key="solo").pk])
    assert "Find what is wrong." in client.get(solo_url).content.decode()


def test_prompt_page_says_why_the_worker_would_refuse(client: Client, author: Any) -> None:
    scenario = save_kiosk()
    Scenario.objects.filter(pk=scenario.pk).update(challenge=" ")
    url = reverse("admin:rubrics_app_scenario_prompt", args=[scenario.pk])
    assert "has no challenge" in client.get(url).content.decode()


def test_markup_in_a_scenario_is_shown_as_text(client: Client, author: Any) -> None:
    nasty = "<script>alert(1)</script>"
    document = ScenarioDocument(
        name="nasty",
        title=nasty,
        challenge=nasty,
        baseline_issues=(ChecklistItem(id="a", category=nasty, description=nasty),),
    )
    saved = save_scenario(document, user=None, actor="test", note=nasty)
    assert saved.revision
    for url in (
        change_url(saved.scenario),
        reverse("admin:rubrics_app_scenario_changelist"),
        reverse("admin:rubrics_app_scenario_prompt", args=[saved.scenario.pk]),
        reverse("admin:rubrics_app_revision_change", args=[saved.revision.pk]),
    ):
        page = client.get(url).content.decode()
        assert "alert(1)" in page, url
        assert nasty not in page, url
