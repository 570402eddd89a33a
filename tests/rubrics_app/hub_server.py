"""A hub on the loopback: what its client asks for of a data set, answered as the hub does.

`GET /api/datasets/NAME[/revision/REV]` (the commit), `GET /api/datasets/NAME/tree/COMMIT` (paths,
in pages), `HEAD` and `GET /datasets/NAME/resolve/COMMIT/PATH` (headers of the commit, then the
content; large files redirect to another host, here another port, that alone holds them). A data
set that was renamed redirects from its old name.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

COMMIT = "c0ffee" * 6 + "abcd"
CONVERTED = "refs/convert/parquet"
COPIES = "beef" * 10
PAGE = 2


@dataclass
class HubServer:
    """`files` by path, `copies` those of the branch of Parquet copies (None: there is none).

    `status` answers everything with an error, `answer_of` single large files; `token` is asked for
    where it is set; `asked` lists the requests, `tokens` those that came with a token."""

    name: str
    files: dict[str, bytes]
    copies: dict[str, bytes] | None = None
    status: int = 0
    code: str = ""
    token: str = ""
    answer_of: dict[str, int] = field(default_factory=dict)
    old_name: str = "isle/beacon-old"
    asked: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    url: str = ""
    bucket: str = ""

    def answer(self, method: str, path: str, headers: Any) -> "Answer":
        self.asked.append(f"{method} {path}")
        if headers.get("Authorization"):
            self.tokens.append(path)
        where = unquote(urlsplit(path).path)
        if self.status:
            return Answer.no(self.status, self.code)
        if where.startswith("/bucket/"):
            return self._large(where.removeprefix("/bucket/"))
        if self.old_name in where:
            return Answer(307, headers={"Location": path.replace(self.old_name, self.name)})
        if self.token and headers.get("Authorization") != f"Bearer {self.token}":
            return Answer.no(401, "RepoNotFound")
        return self._of_the_data_set(where, path)

    def _of_the_data_set(self, where: str, path: str) -> "Answer":
        api, files = f"/api/datasets/{self.name}", f"/datasets/{self.name}/resolve/"
        if where == api or where.startswith(f"{api}/revision/"):
            return self._info(where.removeprefix(api).removeprefix("/revision/"))
        if where.startswith(f"{api}/tree/"):
            return self._tree(where.removeprefix(f"{api}/tree/"), path)
        if where.startswith(files):
            return self._resolve(where.removeprefix(files))
        return Answer.no(404, "RepoNotFound")

    def _at(self, revision: str) -> tuple[str, dict[str, bytes]] | None:
        if revision in ("", "main", COMMIT):
            return COMMIT, self.files
        if revision in (CONVERTED, COPIES) and self.copies is not None:
            return COPIES, self.copies
        return None

    def _large(self, place: str) -> "Answer":
        commit, _, path = place.partition("/")
        found = self._at(commit)
        assert found
        return Answer(self.answer_of.get(path, 200), found[1][path])

    def _info(self, revision: str) -> "Answer":
        found = self._at(revision)
        if found is None:
            return Answer.no(404, "RevisionNotFound")
        siblings = [{"rfilename": path} for path in found[1]]
        return Answer.of({"id": self.name, "sha": found[0], "siblings": siblings})

    def _tree(self, revision: str, path: str) -> "Answer":
        found = self._at(revision)
        assert found, revision  # The commit is asked for, as it was told.
        query = parse_qs(urlsplit(path).query)
        start = int(query.get("cursor", ["0"])[0])
        rows = [
            {"type": "file", "path": name, "size": len(content), "oid": _etag(content)}
            for name, content in found[1].items()
        ]
        answer = Answer.of(rows[start : start + PAGE])
        if start + PAGE < len(rows):
            address = f"{self.url}{urlsplit(path).path}?recursive=True&cursor={start + PAGE}"
            answer.headers["Link"] = f'<{address}>; rel="next"'
        return answer

    def _resolve(self, place: str) -> "Answer":
        commit, _, path = place.partition("/")
        found = self._at(commit)
        if found is None or path not in found[1]:
            return Answer.no(404, "EntryNotFound")
        content = found[1][path]
        headers = {"X-Repo-Commit": found[0], "ETag": f'"{_etag(content)}"'}
        if not path.endswith(".parquet"):
            return Answer(200, content, headers)
        # As of all that is kept in large-file storage.
        return Answer(
            302,
            headers={
                **headers,
                "X-Linked-Etag": f'"{hashlib.sha256(content).hexdigest()}"',
                "X-Linked-Size": str(len(content)),
                "Location": f"{self.bucket}/bucket/{quote(place)}",
            },
        )


@dataclass
class Answer:
    status: int
    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, value: Any) -> "Answer":
        return cls(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    @classmethod
    def no(cls, status: int, code: str) -> "Answer":
        return cls(status, headers={"X-Error-Code": code, "X-Error-Message": "no"})


def _etag(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


def handler_of(hub: HubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(with_content=True)

        def do_HEAD(self) -> None:
            self._answer(with_content=False)

        def _answer(self, *, with_content: bool) -> None:
            answer = hub.answer(self.command, self.path, self.headers)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            if with_content:
                self.wfile.write(answer.content)

        def log_message(self, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def serving(hub: HubServer) -> Iterator[HubServer]:
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), handler_of(hub)) for _ in range(2)]
    hub.url, hub.bucket = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    threads = [Thread(target=server.serve_forever, args=(0.02,)) for server in servers]
    for thread in threads:
        thread.start()
    try:
        yield hub
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()
