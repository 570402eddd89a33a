"""The HTTP API: one NinjaAPI, the routers of both apps, the one map from error to status."""

from ninja import NinjaAPI

api = NinjaAPI(title="judgeweb", version="1", urls_namespace="api")
