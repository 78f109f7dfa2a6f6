"""The httpbin of the distribution on loopback for the integration tests; prints its port and serves until
its input ends, or its time is over.
"""

import os
import sys
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

LIFETIME = 1200


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def main():
    from httpbin import app

    server = make_server("127.0.0.1", 0, app, Server, Handler)
    print(server.server_port, flush=True)
    threading.Timer(LIFETIME, lambda: os._exit(1)).start()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


main()
