"""The URL map. Pages need a login, `/api` a bearer token; only the login page needs neither."""

from django.contrib import admin
from django.urls import include, path

from judgeweb import api

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls()),
    path("api/<path:rest>", api.nothing_here),
    path("", include("verdicts_app.pages.urls")),
]

handler500 = "verdicts_app.pages.errors.server_error"
