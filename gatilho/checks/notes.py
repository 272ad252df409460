"""Notes that are too long to be read at a touch, and secrets in store files."""

from collections.abc import Iterator

from gatilho.index.index import IndexedRow
from gatilho.model import Place, Problem, ProblemKind
from gatilho.secret_shapes import Secret, find_secrets, masked
from gatilho.workspace.workspace import Workspace

LONG = ProblemKind("GT271", "warning", "a note has more than 400 characters")
SECRET = ProblemKind("GT272", "error", "a store file seems to hold a secret")
KINDS = (LONG, SECRET)
QUICK = True

LONGEST_NOTE = 400


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield the notes in force that are too long, and what looks like a secret in any line of a store file."""
    for found in workspace.rows_in_force:
        length = len(found.row.note)
        if length > LONGEST_NOTE:
            message = f"the note of {found.row.id} has {length} characters, more than {LONGEST_NOTE}: it may be cut off"
            remedy = "say what to do in one or two sentences, and link to the rest"
            yield workspace.problem(LONG, found, "note", message, remedy, found.row.note, LONGEST_NOTE)
    by_place = {(found.path, found.row.line): found for found in workspace.rows}
    for shown, path in workspace.documents.items():
        for number, raw in enumerate(workspace.sources.document(path).lines, 1):
            text = raw.decode("utf-8", "replace")
            for secret in find_secrets(text):
                yield _secret(secret, text, shown, number, by_place.get((path, number)))


def _secret(secret: Secret, text: str, file: str, line: int, found: IndexedRow | None) -> Problem:
    """Report a secret by its kind; the line is shown with stars in its place."""
    article = "an" if secret.kind[0] in "AO" else "a"
    message = f"this looks like {article} {secret.kind}: whoever can read the repository can use it"
    remedy = "revoke it where it was made, then take it out; git keeps what was committed"
    place = Place(file, line, secret.start + 1)
    width = secret.end - secret.start
    row = found.row.id if found else ""
    return Problem(SECRET.code, SECRET.severity, place, message, remedy, masked(text), width, row)
