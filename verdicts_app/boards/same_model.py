"""Where a judge judged an answer of its own model: it leans to it, so that is said and can be left
out. Nothing is adjusted.

What judged and what answered is compared by the names as they stand with epoch and answer, see
`judgeweb.judging.model_names`; nothing is stored of it.
"""

from collections.abc import Iterable, Mapping

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from judgeweb.judging.model_names import judges_itself
from verdicts_app.boards.subjects import models_of
from verdicts_app.models import PHASES, CaptureSum, Epoch, Verdict, VerdictContestant


def is_own(epoch: Epoch, *models: str) -> bool:
    """Whether the judge of the epoch is any of the models that answered."""
    return any(judges_itself((epoch.requested_model, epoch.returned_model), one) for one in models)


def own_of(verdict: Verdict, models: Iterable[str] | None = None) -> tuple[str, ...]:
    """The models whose answers the verdict is on and that judged them as well. `models`: of whom
    the answers are, where the caller has them at hand."""
    answered = dict.fromkeys(models_of(verdict) if models is None else models)
    return tuple(model for model in answered if is_own(verdict.epoch, model))


def own_names(judges: Iterable[str]) -> list[str]:
    """The names under which this judge's model answered anywhere."""
    held = tuple(judges)
    return sorted(name for name in answering_models() if judges_itself(held, name))


def own_models(epoch_ids: Iterable[int] | None = None) -> Mapping[int, list[str]]:
    """Epoch -> the names under which its judge's model answered anywhere. Epochs without one are
    left out; without ids, of all epochs."""
    return _own_names(epoch_ids, answering_models())


def _own_names(epoch_ids: Iterable[int] | None, answered: set[str]) -> Mapping[int, list[str]]:
    epochs = Epoch.objects.all() if epoch_ids is None else Epoch.objects.filter(pk__in=epoch_ids)
    found = {
        pk: sorted(name for name in answered if judges_itself(judges, name))
        for pk, *judges in epochs.values_list("pk", "requested_model", "returned_model")
    }
    return {pk: names for pk, names in found.items() if names}


# A DISTINCT would read the index from end to end: this jumps from name to name.
NAMES = """
WITH RECURSIVE named(model) AS (
    SELECT MIN(model) FROM verdicts_app_response
    UNION ALL
    SELECT (SELECT MIN(model) FROM verdicts_app_response WHERE model > named.model)
    FROM named WHERE named.model IS NOT NULL
)
SELECT model FROM named WHERE model IS NOT NULL
"""


def answering_models() -> set[str]:
    """Every name of a model that answers came with."""
    with connection.cursor() as cursor:
        cursor.execute(NAMES)
        return {name for (name,) in cursor.fetchall()}


def calling_models() -> set[str]:
    """Every name of a model that captured calls asked."""
    return set(CaptureSum.objects.order_by().values_list("model", flat=True).distinct())


def sums_of(own: str, epoch_ids: Iterable[int]) -> Q:
    """Of sums by answering model, those that the filter (one of SELF) leaves."""
    if not own:
        return Q()
    named = Q(pk__in=[])
    for epoch_id, names in own_models(epoch_ids).items():
        named |= Q(epoch_id=epoch_id, model__in=names)
    return narrowed_to(own, named)


def verdicts_of(own: str, epoch_ids: Iterable[int] | None = None) -> Q:
    """Of verdicts, those that the filter (one of SELF) leaves."""
    return narrowed_to(own, _own_verdicts(epoch_ids)) if own else Q()


def judgements_of(own: str, epoch_ids: Iterable[int] | None = None) -> Q:
    """Of judgements on single answers, those that the filter (one of SELF) leaves."""
    if not own:
        return Q()
    named = Q(pk__in=[])
    for epoch_id, names in own_models(epoch_ids).items():
        named |= Q(epoch_id=epoch_id, response__model__in=names)
    return narrowed_to(own, named)


def own_relays(names: list[str]) -> Q:
    """Verdicts on relays of which any answer is by one of these models."""
    return _any_of(names, (f"chain__{phase}__model" for phase in PHASES))


def _own_verdicts(epoch_ids: Iterable[int] | None) -> Q:
    """Verdicts of which any answer is by the model of their judge."""
    answered = answering_models() | calling_models()
    contestants = VerdictContestant.objects.filter(verdict=OuterRef("pk"))
    columns = ("response__model", "capture__model", *(f"chain__{phase}__model" for phase in PHASES))
    own = Q(pk__in=[])
    for epoch_id, names in _own_names(epoch_ids, answered).items():
        contested = Exists(contestants.filter(response__model__in=names))
        own |= Q(epoch_id=epoch_id) & (_any_of(names, columns) | Q(contested))
    return own


def narrowed_to(own: str, named: Q) -> Q:
    """What the filter (one of SELF) leaves of rows of which the condition names the own."""
    return {"exclude": ~named, "only": named}.get(own, Q())


def _any_of(names: list[str], columns: Iterable[str]) -> Q:
    found = Q(pk__in=[])
    for column in columns:
        found |= Q(**{f"{column}__in": names})
    return found
