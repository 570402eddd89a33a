"""The admin as a browser posts it: forms are filled from what the page holds."""

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client


class _Fields(HTMLParser):
    """Names and values of the fields of one form."""

    def __init__(self, form_id: str) -> None:
        super().__init__()
        self.form_id = form_id
        self.fields: dict[str, str] = {}
        self.inside = False
        self.textarea = self.select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = self.form_id in (found.get("id"), found.get("action"))
        if not self.inside:
            return
        name = found.get("name", "")
        if tag == "input" and name and found.get("type") not in ("submit", "checkbox"):
            self.fields[name] = found.get("value", "")
        elif tag == "input" and found.get("type") == "checkbox" and "checked" in found:
            self.fields[name] = found.get("value", "on")
        elif tag == "textarea":
            self.textarea = name
            self.fields[name] = ""
        elif tag == "select":
            self.select = name
        elif tag == "option" and "selected" in found:
            self.fields[self.select] = found.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        if tag == "textarea":
            self.textarea = ""

    def handle_data(self, data: str) -> None:
        if self.textarea:
            self.fields[self.textarea] += data


def form_fields(html: str, form_id: str) -> dict[str, str]:
    """What a browser would post: a textarea loses its first line break and sends CRLF."""
    parser = _Fields(form_id)
    parser.feed(html)
    return {
        name: value.removeprefix("\n").replace("\n", "\r\n") if "\n" in value else value
        for name, value in parser.fields.items()
        if "__prefix__" not in name
    }


@pytest.fixture
def admin_page(client: Client) -> Callable[..., Any]:
    """admin_page(url, form_id) -> the fields of the form, ready to be changed and posted."""

    def fields(url: str, form_id: str, by: Client = client) -> dict[str, str]:
        response = by.get(url)
        assert response.status_code == 200, response
        return form_fields(response.content.decode(), form_id)

    return fields


@pytest.fixture
def author(client: Client, make_user: Any) -> Any:
    user = make_user("author", "ada")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return user
