"""The HTTP API: one NinjaAPI, the routers of both apps, the one map from error to status."""

import logging
import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, UnreadablePostError
from django.urls import URLPattern
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.errors import HttpError, Throttled, ValidationError, ValidationErrorContext
from ninja.openapi.schema import OpenAPISchema
from ninja.parser import Parser

from judgeweb.judging.errors import CaseRefused, DocumentInvalid
from judgeweb.problems import MEDIA_TYPE, Fault, Problem, answer
from rubrics_app import api as rubrics_api
from verdicts_app.api import (
    boards,
    calibrations,
    call_verdicts,
    captures,
    jobs,
    judgements,
    runs,
    verdicts,
)
from verdicts_app.api.bodies import open_stream, too_large
from verdicts_app.intake import strict_json
from verdicts_app.intake.responses import RunRefused

log = logging.getLogger(__name__)

DESCRIPTION = """
Bearer tokens only: `Authorization: Bearer jw_...`, made on the page *Tokens*.
Every error is an RFC 9457 problem document that names the field, its value and what was expected.
"""


class StrictParser(Parser):
    """Doubled keys, NaN and numbers out of range are no JSON; faults name line and column."""

    def parse_body(self, request: HttpRequest) -> Any:
        if len(request.body) > settings.UPLOAD_MAX_BYTES:
            raise too_large(settings.UPLOAD_MAX_BYTES)
        return strict_json.parse(request.body)


class JudgewebAPI(NinjaAPI):
    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**options)
        as_problem_media(schema)
        return schema

    def validation_error_from_error_contexts(
        self, error_contexts: list[ValidationErrorContext]
    ) -> ValidationError:
        """As ninja's own, but with the value that was wrong, which ninja throws away."""
        return ValidationError(
            [
                {
                    "field": ".".join(map(str, flat_place(context, fault["loc"]))),
                    "expected": expected(context, fault),
                    "value": None if fault["type"] == "missing" else fault["input"],
                }
                for context in error_contexts
                for fault in context.pydantic_validation_error.errors(include_url=False)
            ]
        )


def expected(context: ValidationErrorContext, fault: Any) -> str:
    """For a field that does not exist, those that do."""
    if fault["type"] != "extra_forbidden":
        return str(fault["msg"])
    known: dict[Any, Any] = context.model.model_fields
    for step in fault["loc"][:-1]:
        known = getattr(known[step].annotation, "model_fields", {}) if step in known else {}
    return f"one of the fields {', '.join(sorted(known))}" if known else "no such field"


def flat_place(context: ValidationErrorContext, place: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where the value stood in the request: ninja nests it under the names of our parameters."""
    model: Any = context.model
    if model.__ninja_param_source__ == "body":
        return place[1:] or ("body",)
    return tuple(model.__ninja_flatten_map_reverse__.get(place, place))


api = JudgewebAPI(
    title="judgeweb",
    version="1",
    description=DESCRIPTION,
    urls_namespace="api",
    parser=StrictParser(),
)


for routes in (
    runs,
    captures,
    judgements,
    calibrations,
    jobs,
    verdicts,
    boards,
    call_verdicts,
    rubrics_api,
):
    api.add_router("", routes.router)


# --- parameters of an address -----------------------------------------------------------------


def known_parameters(view: Callable[..., Any]) -> Callable[..., Any]:
    """A misspelt parameter is refused, as a misspelt field is: left out, it would answer another
    question than the one that was asked."""
    known = sorted(parameters_of(view._ninja_operation))  # type: ignore[attr-defined]

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if unknown := [name for name in request.GET if name not in known]:
            expected = f"one of the parameters {', '.join(known)}" if known else "no parameter"
            faults = [Fault(name, expected, request.GET[name]) for name in unknown]
            raise Problem(422, "Some parameters are not known.", faults=faults)
        return view(request, *args, **kwargs)

    return checked


def parameters_of(operation: Any) -> set[str]:
    """Those that ninja reads, and those that a view reads itself and says so."""
    extra = (operation.openapi_extra or {}).get("parameters", ())
    return {one["name"] for one in extra}.union(
        *(
            model.__ninja_flatten_map__
            for model in operation.models
            if model.__ninja_param_source__ == "query"
        )
    )


api.add_decorator(known_parameters, mode="operation")


# --- from error to status ---------------------------------------------------------------------


def problem_of(error: Exception) -> Problem:
    """The one map. What is not on it is a bug: 500 with a number to ask for."""
    match error:
        case Problem():
            return error
        case ValidationError():
            faults = [Fault(**fault) for fault in error.errors]
            return Problem(422, "Some values are not as expected.", faults=faults)
        case HttpError(__cause__=Problem() as cause):
            return cause
        case HttpError(__cause__=strict_json.NotJson() as cause):
            return Problem(400, f"The body is not JSON: {cause}", kind="not-json")
        case HttpError():
            return Problem(error.status_code, error.message)
    return problem_of_domain(error) or problem_of_django(error) or report(error)


def problem_of_domain(error: Exception) -> Problem | None:
    match error:
        case CaseRefused():
            faults = [Fault(error.field, error.message, error.value)]
            return Problem(422, error.message, kind="case-refused", faults=faults)
        case DocumentInvalid():
            faults = [
                Fault(place, message, error.values.get(place)) for place, message in error.problems
            ]
            detail = "The document breaks its rules."
            return Problem(422, detail, kind="document-invalid", faults=faults)
        case RunRefused():
            return Problem(422, str(error), faults=[Fault("run_id", str(error))])
    return None


def problem_of_django(error: Exception) -> Problem | None:
    match error:
        case Http404():
            return Problem(404, str(error) or "There is nothing at this address.")
        case PermissionDenied():
            return Problem(403, str(error) or "Not allowed.")
        case RequestDataTooBig():
            return Problem(413, "The body is larger than this installation takes.")
        case UnreadablePostError():
            return Problem(400, "The body could not be read to its end.")
        case SuspiciousOperation():
            return Problem(400, "The request is malformed.")
    return None


def report(error: Exception) -> Problem:
    """A fault of ours: the log has all of it, the answer only the number to ask for."""
    number = secrets.token_hex(4)
    log.error("report %s", number, exc_info=error)
    return Problem(
        500,
        f"This is a fault of judgeweb. Its log has the details under report {number}.",
        more={"report": number},
    )


def answer_error(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    assert isinstance(error, Exception)
    return answer(request, problem_of(error))


for kind in (Exception, Http404, HttpError, Throttled, ValidationError):
    api.add_exception_handler(kind, answer_error)


def as_problem_media(schema: dict[str, Any]) -> None:
    """ninja writes down one media type for all answers; errors have their own."""
    for operations in schema["paths"].values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if int(status) >= 400 and "content" in response:
                    (content,) = response["content"].values()
                    response["content"] = {MEDIA_TYPE: content}


# --- routes -----------------------------------------------------------------------------------


def _guarded(view: Callable[..., Any]) -> Callable[..., HttpResponseBase]:
    """An API view needs no session, and answers 405 in the one shape of errors."""

    @wraps(view, assigned=())
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        open_stream(request)
        try:
            check_address(request)
            response = view(request, *args, **kwargs)
        except (Http404, Problem) as error:
            return answer_error(request, error)
        if response.status_code == 405 and response["Content-Type"] != MEDIA_TYPE:
            allowed = response["Allow"]
            return answer(
                request,
                Problem(
                    405,
                    f"{request.method} is not for this address.",
                    faults=[Fault("method", allowed, request.method)],
                    headers={"Allow": allowed},
                ),
            )
        return response

    return login_not_required(guarded)


def check_address(request: HttpRequest) -> None:
    """PostgreSQL cannot even be asked for a text with NUL in it."""
    if "\0" in request.path_info or any("\0" in v for vs in request.GET.lists() for v in vs[1]):
        raise Problem(422, "The address holds a NUL character, which no name here has.")


@login_not_required
@csrf_exempt
def nothing_here(request: HttpRequest, rest: str) -> HttpResponse:
    return answer(request, Problem(404, "There is nothing at this address."))


DOCUMENTATION = {"openapi-json", "openapi-view"}
"""Read in the browser by people: these need a login, not a token."""


def urls() -> tuple[list[Any], str, str]:
    """ninja's routes, each guarded."""
    patterns, app_name, namespace = api.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern) and pattern.name not in DOCUMENTATION:
            pattern.callback = _guarded(pattern.callback)
    return patterns, app_name, namespace
