from django.apps import AppConfig


class VerdictsConfig(AppConfig):
    name = "verdicts_app"
    verbose_name = "Runs and verdicts"
