"""Files at URLs, each fetched whole through fsspec."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from conll.errors import ConllError, pluralize
from conll.system import Budget, unstarted

PATIENCE = 60.0
"""Seconds without a byte after which a server of the web is given up."""

LONGEST = 3600.0
"""Seconds that an answer of a server of the web may take in all."""

BLOCK = 1 << 20
"""Bytes of a file that are read at a time."""

MOST = 1 << 36
"""The most bytes of a file: a server may send on for ever."""

DEEP = 100
"""How deep folders may lie in one another, of a directory on the web, where links may lead on for
ever."""

INSTALL = "pip install 'conll-scorer[remote]'"

_held: dict[int, Any] = {}
"""Every file system opened here, by identity: were a forked process to drop one of its parent's,
the connections in it would be closed, and the parent's loop would be deaf to them."""


def fetched(url: str, limit: int | None = None) -> Iterator[bytes]:
    """Fetch the file at a URL, piece by piece.

    Args:
        url: The URL, of any protocol that fsspec knows.
        limit: The most bytes that the file may have.

    Yields:
        The content in order.

    Raises:
        OSError: The file cannot be fetched, or the server is too slow.
        ModuleNotFoundError: A package for the protocol is missing.
        ConllError: The protocol is unknown, the file is larger than the limit, or another number
            of bytes comes than the server says.
    """
    system, name = _system_of(url)
    expected = _size_of(url, system, name)
    most = MOST if limit is None else limit
    Budget(most).spend(expected or 0, url)
    budget, size = Budget(most), 0
    # Without blocks, fsspec reads a file on the web from one end to the other.
    options = {"block_size": 0, "size": expected} if _is_http(url) else {"block_size": BLOCK}
    with _refusing(url), system.open(name, "rb", **options) as file:
        while piece := file.read(BLOCK):
            size += len(piece)
            budget.spend(len(piece), url)
            yield piece
    if expected is not None and size != expected:
        arrived = f"{'only ' * (size < expected)}{size} of {pluralize(expected, 'byte')} arrived"
        raise ConllError(url, 0, f"{arrived}; run again, or download the file first")


def _size_of(url: str, system: Any, name: str) -> int | None:
    """Ask the server for the size of a file, which it may not know."""
    with _refusing(url):
        system.invalidate_cache()
        info = system.info(name)
    if info.get("type") == "directory":
        raise IsADirectoryError(errno.EISDIR, "is a directory", url)
    size = info.get("size")
    return None if size is None else int(size)


def is_url(path: str) -> bool:
    """Return whether a path names a file for fsspec."""
    return "://" in path


def _is_http(url: str) -> bool:
    """Return whether a URL is on the web, where only its final slash marks a directory."""
    return url.startswith(("http://", "https://"))


def _system_of(url: str) -> tuple[Any, str]:
    """The file system of fsspec for a URL, and what the file is called there.

    ModuleNotFoundError when a package is missing, ConllError when there is no such protocol.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise ModuleNotFoundError(
            f"{url}: a URL is read with fsspec, which is not installed; {INSTALL}"
        ) from None
    options: dict[str, Any] = {}
    try:
        if _is_http(url):
            from aiohttp import ClientTimeout

            timeout = ClientTimeout(LONGEST, sock_connect=PATIENCE, sock_read=PATIENCE)
            # What a server compresses for transfer differs in length from the file.
            options = {
                "headers": {"Accept-Encoding": "identity"},
                "client_kwargs": {"timeout": timeout},
            }
        system, name = url_to_fs(url, **options)
        _held[id(system)] = system
    except RuntimeError as error:
        # fsspec starts a thread.
        raise unstarted(error) from None
    except ImportError as error:
        advice = f"; {INSTALL}" if _is_http(url) else ""
        raise ModuleNotFoundError(f"{url}: {_one_line(error)}{advice}") from None
    except ValueError as error:
        raise ConllError(url, 0, _one_line(error)) from None
    return system, name


def files_at(url: str) -> list[str] | None:
    """The URLs of all files below a directory except hidden ones, sorted.

    None when the URL is not that of a directory.

    On the web a directory is a URL that ends with a slash and whose page links to its contents.
    """
    system, name = _system_of(url)
    if _is_http(url):
        if not url.endswith("/"):
            return None
        paths = _linked(system, name)
    else:
        with _refusing(url):
            if not system.isdir(name):
                return None
            paths = system.find(name)
    top = name.rstrip("/")
    inside = [path[len(top) :].lstrip("/") for path in paths if path.startswith(f"{top}/")]
    return sorted(f"{url.rstrip('/')}/{path}" for path in inside if not _is_hidden(path))


def _is_hidden(path: str) -> bool:
    return any(part[:1] == "." for part in path.split("/"))


def _linked(system: Any, top: str) -> list[str]:
    """List the files to which a directory on the web links, and those of the folders in it.

    fsspec's own walk would take a folder whose page does not come for an empty one.
    """
    files: list[str] = []
    folders = [top]
    known = {top}
    while folders:
        folder = folders.pop()
        if folder.count("/") > top.count("/") + DEEP:
            problem = f"folders are nested more than {DEEP} levels deep"
            raise OSError(errno.ELOOP, f"{problem}; name one of the inner folders", folder)
        with _refusing(folder):
            entries = system.ls(folder, detail=True)
        for path in sorted({entry["name"] for entry in entries} - known):
            known.add(path)
            if not path.endswith("/"):
                files.append(path)
            elif not _is_hidden(path[len(top) :]):
                folders.append(path)
    return files


@contextmanager
def _refusing(url: str) -> Iterator[None]:
    """Raise a `refusal` for any error while a URL is read: each protocol has errors of its own."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  as above
        raise refusal(url, error) from None


def refusal(url: str, error: BaseException) -> Exception:
    """Return the error for a URL that cannot be read, whatever a protocol raises."""
    if isinstance(error, ConllError):
        return error
    cause = error.__cause__ or error
    if isinstance(cause, ImportError):
        return ModuleNotFoundError(f"{url}: {_one_line(cause)}")
    status = getattr(cause, "status", None)
    number, problem = errno.EIO, f"cannot be fetched ({_one_line(cause)})"
    if isinstance(cause, TimeoutError):
        number = errno.ETIMEDOUT
        problem = (
            f"the server sent nothing for {PATIENCE:.15g} seconds, or not all within "
            f"{LONGEST:.15g}; run again, or download the file first"
        )
    elif isinstance(status, int) and status != 404:
        problem = f"the server answers {status} {getattr(cause, 'message', '')}".rstrip()
    elif isinstance(cause, FileNotFoundError) or status == 404:
        number, problem = errno.ENOENT, "there is no such file"
    elif isinstance(cause, PermissionError):
        number, problem = errno.EACCES, "it may not be read"
    return OSError(number, problem, url)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
