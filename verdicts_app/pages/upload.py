"""Uploading run results in a browser: session and CSRF, the same service as the API."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile as Posted
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from judgeweb.access.roles import Capability, needs
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import FileCounts, Receipt, Refusal, Remark
from verdicts_app.intake.responses import RunRefused, take_in

FORM_BYTES = 64 * 1024
"""What the form's own fields and the boundaries between files may add to the files."""


@dataclass(frozen=True)
class FileReceipt:
    counts: FileCounts
    refused: tuple[Refusal, ...]
    warnings: tuple[Remark, ...]


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
        receipt = _take_in(request, posted)
    except RunRefused as refused:
        return _answer(request, errors={"run": f"{refused}".capitalize() + "."}, status=422)
    context = {"receipt": receipt, "files": file_receipts(receipt)}
    return render(request, "verdicts/upload_receipt.html", context)


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


def _take_in(request: HttpRequest, posted: list[Posted]) -> Receipt:
    assert isinstance(request.user, User)
    return take_in(
        run_id=request.POST.get("run", "").strip(),
        files=(
            UploadedFile(
                name=file.name or "file",
                content=file.read(),
                media_type=(file.content_type or "").partition(";")[0].strip(),
            )
            for file in posted
        ),
        spec=request.POST.get("spec", "").strip(),
        scenario=request.POST.get("scenario", "").strip(),
        user=request.user,
        actor=request.user.get_username(),
    )


def file_receipts(receipt: Receipt) -> list[FileReceipt]:
    """The receipt, file by file, in the order in which they were sent."""
    return [
        FileReceipt(
            counts=counts,
            refused=tuple(line for line in receipt.refused if line.file == counts.file),
            warnings=tuple(line for line in receipt.warnings if line.file == counts.file),
        )
        for counts in receipt.files
    ]


def _answer(
    request: HttpRequest, *, errors: dict[str, str] | None = None, status: int = 200
) -> HttpResponse:
    sent = request.POST if request.method == "POST" and status != 413 else {}
    context = {
        "errors": errors or {},
        "run": sent.get("run", "") or f"upload-{timezone.localdate():%Y-%m-%d}",
        "spec": sent.get("spec", ""),
        "scenario": sent.get("scenario", ""),
        "most_bytes": settings.UPLOAD_MAX_BYTES,
    }
    return render(request, "verdicts/upload.html", context, status=status)
