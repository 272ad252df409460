"""Stands for `gatilho` where another program starts it: a fork server runs it with this process' handles.

    python -I -S fork_client.py SOCKET NAME [ARGUMENT]...

Imports what costs least, for it takes the place of a start that costs twenty times as much.
"""

import os
import sys
from _json import encode_basestring_ascii as quoted
from _socket import AF_UNIX, SCM_RIGHTS, SOL_SOCKET, socket


def main(path: str, *argv: str) -> int:
    """Hand over everything that a start takes along and wait for the end; the status, as a shell would say it."""
    words = ", ".join(map(quoted, argv))
    env = ", ".join(f"{quoted(name)}: {quoted(value)}" for name, value in os.environ.items())
    request = f'{{"argv": [{words}], "cwd": {quoted(os.getcwd())}, "env": {{{env}}}}}\n'.encode()
    handles = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
    connection = socket(AF_UNIX)
    connection.connect(path)
    sent = connection.sendmsg([request[:4096]], [(SOL_SOCKET, SCM_RIGHTS, handles)])
    if sent < len(request):  # else the run may have ended by now, and no one reads
        connection.sendall(request[sent:])
    said = b""
    while piece := connection.recv(64):
        said += piece
    status = int(said.split()[1])
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
