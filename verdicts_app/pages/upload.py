"""Uploading run results and captured calls in a browser: session, CSRF, the services of the API."""

from collections import Counter

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile as Posted
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from judgeweb.access.roles import Capability, needs
from verdicts_app.intake.preview import LINES_SHOWN, preview
from verdicts_app.intake.responses import RunRefused, Upload
from verdicts_app.pages.uploads_read import take_in_files

PREVIEW_BYTES = 512 * 1024
NAME = 200
FORM_BYTES = 64 * 1024
"""What the form's own fields and the boundaries between files may add to the files."""


@csrf_exempt  # `_form` checks the token: what is too large is refused before it is read
@needs(Capability.OPERATE)
def upload(request: HttpRequest) -> HttpResponseBase:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length) > settings.UPLOAD_MAX_BYTES + FORM_BYTES:
        return _answer(request, errors={"files": _too_large(int(length))}, status=413)
    return _form(request)


@csrf_protect
def _form(request: HttpRequest) -> HttpResponseBase:
    if request.method != "POST":
        return _answer(request)
    posted = request.FILES.getlist("files")
    errors = _errors(posted)
    if errors:
        return _answer(request, errors=errors, status=422)
    try:
        assert isinstance(request.user, User)
        receipt = take_in_files(
            run_id=request.POST.get("run", "").strip(),
            posted=posted,
            how=_how(request),
            user=request.user,
            dry_run=request.POST.get("dry_run") == "1",
        )
    except RunRefused as refused:
        return _answer(request, errors={"run": f"{refused}".capitalize() + "."}, status=422)
    context = {"receipt": receipt, "looks": [file for file in receipt.files if file.looks]}
    return render(request, "verdicts/upload_receipt.html", context)


def _how(request: HttpRequest) -> Upload:
    def sent(name: str) -> str:
        return request.POST.get(name, "").strip()[:NAME]

    return Upload(
        spec=sent("spec"),
        scenario=sent("scenario"),
        judge=sent("judge"),
        opponent=sent("opponent"),
        is_verdict=request.POST.get("holds") == "verdicts",
    )


def _errors(posted: list[Posted]) -> dict[str, str]:
    if not posted:
        return {"files": "Choose at least one file."}
    size = sum(file.size or 0 for file in posted)
    return {"files": _too_large(size)} if size > settings.UPLOAD_MAX_BYTES else {}


def _too_large(size: int) -> str:
    most = settings.UPLOAD_MAX_BYTES
    return (
        f"These files have {size / 1e6:,.1f} MB together; one upload takes {most / 1e6:,.1f} MB. "
        "Nothing was stored. Send them in several goes."
    )


@require_POST
@needs(Capability.OPERATE)
def upload_preview(request: HttpRequest) -> HttpResponseBase:
    """What a chosen file looks like, by its beginning; nothing is stored."""
    beginning = request.FILES.get("beginning")
    if beginning is None or (beginning.size or 0) > PREVIEW_BYTES:
        return JsonResponse(
            {"fault": f"Send a beginning of at most {PREVIEW_BYTES} bytes."}, status=422
        )
    found = preview(beginning.name or "", beginning.chunks())
    is_cut = request.POST.get("is_cut") == "1"
    # What is cut off in the middle says nothing about the file itself.
    lines = found.lines[:-1] if is_cut and len(found.lines) < LINES_SHOWN else found.lines
    types = Counter(line.call_type for line in lines if not line.fault)
    return JsonResponse(
        {
            "kind": found.kind,
            "lines": len(lines),
            "call_types": types,
            "faults": [{"line": line.number, "reason": line.fault} for line in lines if line.fault],
            "fault": "" if is_cut else found.fault,
        }
    )


def _answer(
    request: HttpRequest, *, errors: dict[str, str] | None = None, status: int = 200
) -> HttpResponse:
    sent = request.POST if request.method == "POST" and status != 413 else {}
    context = {
        "errors": errors or {},
        "run": sent.get("run", "") or f"upload-{timezone.localdate():%Y-%m-%d}",
        "spec": sent.get("spec", ""),
        "scenario": sent.get("scenario", ""),
        "named_judge": sent.get("judge", ""),  # `judge` is the installation's, in every page
        "opponent": sent.get("opponent", ""),
        "holds": sent.get("holds", ""),
        "most_bytes": settings.UPLOAD_MAX_BYTES,
    }
    return render(request, "verdicts/upload.html", context, status=status)
