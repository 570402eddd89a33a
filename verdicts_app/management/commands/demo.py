"""`manage.py demo`: a running site with sample data, from nothing, with one command."""

import os
import secrets
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judgeweb import serving
from judgeweb.access.roles import Role
from judgeweb.family import Family
from verdicts_app.management.commands.serve import check_collected, serving_environment

USER = "demo"
STAND_IN_MODEL = "stand-in"


class Command(BaseCommand):
    help = "Migrate, load the sample data once, start web and worker, print address and login."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT") or 8000))
        parser.add_argument(
            "--stand-in",
            action="store_true",
            help="Start a local stand-in for the judge. Its marks mean nothing and say so.",
        )
        parser.add_argument("--stand-in-latency-ms", type=int, default=400)
        parser.add_argument("--prepare", action="store_true", help="Do all but start the servers")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        self.check_port(host, port)
        environment = serving_environment()
        # Beside the migrations: collecting and compressing takes as long as they do.
        collecting = serving.start_collecting(environment)
        with no_query_log():
            call_command("migrate", verbosity=0, interactive=False)
            self.load_sample()
        password = demo_password()
        check_collected(collecting)
        if options["prepare"]:
            return
        self.serve(host, port, environment, password, options)

    def check_port(self, host: str, port: int) -> None:
        try:
            serving.check_port_is_free(host, port)
        except serving.PortTaken as error:
            raise CommandError(
                f"{error}. If that is judgeweb, it is running already: open "
                f"http://{host}:{port}/. Otherwise choose another port: make demo PORT={port + 1}"
            ) from error

    def load_sample(self) -> None:
        from verdicts_app.sample.load import load_sample

        loaded = load_sample(now=timezone.now())
        verb = "Loaded" if loaded.is_new else "Kept"
        self.stdout.write(
            f"{verb} the sample data: {loaded.runs} runs, {loaded.verdicts} verdicts."
        )

    def serve(
        self,
        host: str,
        port: int,
        environment: dict[str, str],
        password: str,
        options: dict[str, Any],
    ) -> None:
        stand_in_port = serving.free_port()
        variables: dict[str, str] = {}
        if options["stand_in"]:
            variables = stand_in_variables(stand_in_port)
            environment |= variables | {"ANTHROPIC_API_KEY": ""}
        family = Family(environment)
        if options["stand_in"]:
            command = serving.stand_in_command(stand_in_port, options["stand_in_latency_ms"])
            family.start("stand-in judge", command, is_silent=True)
        family.start("web process", serving.web_command(host, port))
        family.start("worker", serving.worker_command())
        family.start("sweeper's clock", serving.clock_command())
        ended = family.watch(lambda: self.announce(host, port, password, variables))
        if ended:
            raise CommandError(ended)

    def announce(self, host: str, port: int, password: str, variables: dict[str, str]) -> None:
        address = f"http://{host}:{port}/"
        if not serving.wait_until_answering(address, 60):
            self.stderr.write(f"Nothing answers at {address} yet; look at the lines above.")
            return
        lines = ["", f"  judgeweb is ready at {address}", f"  login {USER}  password {password}"]
        if variables:
            lines.append("  The judge is a stand-in: its marks are no judgement. For commands:")
            lines.append("  export " + " ".join(f"{name}={it}" for name, it in variables.items()))
        elif not (settings.ANTHROPIC_API_KEY or settings.ANTHROPIC_BASE_URL):
            lines.append("  No judge is configured: set ANTHROPIC_API_KEY, or try")
            lines.append("  make demo ARGS=--stand-in")
        self.stdout.write("\n".join([*lines, "  Stop with Ctrl-C.", ""]))
        self.stdout.flush()


@contextmanager
def no_query_log() -> Iterator[None]:
    """While DEBUG is on, Django keeps each query as text, and SQLite renders that text by another
    query: half of the statements that loading the sample data takes."""
    debug, settings.DEBUG = settings.DEBUG, False
    try:
        yield
    finally:
        settings.DEBUG = debug


def stand_in_variables(port: int) -> dict[str, str]:
    """What makes the stand-in the judge, of the servers and of commands in another terminal."""
    return {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "JUDGE_MODEL": STAND_IN_MODEL,
        "JUDGE_IS_STAND_IN": "1",
    }


def demo_password() -> str:
    """The demo user's password: made once, kept in the data folder for its owner alone."""
    kept = Path(settings.DATA_DIR) / "demo-password"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.touch(mode=0o600)
        kept.write_text(secrets.token_urlsafe(9))
    password = kept.read_text()
    user, is_new = User.objects.get_or_create(username=USER)
    if is_new or not user.check_password(password):
        user.set_password(password)
        user.save()
    user.groups.add(Group.objects.get_or_create(name=Role.ADMIN)[0])
    return password
