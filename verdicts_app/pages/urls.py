"""Routes of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path

from verdicts_app.pages import account, figures, leaderboard

urlpatterns: list[URLPattern] = [
    path("", leaderboard.leaderboard, name="leaderboard"),
    path("figures/", figures.figures, name="figures"),
    path("login/", account.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("account/", account.account, name="account"),
    path("account/password/", account.ChangePassword.as_view(), name="password"),
]
