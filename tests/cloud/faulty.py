"""A proxy in front of a store on loopback that answers a share of the requests with 503, as a store does that is asked too often."""

import http.client
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Faulty:
    def __init__(self, behind, share, seed=1):
        self.behind, self.share = behind, share
        self.asked = self.refused = 0
        self.lock, self.random = threading.Lock(), random.Random(seed)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                outer.answer(self)

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # Those who ask are killed, and their connections with them.
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        with self.lock:
            self.asked += 1
            refuse = self.random.random() < self.share
            self.refused += refuse
        if refuse:
            status, headers, content = 503, [], b"<Error><Code>SlowDown</Code></Error>"
        else:
            back = http.client.HTTPConnection("127.0.0.1", self.behind, timeout=60)
            back.request(request.command, request.path, body, dict(request.headers))
            response = back.getresponse()
            status, headers, content = response.status, response.getheaders(), response.read()
            back.close()
        length = next((value for name, value in headers if name.lower() == "content-length"), None)
        request.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                request.send_header(name, value)
        is_head = request.command == "HEAD"
        request.send_header("Content-Length", length if is_head and length else str(len(content)))
        request.end_headers()
        if not is_head:
            request.wfile.write(content)
