from django.apps import AppConfig
from django.contrib.admin import apps as admin


class AccessConfig(AppConfig):
    default = True
    name = "judgeweb.access"
    label = "access"
    verbose_name = "Access"


class SiteConfig(admin.AdminConfig):
    """Django's admin with our site: who enters is decided by role."""

    default = False
    default_site = "judgeweb.access.admin_site.Site"
