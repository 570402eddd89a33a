"""Users and their roles in the admin; every act there is in the audit log."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from judgeweb.access import audit

ROLES_IN_WORDS = (
    "A role is a group: viewers read everything, authors write rubrics and scenarios, operators "
    "upload and judge, admins do all of it and manage users. Each makes tokens for what the role "
    "may do. Without one nothing is shown. A superuser is an admin."
)


class Audited(admin.ModelAdmin):
    """Writes the audit log beside Django's own."""

    def audit(self, request: HttpRequest, verb: str, target: Model, detail: str = "") -> None:
        audit.record(
            actor=request.user.get_username(),
            action=f"{verb} {target._meta.verbose_name}",
            target=str(target),
            detail=detail,
        )

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        self.audit(request, "create", obj)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        entry = super().log_change(request, obj, message)
        self.audit(request, "change", obj, detail=entry.get_change_message())
        return entry

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        for obj in queryset:
            self.audit(request, "delete", obj)
        return super().log_deletions(request, queryset)


admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class AuditedUserAdmin(Audited, UserAdmin):
    """Without what the roles replace: single permissions and the staff flag."""

    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Personal info", {"fields": ("first_name", "last_name", "email")}),
        (
            "Roles",
            {
                "fields": ("groups", "is_active", "is_superuser"),
                "description": ROLES_IN_WORDS,
            },
        ),
        ("Important dates", {"fields": ("last_login", "date_joined")}),
    )
    list_display = ("username", "email", "first_name", "last_name", "roles")
    list_filter = ("groups", "is_active")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="Roles")
    def roles(self, user: User) -> str:
        return ", ".join(sorted(group.name for group in user.groups.all()))


@admin.register(Group)
class AuditedGroupAdmin(Audited, GroupAdmin):
    pass
