"""create_token --user NAME --scopes read,upload: a bearer token, printed once."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judgeweb.access.roles import SCOPES
from judgeweb.access.tokens import TokenRefused, create_token


class Command(BaseCommand):
    help = "Make a bearer token for an existing user and print it. It is shown only here."
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", required=True, help="name of an existing user")
        parser.add_argument("--scopes", required=True, help=f"some of {','.join(SCOPES)}")
        parser.add_argument("--name", default="command line", help="what the token is for")
        parser.add_argument("--days", type=int, help="days until it expires (default: never)")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        days = options["days"]
        if days is not None and not 1 <= days <= 36_500:
            raise CommandError(f"--days {days}: expected 1 to 36500")
        try:
            _, secret = create_token(
                user=user,
                name=options["name"],
                scopes=[scope.strip() for scope in options["scopes"].split(",") if scope.strip()],
                expires_at=timezone.now() + timedelta(days=days) if days else None,
                actor="command",
            )
        except TokenRefused as refused:
            raise CommandError(f"{refused.field}: {refused.message}") from refused
        self.stdout.write(secret)
