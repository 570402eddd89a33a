"""What every page's frame shows: navigation, the judge's state, the account."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject

from judgeweb.access.roles import Capability, Role, capabilities
from verdicts_app.models import OPEN_STATES, Job, JobState, Judgement


@dataclass(frozen=True)
class NavLink:
    label: str
    url: str
    is_current: bool


@dataclass(frozen=True)
class NavGroup:
    label: str
    links: list[NavLink]


@dataclass(frozen=True)
class Place:
    """One page of the navigation; `covers` are the URL names that count as being on it."""

    label: str
    name: str
    covers: frozenset[str] = frozenset()
    needs: Capability = Capability.READ


NAVIGATION = {
    "Results": [
        Place("Leaderboard", "leaderboard"),
        Place("Trends", "trends"),
    ],
    "Work": [
        Place("Runs", "runs", frozenset({"run", "verdict", "verdicts"})),
        Place("Calls", "captures", frozenset({"capture", "prompts", "drafting"})),
        Place("Upload", "upload", needs=Capability.OPERATE),
    ],
    "Judging": [
        Place("Calibration", "calibrations", frozenset({"calibrate"})),
        Place("Rubrics", "admin:rubrics_app_rubric_changelist", needs=Capability.AUTHOR),
        Place("Playground", "playground", frozenset({"trial"}), needs=Capability.OPERATE),
    ],
}


@dataclass(frozen=True)
class JudgeState:
    """`dot` names the sign: good, warn or wait. `waiting` counts answers not judged yet."""

    model: str
    state: str
    dot: str
    is_named: bool
    is_missing: bool
    waiting: int


@dataclass(frozen=True)
class Account:
    name: str
    initials: str
    role: str


def chrome(request: HttpRequest) -> dict[str, Any]:
    """Context of every template. What needs a query is lazy: fragments pay for nothing."""
    return {
        "version": settings.VERSION,
        "time_zone": settings.TIME_ZONE,
        "nav": SimpleLazyObject(lambda: _navigation(request)),
        "judge": SimpleLazyObject(_judge_state),
        "account": SimpleLazyObject(lambda: _account(request)),
        "can": SimpleLazyObject(
            lambda: {capability.value: True for capability in _may(request)},
        ),
    }


def _may(request: HttpRequest) -> frozenset[Capability]:
    user = getattr(request, "user", None)
    return capabilities(user) if user is not None else frozenset()


def _navigation(request: HttpRequest) -> list[NavGroup]:
    may = _may(request)
    match = request.resolver_match
    here = match.url_name if match else None
    groups = []
    for label, places in NAVIGATION.items():
        links = [
            NavLink(place.label, url, here is not None and here in {place.name, *place.covers})
            for place in places
            if place.needs in may and (url := _url(place.name))
        ]
        if links:
            groups.append(NavGroup(label, links))
    return groups


def _url(name: str) -> str | None:
    try:
        return reverse(name)
    except NoReverseMatch:
        return None


def _judge_state() -> JudgeState:
    model = settings.JUDGE_MODEL
    if settings.JUDGE_IS_STAND_IN:
        return JudgeState(model, "stand-in, not a judgement", "warn", False, False, 0)
    if not (settings.ANTHROPIC_API_KEY or settings.ANTHROPIC_BASE_URL):
        # By job: that is how an index has them.
        jobs = Job.objects.exclude(state=JobState.DONE)
        waiting = Judgement.objects.filter(job__in=jobs, state__in=OPEN_STATES).count()
        return JudgeState(model, "waiting for a judge", "wait", False, True, waiting)
    if Job.objects.filter(state=JobState.WAITING).exists():
        return JudgeState(model, "not answering", "warn", True, False, 0)
    return JudgeState(model, "ready", "good", True, False, 0)


def _account(request: HttpRequest) -> Account:
    user = request.user
    name = (user.get_full_name() if user.is_authenticated else "") or user.get_username()
    parts = name.replace("-", " ").replace("_", " ").replace(".", " ").split()
    letters = "".join(part[0] for part in parts[:2]) if len(parts) > 1 else name[:2]
    return Account(name, letters.upper(), role_of(request))


def role_of(request: HttpRequest) -> str:
    """The user's roles in words."""
    if getattr(request.user, "is_superuser", False):
        return Role.ADMIN
    names = set(request.user.groups.values_list("name", flat=True))
    return ", ".join(role for role in Role if role in names)
