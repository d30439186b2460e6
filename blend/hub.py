"""Datasets of the Hugging Face Hub: what a repository holds at a commit, through `huggingface_hub`.

The listing, the addresses and the user's token (HF_TOKEN or a stored login, as for every tool of the Hub) are its work;
bytes are fetched by `web`, which goes on where a killed run was cut and checks every file's hash. HF_ENDPOINT names
another Hub.
"""

import logging
import os
from dataclasses import dataclass
from typing import Any

from bookblend.blend.model import Hub
from bookblend.blend.web import SAID, Remote, refusal
from bookblend.errors import BookblendError, InputError

_HOME = "https://huggingface.co"
CARD = "README.md"


@dataclass(frozen=True, slots=True)
class Repository:
    """The files of a dataset at a commit, by name."""

    hub: Hub
    files: dict[str, Remote]


def list_repository(hub: Hub) -> Repository:
    """What a dataset holds at its commit, with sizes and hashes.

    Raises `InputError` for a dataset or commit that is not there or not open to the user, `BookblendError` where the
    Hub cannot be reached.
    """
    api, errors = _api()
    headers = _headers()
    try:
        tree = list(api.list_repo_tree(hub.repo, recursive=True, revision=hub.revision, repo_type="dataset"))
    except errors.HfHubHTTPError as error:
        raise _refused(hub, error) from error
    except errors.HFValidationError as error:
        raise InputError(f"{hub.repo}: is no name that a dataset can have; check repo in the recipe") from error
    except (errors.OfflineModeIsEnabled, OSError, ValueError, *_transport_errors()) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise BookblendError(
            f"{hub.repo}: {api.endpoint} cannot be reached ({first}); run it again, what has been fetched is kept"
        ) from error
    files = {item.path: _remote(hub, api.endpoint, item, headers) for item in tree if hasattr(item, "blob_id")}
    return Repository(hub, files)


def _api() -> tuple[Any, Any]:
    """The Hub's client; without telemetry, and asked for late, since it takes 0.2 s to load."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import HfApi, errors

    logging.getLogger("huggingface_hub.utils._http").addFilter(_is_wait)
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT", "").rstrip("/") or _HOME, library_name="bookblend"), errors


def _is_wait(record: logging.LogRecord) -> bool:
    """Of what the Hub's client says of its tries, only how long it waits; what failed is said once, at the end."""
    return record.getMessage().startswith(("Rate limited", "Retrying"))


def _transport_errors() -> tuple[type[Exception], ...]:
    import httpx2

    return (httpx2.TransportError,)


def _headers() -> dict[str, str]:
    """What the Hub wants to see of a user who is logged in; no other header of its client is needed for bytes."""
    from huggingface_hub import constants, get_token

    token = None if constants.HF_HUB_DISABLE_IMPLICIT_TOKEN else get_token()
    return {"Authorization": f"Bearer {token}"} if token else {}


def _remote(hub: Hub, endpoint: str, item: Any, headers: dict[str, str]) -> Remote:
    from huggingface_hub import hf_hub_url

    return Remote(
        name=f"{hub.repo}: {item.path}",
        url=hf_hub_url(hub.repo, item.path, repo_type="dataset", revision=hub.revision, endpoint=endpoint),
        digest=f"sha256:{item.lfs.sha256}" if item.lfs else f"git:{item.blob_id}",
        size=item.lfs.size if item.lfs else item.size,
        headers=headers,
    )


def _refused(hub: Hub, error: Any) -> BookblendError:
    response = error.response
    code, url = response.status_code, str(response.url).partition("?")[0]
    if code == 429 or code >= 500:
        why = "limits how much may be asked for: wait some minutes" if code == 429 else "has a fault of its own"
        return BookblendError(f"{hub.repo}: the Hub answers {code} ({url}), it {why}; run it again to go on")
    return InputError(refusal(f"{hub.repo}@{hub.revision}", url, code, response.headers.get(SAID) or ""))
