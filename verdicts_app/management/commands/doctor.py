"""`manage.py doctor`: is everything there that judging needs, and how is it mended?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from verdicts_app import diagnosis


class Command(BaseCommand):
    help = "Check database, clock, broker, worker, sweeper, judge, static files; name each fix."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--no-judge", action="store_true", help="Send no request to the judge (it costs)"
        )

    def handle(self, *args: Any, no_judge: bool, **options: Any) -> None:
        checks = [check for check in diagnosis.CHECKS if not (no_judge and check.asks_judge)]
        findings = [check.run() for check in checks]
        for finding in findings:
            sign = {"good": "✓", "look": "!", "bad": "✕"}[finding.level]
            self.stdout.write(f"{sign} {finding.name}: {finding.text}")
            if finding.fix:
                self.stdout.write(f"    fix: {finding.fix}")
        if any(finding.level == "bad" for finding in findings):
            raise SystemExit(1)
