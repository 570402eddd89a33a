"""Routes of runs, jobs, verdicts, upload, tokens and the audit log."""

from django.urls import URLPattern, path

from verdicts_app.pages import (
    audit,
    calls,
    drafting,
    jobs,
    judge_run,
    playground,
    relay,
    runs,
    tokens,
    upload,
    verdict,
)

urlpatterns: list[URLPattern] = [
    path("runs/", runs.runs, name="runs"),
    path("runs/<str:run_id>/", runs.run, name="run"),
    path("runs/<str:run_id>/progress/", runs.run_progress, name="run_progress"),
    path("runs/<str:run_id>/judge/", judge_run.judge_run, name="judge_run"),
    path("runs/<str:run_id>/calls/", calls.run_calls_part, name="run_calls"),
    path("runs/<str:run_id>/contracts/", calls.run_contracts_part, name="run_contracts"),
    path("runs/<str:run_id>/verdicts.json", calls.run_verdicts, name="run_verdicts"),
    path("calls/", calls.captures, name="captures"),
    path("calls/<int:capture_id>/", calls.capture, name="capture"),
    path("calls/prompts/", calls.prompts, name="prompts"),
    path("contracts/draft/", drafting.draft_contract, name="draft_contract"),
    path("contracts/drafted/<int:drafting_id>/", drafting.drafting, name="drafting"),
    path(
        "contracts/<int:contract_id>/changes/", drafting.contract_changes, name="contract_changes"
    ),
    path("jobs/<uuid:job_id>/", jobs.job, name="job"),
    path("jobs/<uuid:job_id>/pause/", jobs.pause, name="pause_job"),
    path("jobs/<uuid:job_id>/resume/", jobs.resume, name="resume_job"),
    path("jobs/<uuid:job_id>/cancel/", jobs.cancel, name="cancel_job"),
    path("jobs/<uuid:job_id>/retry/", jobs.retry, name="retry_job"),
    path("jobs/<uuid:job_id>/budget/", jobs.budget, name="job_budget"),
    path("jobs/<uuid:job_id>/unjudged/<str:reason>/", jobs.unjudged, name="unjudged"),
    path("verdicts/<int:verdict_id>/", verdict.verdict, name="verdict"),
    path("verdicts/<int:verdict_id>.json", verdict.verdict_json, name="verdict_json"),
    path("relays/<int:chain_id>/", relay.relay, name="relay"),
    path("judgements/<int:judgement_id>/", verdict.judgement, name="judgement"),
    path("playground/", playground.playground, name="playground"),
    path("playground/<int:judgement_id>/", playground.trial, name="trial"),
    path("playground/<int:judgement_id>/outcome/", playground.outcome, name="trial_outcome"),
    path("upload/", upload.upload, name="upload"),
    path("upload/preview/", upload.upload_preview, name="upload_preview"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", tokens.revoke, name="revoke_token"),
    path("audit/", audit.audit, name="audit"),
]
