"""Routes of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path

from verdicts_app.pages import account, figures, leaderboard, trends, verdict_list, work_urls

urlpatterns: list[URLPattern] = [
    path("", leaderboard.leaderboard_page, name="leaderboard"),
    path("leaderboard.csv", leaderboard.leaderboard_csv, name="leaderboard_csv"),
    path("leaderboard.parquet", leaderboard.leaderboard_parquet, name="leaderboard_parquet"),
    path("leaderboard.json", leaderboard.leaderboard_json, name="leaderboard_json"),
    path("trends/", trends.trends_page, name="trends"),
    path("trends.csv", trends.trends_csv, name="trends_csv"),
    path("trends.parquet", trends.trends_parquet, name="trends_parquet"),
    path("trends.json", trends.trends_json, name="trends_json"),
    path("verdicts/", verdict_list.verdict_list_page, name="verdicts"),
    path("figures/", figures.figures, name="figures"),
    path("login/", account.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("account/", account.account, name="account"),
    path("account/password/", account.ChangePassword.as_view(), name="password"),
    *work_urls.urlpatterns,
]
