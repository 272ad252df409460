"""Keep one comment on a pull request, or one note on a merge request, up to date: python -I scripts/comment.py FILE

All else is from the environment. On GitHub: TOKEN, NUMBER (of the pull request), AUTHOR (whose comment may be changed),
and GitHub's own GITHUB_API_URL and GITHUB_REPOSITORY. On GitLab: GATILHO_TOKEN, and GitLab's own CI_API_V4_URL,
CI_PROJECT_ID and CI_MERGE_REQUEST_IID. A comment that cannot be written does not fail the job, whose log or summary
has the same text.
"""

import json
import os
import re
import sys
import urllib.error
import urllib.request
from typing import Any

_SECONDS = 30
_AT_ONCE = 100  # the most that either returns for one request
_MOST_PAGES = 50
_REFUSED = (401, 403, 404)  # a fork's token may read only


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is sent to no other address."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _GitHub:
    """The comments of a pull request."""

    name = "GitHub"
    changes = "PATCH"

    def __init__(self) -> None:
        self.number = os.environ["NUMBER"]
        self._repository = os.environ.get("GITHUB_REPOSITORY", "")
        self.listed = f"/repos/{self._repository}/issues/{self.number}/comments"

    def path_of(self, comment: dict[str, Any]) -> str:
        return f"/repos/{self._repository}/issues/comments/{int(comment['id'])}"

    def author_of(self, comment: dict[str, Any]) -> Any:
        return (comment.get("user") or {}).get("login")

    def author(self) -> Any:
        return os.environ["AUTHOR"]

    def adapted(self, body: str) -> str:
        return body

    def say(self, level: str, text: str) -> None:
        print(f"::{level} title=gatilho::{text}")

    def ask(self, method: str, path: str, content: dict[str, str] | None = None) -> Any:
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        return _ask(method, os.environ["GITHUB_API_URL"].rstrip("/") + path, headers, content)


class _GitLab:
    """The notes of a merge request."""

    name = "GitLab"
    changes = "PUT"

    def __init__(self) -> None:
        self.number = os.environ["CI_MERGE_REQUEST_IID"]
        self.listed = f"/projects/{int(os.environ['CI_PROJECT_ID'])}/merge_requests/{self.number}/notes"

    def path_of(self, comment: dict[str, Any]) -> str:
        return f"{self.listed}/{int(comment['id'])}"

    def author_of(self, comment: dict[str, Any]) -> Any:
        return None if comment.get("system") else (comment.get("author") or {}).get("username")

    def author(self) -> Any:
        return self.ask("GET", "/user")["username"]

    def adapted(self, body: str) -> str:
        """Return the text without what GitLab acts on: a line that begins with a slash, a number of a merge request."""
        return re.sub(r"\\!(?=\d)", "\\\\!\u200b", re.sub(r"^(\s*)/", r"\1\\/", body, flags=re.MULTILINE))

    def say(self, level: str, text: str) -> None:
        print(f"gatilho: {level}: {text}")

    def ask(self, method: str, path: str, content: dict[str, str] | None = None) -> Any:
        headers = {"PRIVATE-TOKEN": os.environ["GATILHO_TOKEN"]}
        return _ask(method, os.environ["CI_API_V4_URL"].rstrip("/") + path, headers, content)


def main() -> int:
    """Write the comment; return 0, and 2 only where its number is not a number."""
    with open(sys.argv[1], encoding="utf-8") as stream:
        body = stream.read()
    service = _GitHub() if "GITHUB_API_URL" in os.environ else _GitLab()
    if not service.number.isdigit():
        service.say("error", "NUMBER is not the number of a pull request.")
        return 2
    try:
        print(_keep(service, service.adapted(body)))
    except urllib.error.HTTPError as error:
        if error.code in _REFUSED:
            service.say("notice", f"No comment: the token may not write one here (HTTP {error.code}).")
        else:
            service.say("warning", f"No comment: {service.name} answered HTTP {error.code}.")
    except (OSError, ValueError) as error:
        service.say("warning", f"No comment: {type(error).__name__} while calling {service.name}.")
    return 0


def _keep(service: _GitHub | _GitLab, body: str) -> str:
    """Change our comment, or write the first one where a row changed; return what was done."""
    ours = _find(service, body.partition("\n")[0])
    if ours is None:
        if not any(line.startswith("- ") for line in body.split("\n")):
            return "No row changed: no comment."
        service.ask("POST", service.listed, {"body": body})
        return "Wrote the comment."
    if ours["body"].replace("\r\n", "\n").strip() == body.strip():
        return "The comment is already up to date."
    service.ask(service.changes, service.path_of(ours), {"body": body})
    return "Changed the comment."


def _find(service: _GitHub | _GitLab, marker: str) -> dict[str, Any] | None:
    """Return the first comment that begins with the marker and is by the author: anyone may write the marker."""
    author = service.author()
    for page in range(1, _MOST_PAGES + 1):
        comments = service.ask("GET", f"{service.listed}?per_page={_AT_ONCE}&page={page}")
        for comment in comments:
            if service.author_of(comment) == author and (comment.get("body") or "").startswith(marker):
                return dict(comment)
        if len(comments) < _AT_ONCE:
            break
    return None


def _ask(method: str, address: str, headers: dict[str, str], content: dict[str, str] | None) -> Any:
    request = urllib.request.Request(
        address,
        method=method,
        data=None if content is None else json.dumps(content).encode(),
        headers={**headers, "Content-Type": "application/json", "User-Agent": "gatilho"},
    )
    with urllib.request.build_opener(_NoRedirect).open(request, timeout=_SECONDS) as answer:
        return json.loads(answer.read())


if __name__ == "__main__":
    sys.exit(main())
