import pytest
from django.urls import reverse

from judgeweb.access import audit
from judgeweb.access.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client, make_user):
    client.force_login(make_user("admin"))
    return client


def test_audit_log_pages_by_keyset_newest_first(admin):
    for number in range(120):
        audit.record(actor="rana", action="pause job", target=f"job {number}")

    first = admin.get(reverse("audit"))
    second = admin.get(reverse("audit"), {"before": first.context["older"]})
    third = admin.get(reverse("audit"), {"before": second.context["older"]})

    targets = [e.target for page in (first, second, third) for e in page.context["entries"]]
    assert targets == [f"job {number}" for number in reversed(range(120))]
    assert third.context["older"] is None
    assert "← Newest" in third.content.decode()


def test_audit_log_shows_hostile_text_as_text(admin):
    audit.record(
        actor="<img src=x onerror=alert(1)>", action="upload", target="</script><b>x", detail="<i>"
    )

    page = admin.get(reverse("audit")).content.decode()

    assert "<img src=x" not in page
    assert "&lt;/script&gt;&lt;b&gt;x" in page


@pytest.mark.parametrize("before", ["x", "-1", "", "9" * 40, "²"])
def test_audit_log_takes_any_cursor(admin, before):
    audit.record(actor="rana", action="pause job")

    answer = admin.get(reverse("audit"), {"before": before})

    assert answer.status_code == 200


def test_audit_log_empty_says_what_goes_here(admin):
    AuditEntry.objects.all().delete()

    assert "Nothing has happened yet" in admin.get(reverse("audit")).content.decode()
