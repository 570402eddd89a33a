"""All settings. Values come from the environment; `docs/deployment.md` lists the variables."""

import secrets
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from judgeweb import environment as env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("JUDGEWEB_DATA_DIR", str(BASE_DIR / "var")))
DEBUG = env.boolean("DEBUG", True)

VERSION = "0.1.0"


def _secret_key() -> str:
    """The key from the environment; while DEBUG is on, one made at first start and kept."""
    key = env.text("DJANGO_SECRET_KEY")
    kept = DATA_DIR / "secret-key"
    if key:
        if not DEBUG and (len(key) < 32 or key.startswith(("django-insecure", "change"))):
            raise ImproperlyConfigured(
                "DJANGO_SECRET_KEY is a placeholder or shorter than 32 characters; "
                "make one with: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
            )
        return key
    if not DEBUG:
        raise ImproperlyConfigured("DEBUG is off and DJANGO_SECRET_KEY is not set")
    if not kept.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{secrets.token_hex(4)}")
        draft.write_text(secrets.token_urlsafe(50))
        draft.chmod(0o600)
        # A hard link fails where another process was first: then that one's key counts.
        with suppress(FileExistsError):
            kept.hardlink_to(draft)
        draft.unlink()
    return kept.read_text()


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "*" if DEBUG else "localhost,127.0.0.1")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "judgeweb.access.apps.SiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "judgeweb.staticfiles.CollectedFiles",
    "adminsortable2",
    "axes",
    "csp",
    "django_htmx",
    "ninja",
    "judgeweb.access",
    "rubrics_app",
    "verdicts_app",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "judgeweb.urls"
WSGI_APPLICATION = "judgeweb.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "verdicts_app.pages.context.chrome",
            ],
        },
    }
]

# --- database ----------------------------------------------------------------------------------

DATABASE_URL = env.text("DATABASE_URL", f"sqlite:///{DATA_DIR / 'judgeweb.sqlite3'}")
DATABASES = {"default": dj_database_url.parse(DATABASE_URL, conn_max_age=60)}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    Path(DATABASES["default"]["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    # IMMEDIATE: a transaction that will write takes the lock at its start, so that it can wait
    # for it; a read that turns into a write fails at once whatever the timeout.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "PRAGMA foreign_keys=ON; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- people ------------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "judgeweb.access.backends.RoleBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "leaderboard"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = env.integer("LOGIN_FAILURE_LIMIT", 10, least=1)
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "verdicts_app.pages.account.locked_out"
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# --- security ----------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "style-src": [SELF],
        "script-src": [SELF],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
HTTPS = env.boolean("HTTPS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = env.integer("HSTS_SECONDS", 0)
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 2_000  # a folder of run results
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000  # a rubric of 300 items posts 1,800 fields in the admin

# Of each process: all that it holds is how many bad tokens an address has sent lately.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# --- time, text, static ------------------------------------------------------------------------

TIME_ZONE = env.text("TIME_ZONE", "UTC")
USE_TZ = True
LANGUAGE_CODE = "en"
USE_I18N = False
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("vendor/plotly", str(files("plotly") / "package_data")),
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "judgeweb.staticfiles.GzippedFiles"
        if not DEBUG
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG

# --- queue -------------------------------------------------------------------------------------

# The embedded broker only wakes workers; the database rows are the truth.
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", "filesystem://localhost")

# --- the judge ---------------------------------------------------------------------------------

ANTHROPIC_API_KEY = env.text("ANTHROPIC_API_KEY")
ANTHROPIC_BASE_URL = env.text("ANTHROPIC_BASE_URL")
JUDGE_MODEL = env.text("JUDGE_MODEL", "claude-sonnet-5-5")
JUDGE_EFFORT = env.text("JUDGE_EFFORT", "medium")
JUDGE_OUTPUT_MODE = env.text("JUDGE_OUTPUT_MODE", "format")
JUDGE_REPORTS_USAGE = env.boolean("JUDGE_REPORTS_USAGE", True)
JUDGE_MAX_TOKENS = env.integer("JUDGE_MAX_TOKENS", 8000, least=256, most=21_000)
JUDGE_MAX_ATTEMPTS = env.integer("JUDGE_MAX_ATTEMPTS", 5, least=1, most=20)
JUDGE_TIMEOUT_S = env.integer("JUDGE_TIMEOUT_S", 600, least=1)
JUDGE_IN_FLIGHT = env.integer("JUDGE_IN_FLIGHT", 64, least=1, most=1000)
JUDGE_LEASE_S = env.integer("JUDGE_LEASE_S", 120, least=2)
JUDGE_DRAIN_S = env.integer("JUDGE_DRAIN_S", 60, least=1)
JUDGE_SWEEP_S = env.integer("JUDGE_SWEEP_S", 15, least=1)
# Set by `manage.py demo --stand-in`: verdicts are labelled "stand-in, not a judgement".
JUDGE_IS_STAND_IN = env.boolean("JUDGE_IS_STAND_IN", False)
JUDGE_DEFAULT_BUDGET_USD = env.text("JUDGE_DEFAULT_BUDGET_USD", "50")
MINIMUM_SCENARIOS = 5
# Requests that may wait for their judgement; each holds a thread of the web process.
JUDGE_WAITERS = env.integer("JUDGE_WAITERS", 2, least=0, most=100)
UPLOAD_MAX_BYTES = env.integer("UPLOAD_MAX_BYTES", 32 * 1024 * 1024, least=1024)
CAPTURE_LINE_MAX_BYTES = env.integer("CAPTURE_LINE_MAX_BYTES", 16 * 1024 * 1024, least=1024)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"refusals": {"()": "judgeweb.logs.NoTracebackOfRefusals"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "plain",
            "filters": ["refusals"],
        }
    },
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
    "loggers": {name: {"level": "WARNING"} for name in ("httpx2", "anthropic", "axes.handlers")},
}
