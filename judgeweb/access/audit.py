"""The audit log: every state-changing act, in the transaction of the act."""

from judgeweb.access.models import AuditEntry


def record(*, actor: str, action: str, target: str = "", detail: str = "") -> None:
    """`actor` is a user name, "token <prefix> of <user>", "command" or "system"; `action` is
    verb and noun, as in "publish rubric"."""
    AuditEntry.objects.create(
        actor=actor[:200], action=action[:60], target=target[:300], detail=detail
    )
