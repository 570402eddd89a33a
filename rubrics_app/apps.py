from django.apps import AppConfig


class RubricsConfig(AppConfig):
    name = "rubrics_app"
    verbose_name = "Rubrics and scenarios"
