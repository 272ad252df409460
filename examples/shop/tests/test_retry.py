import time


def test_retry_waits() -> None:
    started = time.monotonic()
    assert time.monotonic() - started < 0.2
