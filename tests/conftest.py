"""What holds for every test: no network, a data folder of its own, no plugins of the developer."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings


def pytest_configure() -> None:
    """No deadlines for single examples: two cores that are shared make them fail by chance."""
    settings.register_profile("shared-cores", deadline=None)
    settings.load_profile("shared-cores")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Inspect's default; tests that hold for both parametrise it themselves."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def bazaar_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The BAZAARBENCH_HOME of this test run, shared by its workers: states are built once."""
    base = tmp_path_factory.getbasetemp()
    if base.name.startswith("popen-gw"):
        base = base.parent
    home = base / "bazaarbench-home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAZAARBENCH_HOME", str(home))
        patch.setenv("BAZAARBENCH_LOAD_PLUGINS", "")
        patch.delenv("BAZAARBENCH_RECORDS", raising=False)
        yield home


@pytest.fixture(scope="session", autouse=True)
def offline() -> Iterator[None]:
    """Refuse every name and every address that is not on this machine."""
    real_connect, real_connect_ex = socket.socket.connect, socket.socket.connect_ex
    real_getaddrinfo = socket.getaddrinfo

    def connect(self: socket.socket, address: Any) -> None:
        _refuse_remote(self.family, address)
        real_connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        _refuse_remote(self.family, address)
        return real_connect_ex(self, address)

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_local(host):
            raise socket.gaierror(socket.EAI_NONAME, f"tests are offline: {host!r} was looked up")
        return real_getaddrinfo(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        patch.setattr(socket.socket, "connect_ex", connect_ex)
        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        yield


def _refuse_remote(family: int, address: Any) -> None:
    if family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
        raise ConnectionRefusedError(f"tests are offline: {address[0]!r} was called")


def _is_local(host: Any) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
