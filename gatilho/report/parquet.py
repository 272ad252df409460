"""Records as a Parquet file: the one user of pyarrow, which comes with the extra `gatilho[parquet]`."""

import io
from collections.abc import Iterable
from typing import Any

from gatilho.errors import UsageError
from gatilho.report.records import FIELDS


def parquet_bytes(found: Iterable[dict[str, Any]]) -> bytes:
    """Return a Parquet file with these records; raises UsageError where pyarrow is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow. Install it: pip install 'gatilho[parquet]'") from None
    types = {
        "integer": pyarrow.int64(), "number": pyarrow.float64(), "text": pyarrow.string(), "boolean": pyarrow.bool_(),
        "texts": pyarrow.list_(pyarrow.string()),
    }  # fmt: skip
    schema = pyarrow.schema([(name, types[kind]) for name, kind in FIELDS.items()])
    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(list(found), schema), out, compression="zstd")
    return out.getvalue()
