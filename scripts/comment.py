"""Keep one comment on a pull request up to date: python -I scripts/comment.py FILE, all else from the environment.

TOKEN, NUMBER (of the pull request), AUTHOR (whose comment may be changed), and GitHub's own GITHUB_API_URL and
GITHUB_REPOSITORY. A comment that cannot be written does not fail the job, whose summary has the same text.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from typing import Any

_SECONDS = 30
_AT_ONCE = 100  # the most that GitHub returns for one request
_MOST_PAGES = 50
_REFUSED = (401, 403, 404)  # a fork's token may read only


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is sent to no other address."""

    def redirect_request(self, *_: Any) -> None:
        return None


def main() -> int:
    """Write the comment; return 0, and 2 only where NUMBER is not a number."""
    with open(sys.argv[1], encoding="utf-8") as stream:
        body = stream.read()
    if not os.environ["NUMBER"].isdigit():
        print("::error title=gatilho::NUMBER is not the number of a pull request.")
        return 2
    try:
        print(_keep(body))
    except urllib.error.HTTPError as error:
        if error.code in _REFUSED:
            print(f"::notice title=gatilho::No comment: the token may not write one here (HTTP {error.code}).")
        else:
            print(f"::warning title=gatilho::No comment: GitHub answered HTTP {error.code}.")
    except (OSError, ValueError) as error:
        print(f"::warning title=gatilho::No comment: {type(error).__name__} while calling GitHub.")
    return 0


def _keep(body: str) -> str:
    """Change our comment, or write the first one where a row changed; return what was done."""
    repository, number = os.environ["GITHUB_REPOSITORY"], os.environ["NUMBER"]
    ours = _find(f"/repos/{repository}/issues/{number}/comments", body.partition("\n")[0])
    if ours is None:
        if not any(line.startswith("- ") for line in body.split("\n")):
            return "No row changed: no comment."
        _ask("POST", f"/repos/{repository}/issues/{number}/comments", {"body": body})
        return "Wrote the comment."
    if ours["body"].replace("\r\n", "\n").strip() == body.strip():
        return "The comment is already up to date."
    _ask("PATCH", f"/repos/{repository}/issues/comments/{int(ours['id'])}", {"body": body})
    return "Changed the comment."


def _find(path: str, marker: str) -> dict[str, Any] | None:
    """Return the first comment that begins with the marker and is by the author: anyone may write the marker."""
    for page in range(1, _MOST_PAGES + 1):
        comments = _ask("GET", f"{path}?per_page={_AT_ONCE}&page={page}")
        for comment in comments:
            is_ours = (comment.get("user") or {}).get("login") == os.environ["AUTHOR"]
            if is_ours and (comment.get("body") or "").startswith(marker):
                return dict(comment)
        if len(comments) < _AT_ONCE:
            break
    return None


def _ask(method: str, path: str, content: dict[str, str] | None = None) -> Any:
    request = urllib.request.Request(
        os.environ["GITHUB_API_URL"].rstrip("/") + path,
        method=method,
        data=None if content is None else json.dumps(content).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "Content-Type": "application/json",
            "User-Agent": "gatilho",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urllib.request.build_opener(_NoRedirect).open(request, timeout=_SECONDS) as answer:
        return json.loads(answer.read())


if __name__ == "__main__":
    sys.exit(main())
