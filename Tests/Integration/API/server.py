"""A small stateful API on loopback for the integration tests; prints its port and serves until it is
told to stop, its input ends, or its time is over.

Tokens are valid for a number of requests, not for a time, so that tests need not wait.
"""

import email.parser
import email.policy
import gzip
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

LIFETIME = 1200
TOKEN_USES = 5


class State:
    def __init__(self):
        self.lock = threading.Lock()
        self.users = {}
        self.tokens = {}
        self.refresh_tokens = {"renewal-0"}
        self.counts = {}
        self.keys = {}

    def count(self, name):
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + 1
            return self.counts[name]


STATE = State()
EVENTS = [f"event {number}" for number in range(1, 8)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def log_message(self, *_):
        pass

    def answer(self, status, value=None, headers=(), body=None):
        data = body if body is not None else b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers:
            self.send_header(name, text)
        if body is None and value is not None:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def error(self, status, code, message, headers=()):
        self.answer(status, {"error": {"code": code, "message": message}}, headers)

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    def handle_any(self):
        self.content = self.body()
        url = urlsplit(self.path)
        self.query = parse_qs(url.query, keep_blank_values=True)
        parts = [part for part in url.path.split("/") if part]
        if parts[:1] != ["v1"] or len(parts) < 2:
            return self.error(404, "route", "no such route")
        route = getattr(self, f"route_{parts[1]}", None)
        if route is None:
            return self.error(404, "route", "no such route")
        route(parts[2:])

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    # Users: create, show, change, remove, list in pages.

    def route_users(self, rest):
        if self.command == "POST" and not rest:
            return self.create()
        if not rest:
            return self.list()
        with STATE.lock:
            user = STATE.users.get(rest[0])
        if user is None:
            return self.error(404, "missing", "no such user")
        if self.command == "DELETE":
            with STATE.lock:
                STATE.users.pop(rest[0], None)
            return self.answer(204)
        if self.command in ("PUT", "PATCH"):
            user = {**user, **json.loads(self.content)}
            with STATE.lock:
                STATE.users[rest[0]] = user
        self.answer(200, {"data": user, "meta": {"count": 1}})

    def create(self):
        try:
            name = json.loads(self.content)["name"]
            if not isinstance(name, str):
                raise ValueError(name)
        except (ValueError, KeyError):
            return self.error(422, "invalid", "name is missing")
        with STATE.lock:
            number = len(STATE.users) + 1
            user = {"id": number, "name": name}
            STATE.users[str(number)] = user
        self.answer(201, {"data": user, "meta": {"count": 1}}, [("Location", f"/v1/users/{number}")])

    def list(self):
        with STATE.lock:
            users = list(STATE.users.values())
        limit = int(self.query.get("limit", ["2"])[0])
        start = int(self.query.get("cursor", ["0"])[0])
        end = start + limit
        more = end < len(users)
        meta = {"count": len(users), "next": str(end) if more else None}
        link = [("Link", f'</v1/users?limit={limit}&cursor={end}>; rel="next"')] if more else []
        self.answer(200, {"data": users[start:end], "meta": meta}, link)

    # Tokens: a login or a refresh makes one that is good for a few requests.

    def token(self):
        number = STATE.count("tokens")
        token, renewal = f"token-{number}", f"renewal-{number}"
        with STATE.lock:
            STATE.tokens[token] = TOKEN_USES
            STATE.refresh_tokens.add(renewal)
        self.answer(200, {"access_token": token, "refresh_token": renewal})

    def route_login(self, _):
        form = parse_qs(self.content.decode())
        if form.get("password") != ["open sesame"]:
            return self.error(403, "login", "wrong password")
        self.token()

    def route_refresh(self, _):
        renewal = parse_qs(self.content.decode()).get("refresh_token", [""])[0]
        with STATE.lock:
            known = renewal in STATE.refresh_tokens
            STATE.refresh_tokens.discard(renewal)
        if not known:
            return self.error(401, "refresh", "the refresh token has been used")
        STATE.count("refreshes")
        self.token()

    def route_me(self, _):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        with STATE.lock:
            left = STATE.tokens.get(token, 0)
            if left:
                STATE.tokens[token] = left - 1
        if not left:
            challenge = [("WWW-Authenticate", 'Bearer error="invalid_token"')]
            return self.error(401, "expired", "the token has expired", challenge)
        self.answer(200, {"data": {"id": 0, "name": token}, "meta": {"count": 1}})

    # Trouble: 429 with Retry-After, 503, each a number of times per name.

    def route_limited(self, rest):
        number = STATE.count("limited " + rest[0])
        if number <= int(self.query.get("refusals", ["2"])[0]):
            after = self.query.get("after", ["1"])[0]
            return self.error(429, "slow", "too many requests", [("Retry-After", after)])
        self.answer(200, {"attempts": number})

    def route_unstable(self, rest):
        number = STATE.count("unstable " + rest[0])
        if number <= 2:
            return self.error(503, "down", "try again")
        self.answer(200, {"attempts": number, "key": self.headers.get("Idempotency-Key")})

    def route_counts(self, _):
        with STATE.lock:
            self.answer(200, STATE.counts)

    # Bodies: what arrived, as it was understood.

    def route_echo(self, _):
        self.answer(
            200,
            {
                "method": self.command,
                "query": self.query,
                "type": self.headers.get("Content-Type"),
                "encoding": self.headers.get("Content-Encoding"),
                "length": self.headers.get("Content-Length"),
                "text": self.content.decode("utf-8", "replace"),
            },
        )

    def route_parts(self, _):
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + self.content)
        parts = [
            {
                "name": part.get_param("name", header="content-disposition"),
                "filename": part.get_filename(),
                "type": part.get_content_type(),
                "size": len(part.get_payload(decode=True)),
            }
            for part in message.iter_parts()
        ]
        self.answer(200, parts)

    # Events: three a connection, then it breaks; resumed behind Last-Event-ID.

    def route_events(self, rest):
        STATE.count("events " + rest[0])
        last = int(self.headers.get("Last-Event-ID", "0"))
        if last >= len(EVENTS):
            return self.answer(204)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number in range(last + 1, min(last + 4, len(EVENTS) + 1)):
            text = f"retry: 1\nid: {number}\nevent: tick\ndata: {EVENTS[number - 1]}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
            self.wfile.flush()
        # Without its last chunk: a connection that breaks.
        self.close_connection = True


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Timer(LIFETIME, lambda: os._exit(3)).start()
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
