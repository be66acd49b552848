"""A loopback server that holds files, and behaves as it is told."""

import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """What a loopback server holds by path, and how it behaves."""

    def __init__(self, address):
        self.url = f"http://127.0.0.1:{address[1]}"
        self.files = {}
        self.fetched = Counter()
        """How often each path was asked for its content."""
        self.lengths = True
        self.cut = None
        self.broken = 0
        self.status = {}
        self.stalls = None
        self.stalled = set()
        self.drop = 1
        self.over = threading.Event()
        self.wanted = threading.Semaphore(0)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # headers and body in one packet
    disable_nagle_algorithm = True  # nor do packets wait for one another

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body):
        here = self.server.here
        path = self.path.partition("?")[0]
        if path in here.status or path not in here.files:
            self.send_response(here.status.get(path, 404))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = here.files[path]
        here.fetched[path] += body
        if here.stalls == "before" or path in here.stalled:
            here.over.wait(60)
            self.close_connection = True
            return
        self.send_response(200)
        part = content
        if here.cut is not None and body:
            part = part[: here.cut]
        if here.lengths:
            self.send_header("Content-Length", str(len(part) + here.broken * body))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        if body and here.stalls == "within":
            self.wfile.write(part[:10])
            self.wfile.flush()
            here.over.wait(60)
        elif body and here.stalls == "drips":
            self.drip(part)
        elif body:
            self.wfile.write(part)
            self.close_connection |= bool(here.broken)

    def drip(self, part):
        """Send a few bytes whenever more is wanted of this answer.

        A client that asks for the size alone hangs up, and that answer must not take what the next
        one waits for.
        """
        here = self.server.here
        last, here.wanted = here.wanted, (wanted := threading.Semaphore(0))
        last.release()
        self.wfile.flush()
        try:
            for at in range(0, len(part), here.drop):
                self.connection.sendall(part[at : at + here.drop])
                wanted.acquire(timeout=60)
                if here.wanted is not wanted:
                    raise ConnectionError
        except ConnectionError:
            self.close_connection = True

    def log_message(self, *arguments):
        pass


@contextmanager
def serving():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.here = Server(server.server_address)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.here
        server.here.over.set()
        server.here.wanted.release()
        server.shutdown()
        thread.join()
