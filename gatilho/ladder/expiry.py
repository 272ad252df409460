"""When a row is over by its age: time to live by kind, its own date, and what no override reaches."""

from gatilho.dates import days_between
from gatilho.model import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.config import Config


def reason_to_expire(row: Row, config: "Config", today: str, ttl_days: int | None = None) -> str:
    """Return why a row in force is over on that day (ISO), else "". ttl_days replaces its kind's time to live.

    A kind without a time to live is exempt, whatever ttl_days says; so is a row of an unknown kind, without a kind,
    or without the date on which it was added. A date of its own is a person's word.
    """
    if not row.in_force:
        return ""
    if row.expires and today > row.expires:
        return f"its own date, {row.expires}, is past"
    if row.kind not in config.kinds:
        return ""
    of_kind = config.kinds[row.kind][1]
    age = days_between(row.added, today)
    if of_kind is None or age is None:
        return ""
    limit = of_kind if ttl_days is None else ttl_days
    return f"added {row.added}, and a {row.kind} lives {limit} days" if age > limit else ""
