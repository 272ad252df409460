"""What the searches of one hook may cost together, and what became of those that cost too much."""


class Budget:
    """The processor time that all searches of one hook share, in seconds, and what went wrong with which pattern.

    timed_out: patterns that were stopped, or got no turn among those that were. skipped: patterns that came when the
    time was spent. Both count as no match. invalid: (pattern, message) of patterns that the engine refuses. Each is
    noted once.
    """

    __slots__ = ("left", "timed_out", "skipped", "invalid")

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self.timed_out: list[str] = []
        self.skipped: list[str] = []
        self.invalid: list[tuple[str, str]] = []

    def is_invalid(self, pattern: str) -> bool:
        """Return whether the pattern was refused before."""
        return any(pattern == known for known, _ in self.invalid)
