"""Uploads taken off the wire: whole, inflated, never over the limit.

Clients stream without Content-Length. Under WSGI Django then reads nothing and an upload would be
lost with a 200, so such a body is read from `wsgi.input` itself.
"""

from collections.abc import Callable
from io import BytesIO
from typing import Any, NamedTuple

from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.core.files.uploadhandler import MemoryFileUploadHandler, load_handler
from django.core.handlers.wsgi import LimitedStream
from django.http import HttpRequest, UnreadablePostError
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from judgeweb.problems import Fault, Problem
from verdicts_app.intake.files import NotGzip, TooLarge, UploadedFile, inflate

CHUNK = 64 * 1024
MULTIPART = "multipart/form-data"


class Upload(NamedTuple):
    """`form` holds the text fields of a multipart body."""

    files: list[UploadedFile]
    form: dict[str, str]


def read_upload(request: HttpRequest) -> Upload:
    """The files of the body: one JSON or NDJSON document, or the parts of a form.

    Raise Problem: 400 unreadable, 413 too large, 415 in an unknown encoding."""
    content = read_body(request)
    media_type = (request.content_type or "").lower()
    if media_type == MULTIPART:
        return _multipart(request, content)
    if not content.strip():
        raise Problem(422, "The body is empty: nothing was read.", kind="nothing-read")
    return Upload([UploadedFile("body", content, media_type)], {})


def read_body(request: HttpRequest) -> bytes:
    most = settings.UPLOAD_MAX_BYTES
    is_gzip = is_gzipped(request)
    raw = _read_raw(request, most)
    try:
        return inflate(raw, most=most) if is_gzip else raw
    except TooLarge as error:
        raise too_large(most) from error
    except NotGzip as error:
        raise Problem(400, f"The body is not gzip: {error}.", kind="not-gzip") from error


def is_gzipped(request: HttpRequest) -> bool:
    """Whether the body is sent as gzip. Raise Problem for any other encoding."""
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip"):
        raise Problem(
            415,
            "The body's Content-Encoding is not known.",
            faults=[Fault("Content-Encoding", "gzip or none", encoding)],
        )
    return encoding == "gzip"


def too_large(most: int) -> Problem:
    return Problem(
        413,
        f"The body is larger than the {most} bytes that this installation takes at once.",
        faults=[Fault("body", f"at most {most} bytes")],
    )


def open_stream(request: HttpRequest) -> None:
    """Let Django read a body that came without a length. Nothing is read yet.

    Only where the server says that its input ends by itself: else reading could wait for ever."""
    if ends_by_itself(request):
        stream: Any = LimitedStream(request.META["wsgi.input"], settings.UPLOAD_MAX_BYTES + 1)
        request._stream = stream


def ends_by_itself(request: HttpRequest) -> bool:
    """A body without a length, whose end the server finds."""
    environ = request.META
    is_marked = (
        "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()
        or environ.get("wsgi.input_terminated")
        or environ.get("SERVER_PROTOCOL", "").startswith("HTTP/2")
    )
    return bool(is_marked and not environ.get("CONTENT_LENGTH"))


def _read_raw(request: HttpRequest, most: int) -> bytes:
    announced = request.META.get("CONTENT_LENGTH") or ""
    if not announced.isdigit():
        return _read_at_most(request.read, most)
    if int(announced) > most:
        raise too_large(most)
    body = _read_at_most(request.read, most)
    if len(body) < int(announced):
        raise Problem(400, f"The body ended after {len(body)} of {announced} bytes.")
    return body


def _read_at_most(read: Callable[[int], bytes], most: int) -> bytes:
    body = bytearray()
    try:
        while piece := read(CHUNK):
            body += piece
            if len(body) > most:
                raise too_large(most)
    except UnreadablePostError:
        raise
    except OSError as error:
        raise UnreadablePostError(*error.args) from error
    return bytes(body)


def _multipart(request: HttpRequest, content: bytes) -> Upload:
    # The form is parsed from the bytes that were read: Content-Length counts those, unzipped.
    meta = {**request.META, "CONTENT_LENGTH": str(len(content))}
    handlers = [load_handler(path, request) for path in settings.FILE_UPLOAD_HANDLERS] or [
        MemoryFileUploadHandler(request)
    ]
    try:
        parser = MultiPartParser(meta, BytesIO(content), handlers, request.encoding or "utf-8")
        fields, files = parser.parse()
    except TooManyFilesSent as error:
        most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        raise Problem(413, f"More than {most} files in one request.") from error
    except MultiPartParserError as error:
        raise Problem(400, f"The form could not be read: {error}.") from error
    found = [
        UploadedFile(file.name or name, file.read(), (file.content_type or "").lower())
        for name in files
        for file in files.getlist(name)
    ]
    if not found:
        raise Problem(422, "The form holds no file: nothing was read.", kind="nothing-read")
    return Upload(found, {name: str(fields[name]) for name in fields})
