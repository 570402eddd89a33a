from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "judgeweb.access"
    label = "access"
    verbose_name = "Access"
