"""What the tests of the adapters share.

They run with the real packages, by `make adapters`; `make test` leaves them alone.
"""

import socket

import pytest


@pytest.fixture
def unconnected(monkeypatch):
    """A machine without a network: any attempt at a connection fails the test."""

    def refuse(*arguments, **options):
        raise AssertionError(f"the network was asked: {arguments} {options}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
