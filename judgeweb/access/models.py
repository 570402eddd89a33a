"""Who may do what: bearer tokens and the audit log. Roles are groups, see `roles`."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class Token(models.Model):
    """A bearer token. Only its SHA-256 is stored; `prefix` lets a person recognise it.

    `scopes` is a comma-separated subset of read, upload, judge, author."""

    name = models.CharField(max_length=100)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    prefix = models.CharField(max_length=12)
    sha256 = models.CharField(max_length=64, unique=True)
    scopes = models.CharField(max_length=100)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def scope_set(self) -> frozenset[str]:
        return frozenset(self.scopes.split(",")) - {""}


class AuditEntry(models.Model):
    """One state-changing act. `actor` is a user name, "token <prefix> of <user>" or "system"."""

    at = models.DateTimeField(db_default=Now())
    actor = models.CharField(max_length=200)
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=300, blank=True)
    detail = models.TextField(blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.actor}: {self.action} {self.target}"
