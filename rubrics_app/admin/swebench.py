"""SWE-bench instances, to be read and never changed; their aliases are edited."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from judgeweb.access.admin import Audited
from rubrics_app.models import SweAlias, SweInstance


@admin.register(SweInstance)
class SweInstanceAdmin(admin.ModelAdmin):
    list_display = ["instance_id", "repo", "version", "source", "imported_at"]
    list_filter = ["repo"]
    search_fields = ["instance_id", "repo", "aliases__alias"]
    exclude = ["extras"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(SweAlias)
class SweAliasAdmin(Audited):
    list_display = ["alias", "instance"]
    list_select_related = ["instance"]
    search_fields = ["alias", "instance__instance_id"]
    autocomplete_fields = ["instance"]
