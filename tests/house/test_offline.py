"""Tests cannot reach the network."""

from __future__ import annotations

import socket

import pytest


def test_a_remote_name_is_not_looked_up() -> None:
    with pytest.raises(socket.gaierror, match="tests are offline"):
        socket.create_connection(("model.example", 443), timeout=1)


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1"])
def test_a_remote_address_is_not_called(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as one, pytest.raises(ConnectionRefusedError, match="offline"):
        one.connect((address, 443))


def test_a_server_on_loopback_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("localhost", port), timeout=5) as one:
            assert one.getpeername()[1] == port
