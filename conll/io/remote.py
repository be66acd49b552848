"""Files at URLs, read block by block through fsspec."""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections import OrderedDict
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from conll.errors import ConllError, amount
from conll.io.placed import NamelessFile, PlacedFile
from conll.io.system import read_at, starting, unstarted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from typing import TypeVar

    ValueT = TypeVar("ValueT")

BLOCK = 1 << 22
"""How many bytes are fetched at a time."""

BLOCKS = 8
"""How many blocks are kept in memory, for all files together."""

CHECKED = 1.0
"""Seconds after which, before the next fetch, a file is checked for changes."""

PATIENCE = 60.0
"""Seconds for which a server may send nothing, before it is given up."""

LEAST = 60_000
"""How many bytes of a file a server must send in that time; a byte now and then is no answer."""

QUICK = 1.0
"""Seconds within which a server that is not on the web must have sent what it was asked for, to be asked for twice as much."""

ANSWER = 2.0
"""How often that time the beginning of an answer may take, and an answer that is no file."""

DEEP = 100
"""How deep folders may lie in one another, of a directory on the web, where links may lead on for ever."""

PARTIAL = 206
"""The status of an answer that holds a range of bytes (RFC 9110, 15.3.7)."""

INSTALL = "pip install 'conll-scorer[remote]'"

_IDENTITY = ("ETag", "etag", "md5", "Last-Modified", "LastModified", "last_modified", "updated", "mtime")
"""The fields in which fsspec's file systems keep what changes with a file; `created` stands in where there are none."""

_kept: OrderedDict[tuple[int, int], bytes] = OrderedDict()
_lock = threading.Lock()
_held: dict[int, Any] = {}
"""Every file system opened here, by identity: were a forked process to drop one of its parent's, the connections in it would be
closed, and the parent's loop would be deaf to them."""


class RemoteFile(PlacedFile):
    """A file at a URL, read in ranges of bytes; if the server offers no ranges, it is fetched whole, into a temporary file.

    OSError when it cannot be opened, ModuleNotFoundError when a package for its protocol is missing. ConllError when the protocol
    is unknown, when the file is cut off while it is fetched, and when it has changed since it was opened.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self.path = url
        self._whole: NamelessFile | None = None
        self._opened, self._name = _system_of(url)
        self._process = os.getpid()
        self._http = _is_http(url)
        self._step = LEAST
        self.state = self._look()
        self._looked = time.monotonic()
        size = self.state[0]
        if size is None:
            self._fetch_whole()
        else:
            self._size = size

    def rest(self) -> None:
        """Nothing to do: nothing is open between reads anyway."""

    def check(self) -> None:
        """ConllError when the file has changed since it was opened."""
        self._system.invalidate_cache()
        if self._look() != self.state:
            raise ConllError(self.path, 0, "the file changed while it was being read; run again")
        self._looked = time.monotonic()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if self._whole is not None:
            data = read_at(self._whole.file.fileno(), len(buffer), self._at)
        elif self._at >= self._size:
            data = b""
        else:
            number, offset = divmod(self._at, BLOCK)
            block = self._block(number)
            data = block[offset : offset + len(buffer)] if self._whole is None else b""
            if self._whole is not None:
                return self.readinto(buffer)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            with _lock:
                for at in [at for at in _kept if at[0] == id(self)]:
                    del _kept[at]
            self._whole = None
        super().close()

    @property
    def _system(self) -> Any:
        """The file system, opened anew in a forked process, where its connections do not survive."""
        if self._process != os.getpid():
            self._opened, _ = _system_of(self.path)
            self._process = os.getpid()
        return self._opened

    def _look(self) -> tuple[int | None, ...]:
        """The size (None if the server does not say), and whatever else would change with the file."""
        with _refusing(self.path):
            info = _asked(self.path, self._system.info, self._name)
        if info.get("type") == "directory":
            raise IsADirectoryError(errno.EISDIR, "is a directory", self.path)
        identity = [str(info[field]) for field in _IDENTITY if info.get(field) is not None]
        return (info.get("size"), *(identity or [str(info.get("created"))]))

    def _block(self, number: int) -> bytes:
        at = id(self), number
        with _lock:
            block = _kept.get(at)
            if block is not None:
                _kept.move_to_end(at)
                return block
        block = self._fetch(number * BLOCK, min((number + 1) * BLOCK, self._size))
        with _lock:
            _kept[at] = block
            while len(_kept) > BLOCKS:
                _kept.popitem(last=False)
        return block

    def _fetch(self, start: int, stop: int) -> bytes:
        if time.monotonic() - self._looked > CHECKED:
            self.check()
        try:
            data = self._range(start, stop)
        except _NoRangesError:
            self._fetch_whole()
            return b""
        except Exception as error:  # noqa: BLE001  each protocol has errors of its own
            # A server that is given up is not asked again.
            if not isinstance(error, _TooSlowError):
                self.check()
            raise refusal(self.path, error) from None
        if len(data) != stop - start:
            self.check()
            raise self._cut_off(start + len(data), self._size)
        return data

    def _range(self, start: int, stop: int) -> bytes:
        if not self._http:
            return b"".join(self._steps(start, stop))
        from fsspec.asyn import sync

        system = self._system
        fetched: bytes = sync(system.loop, self._fetch_range, system, start, stop)
        return fetched

    def _steps(self, start: int, stop: int) -> Iterator[bytes]:
        """A range of a file that is not on the web. Other protocols do not tell how they get on, so they are asked for a little."""
        while start < stop:
            end = min(start + self._step, stop)
            begun = time.monotonic()
            data = _sent(end - start, self._system.cat_file, self._name, start=start, end=end)
            yield data
            if len(data) < end - start:
                return
            if time.monotonic() - begun < QUICK:
                self._step = min(2 * self._step, BLOCK)
            start = end

    async def _answer(self, system: Any, **headers: str) -> Any:
        """What a server on the web answers that is asked for the file, its headers read."""
        from asyncio import wait_for

        session = await system.set_session()
        request = session.get(system.encode_url(self._name), headers={**system.kwargs["headers"], **headers})
        return await wait_for(request, ANSWER * PATIENCE)

    async def _fetch_range(self, system: Any, start: int, stop: int) -> bytes:
        """A range of a file on the web. From a server without ranges, or with wrong ones, fsspec would take whatever it sends."""
        async with await self._answer(system, Range=f"bytes={start}-{stop - 1}") as response:
            response.raise_for_status()
            said = response.headers.get("Content-Range", "")
            if response.status != PARTIAL and start:
                raise _NoRangesError
            data = b"".join([some async for some in _pieces(response.content, stop - start)])
            asked = f"bytes {start}-{stop - 1}/{self._size}"
            as_asked = said in {asked, f"bytes {start}-{stop - 1}/*"}
            if response.status == PARTIAL and (not as_asked or await response.content.read(1)):
                problem = f"asked for {asked}, the server sends {'more' if as_asked else said}; fetch the file before"
                raise ConllError(self.path, 0, problem)
            return data

    def _fetch_whole(self) -> None:
        whole = NamelessFile()
        with _refusing(self.path):
            self._copy_into(whole)
        size = whole.file.tell()
        self._whole = whole
        self._size = size
        expected = self.state[0]
        if expected is not None and size != expected:
            raise self._cut_off(size, expected)

    def _copy_into(self, file: NamelessFile) -> None:
        if self._http:
            from fsspec.asyn import sync

            system = self._system
            sync(system.loop, self._fetch_into, system, file)
            return
        # It is not closed where its server is given up, as that might wait as well.
        opened = _asked(self.path, self._system.open, self._name, "rb", block_size=LEAST)
        while some := _sent(LEAST, opened.read, LEAST):
            file.write(some)
        _asked(self.path, opened.close)

    async def _fetch_into(self, system: Any, file: NamelessFile) -> None:
        async with await self._answer(system) as response:
            response.raise_for_status()
            async for some in _pieces(response.content):
                file.write(some)

    def _cut_off(self, size: int, expected: int) -> ConllError:
        return ConllError(self.path, 0, f"only {size} of {amount(expected, 'byte')} came; run again, or fetch the file before")


class _NoRangesError(Exception):
    """The server sends whole files only."""


class _TooSlowError(Exception):
    """The server sends less than that many bytes in `PATIENCE` seconds."""

    def __init__(self, least: int) -> None:
        super().__init__(least)
        self.least = least


class _LateError(Exception):
    """The server does not answer in time."""


def _within(seconds: float, call: Callable[..., ValueT], *arguments: Any, **named: Any) -> ValueT:
    """What it gives; _LateError once it has taken so many seconds. It then goes on in its thread, for which nothing waits."""
    answer: SimpleQueue[tuple[list[ValueT], BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            answer.put(([call(*arguments, **named)], None))
        except BaseException as error:  # noqa: BLE001  whatever it is, it is raised where it is waited for
            answer.put(([], error))

    with starting():
        threading.Thread(target=work, daemon=True).start()
    try:
        value, error = answer.get(timeout=seconds)
    except Empty:
        raise _LateError from None
    if error is not None:
        raise error
    return value[0]


def _asked(url: str, call: Callable[..., ValueT], *arguments: Any, **named: Any) -> ValueT:
    """What a server says that is no file; _LateError. On the web, requests have limits of their own."""
    return call(*arguments, **named) if _is_http(url) else _within(ANSWER * PATIENCE, call, *arguments, **named)


def _sent(least: int, call: Callable[..., ValueT], *arguments: Any, **named: Any) -> ValueT:
    """What a server sends that is asked for so many bytes; _TooSlowError."""
    try:
        return _within(PATIENCE, call, *arguments, **named)
    except _LateError:
        raise _TooSlowError(least) from None


async def _pieces(content: Any, most: int = sys.maxsize) -> AsyncIterator[bytes]:
    """What a server on the web sends, piece by piece as it comes, and no more than `most` bytes of it."""
    begun, came = time.monotonic(), 0
    while most and (some := await content.read(min(most, BLOCK))):
        now = time.monotonic()
        if now - begun >= PATIENCE:
            if came < LEAST:
                raise _TooSlowError(LEAST)
            begun, came = now, 0
        most -= len(some)
        came += len(some)
        yield some


def is_url(path: str) -> bool:
    """Whether a path names a file for fsspec."""
    return "://" in path


def _is_http(url: str) -> bool:
    """Whether a URL is on the web, where only its final slash marks a directory."""
    return url.startswith(("http://", "https://"))


def _system_of(url: str) -> tuple[Any, str]:
    """The file system of fsspec for a URL, and what the file is called there.

    ModuleNotFoundError when a package is missing, ConllError when there is no such protocol.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise ModuleNotFoundError(f"{url}: a URL is read with fsspec, which is not installed; {INSTALL}") from None
    # What a server compresses for transfer differs in length from the file.
    options: dict[str, Any] = {"headers": {"Accept-Encoding": "identity"}} if _is_http(url) else {}
    try:
        if _is_http(url):
            from aiohttp import ClientTimeout

            # By default all of a large file must come within five minutes, and a server that stalls has as long.
            options["client_kwargs"] = {"timeout": ClientTimeout(total=None, sock_connect=PATIENCE, sock_read=PATIENCE)}
            # What fsspec itself asks for: sizes and directories.
            options["timeout"] = ClientTimeout(total=ANSWER * PATIENCE, sock_connect=PATIENCE, sock_read=PATIENCE)
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
    """The URLs of all files below a directory except hidden ones, sorted; None when the URL is not that of a directory.

    On the web a directory is a URL that ends with a slash and whose page links to its contents.
    """
    system, name = _system_of(url)
    if _is_http(url):
        if not url.endswith("/"):
            return None
        paths = _linked(system, name)
    else:
        with _refusing(url):
            if not _asked(url, system.isdir, name):
                return None
            paths = _asked(url, system.find, name)
    top = name.rstrip("/")
    inside = [path[len(top) :].lstrip("/") for path in paths if path.startswith(f"{top}/")]
    return sorted(f"{url.rstrip('/')}/{path}" for path in inside if not _is_hidden(path))


def _is_hidden(path: str) -> bool:
    return any(part[:1] == "." for part in path.split("/"))


def _linked(system: Any, top: str) -> list[str]:
    """The files to which the page of a directory on the web links, and the pages of the folders in it.

    fsspec's own walk would take a folder whose page does not come for an empty one.
    """
    files: list[str] = []
    folders = [top]
    known = {top}
    while folders:
        folder = folders.pop()
        if folder.count("/") > top.count("/") + DEEP:
            raise OSError(errno.ELOOP, f"folders lie in one another more than {DEEP} deep; name one further down", folder)
        with _refusing(folder):
            found = system.ls(folder, detail=True)
        for path in sorted({one["name"] for one in found} - known):
            known.add(path)
            if not path.endswith("/"):
                files.append(path)
            elif not _is_hidden(path[len(top) :]):
                folders.append(path)
    return files


@contextmanager
def _refusing(url: str) -> Iterator[None]:
    """Around what asks for a URL: each protocol has errors of its own, and raises a `refusal` here."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  as above
        raise refusal(url, error) from None


def refusal(url: str, error: BaseException) -> Exception:
    """The error for a URL that cannot be read: an OSError with the URL as its file, whatever a protocol raises."""
    if isinstance(error, ConllError):
        return error
    cause = error.__cause__ or error
    if isinstance(cause, ImportError):
        return ModuleNotFoundError(f"{url}: {_one_line(cause)}")
    status = getattr(cause, "status", None)
    number, problem = errno.EIO, f"cannot be fetched ({_one_line(cause)})"
    # Before Python 3.11 there are several of the name TimeoutError.
    kinds = {one.__name__ for one in type(cause).__mro__}
    if isinstance(cause, (_TooSlowError, _LateError)) or (_is_http(url) and "TimeoutError" in kinds):
        number = errno.ETIMEDOUT
        if isinstance(cause, _TooSlowError):
            late = f"sent fewer than {cause.least} bytes in {PATIENCE:.15g}"
        elif "ServerTimeoutError" in kinds:
            late = f"sent nothing for {PATIENCE:.15g}"
        else:
            late = f"not answered within {ANSWER * PATIENCE:.15g}"
        problem = f"the server has {late} seconds; run again, or fetch the file before"
    elif isinstance(status, int) and status != 404:
        problem = f"the server answers {status} {getattr(cause, 'message', '')}".rstrip()
    elif isinstance(cause, FileNotFoundError) or status == 404:
        number, problem = errno.ENOENT, "there is no such file"
    elif isinstance(cause, PermissionError):
        number, problem = errno.EACCES, "it may not be read"
    return OSError(number, problem, url)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
