"""A server on loopback that speaks HTTP/2 over TLS with python3-h2: `server.py CERTIFICATE KEY PROTOCOL`.

With `http/1.1` as its protocol it only echoes, at once.

It prints its port, and serves until its input ends, or its time is over. It answers before it has read the
body, as the path says. It lets the client finish behind an early end: libcurl 7.88 loses what comes together with an
RST_STREAM of NO_ERROR.

/echo     the bytes of the body, as they come, and the end behind the body's end
/hears    nothing before the body's end, then the body's length
/deaf     a head, and reads none of the body: no more comes than its window of 65,535 bytes allows
/resets   a head and the first bytes, then RST_STREAM with INTERNAL_ERROR
/ends     a head with a length of 6, 6 bytes, and its end
/stops    the same without a length
/refuses  403 with a reason, and its end
/moves    303 to /echo, and its end
/gives/N  N bytes at once, and the end
/broken   waits until some stream is reset by the client, then tells its error code; "closed" if the client has
          closed its connection instead
"""

import asyncio
import os
import ssl
import sys
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events

LIFETIME = 1200
resets = asyncio.Queue()


class Stream:
    def __init__(self, number, path):
        self.number = number
        self.path = path
        self.waiting = bytearray()
        self.received = 0
        self.is_over = False
        self.debt = 0


class Server(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.streams = {}
        configuration = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self.h2 = h2.connection.H2Connection(config=configuration)
        self.h2.initiate_connection()
        self.flush()

    def connection_lost(self, error):
        if any(not stream.is_over for stream in self.streams.values()):
            resets.put_nowait("closed")

    def flush(self):
        self.transport.write(self.h2.data_to_send())

    def data_received(self, data):
        events = self.h2.receive_data(data)
        # Nothing can be sent on a stream whose reset has arrived together with what came before it.
        gone = {event.stream_id for event in events if isinstance(event, h2.events.StreamReset)}
        for number in gone:
            self.streams.pop(number, None)
        for event in events:
            if isinstance(event, h2.events.StreamReset):
                resets.put_nowait(int(event.error_code))
            elif getattr(event, "stream_id", None) in gone:
                continue
            elif isinstance(event, h2.events.RequestReceived):
                self.begin(Stream(event.stream_id, dict(event.headers)[":path"]))
            elif isinstance(event, h2.events.DataReceived):
                self.read(event)
            elif isinstance(event, h2.events.StreamEnded):
                self.end(event.stream_id)
            elif isinstance(event, h2.events.WindowUpdated):
                for stream in list(self.streams.values()):
                    self.write(stream)
        self.flush()

    def head(self, stream, status, *fields, ends=False):
        self.h2.send_headers(stream.number, [(":status", status), *fields], end_stream=ends)

    def begin(self, stream):
        self.streams[stream.number] = stream
        if stream.path == "/refuses":
            self.head(stream, "403", ("content-length", "2"))
            self.answer(stream, b"no")
        elif stream.path == "/moves":
            self.head(stream, "303", ("location", "/echo"), ends=True)
        elif stream.path.startswith("/gives/"):
            self.head(stream, "200")
            stream.waiting += bytes(int(stream.path.removeprefix("/gives/")))
            stream.is_over = True
            self.write(stream)
        elif stream.path == "/broken":
            asyncio.ensure_future(self.tell(stream))
        elif stream.path == "/ends":
            self.head(stream, "200", ("content-length", "6"))
        elif stream.path != "/hears":
            self.head(stream, "200")

    def read(self, event):
        stream = self.streams.get(event.stream_id)
        length = event.flow_controlled_length
        if stream is None:
            self.h2.acknowledge_received_data(length, event.stream_id)
            return
        stream.received += len(event.data)
        if stream.path == "/deaf":
            return
        if stream.path == "/echo":
            stream.waiting += event.data
            stream.debt += length
            self.write(stream)
            return
        self.h2.acknowledge_received_data(length, event.stream_id)
        if stream.path == "/resets":
            self.h2.send_data(stream.number, event.data)
            self.reset(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
        elif stream.path in ("/ends", "/stops"):
            self.answer(stream, event.data)

    def write(self, stream):
        """Writes what the client's window allows, and reads on once it has been written."""
        while stream.waiting:
            window = self.h2.local_flow_control_window(stream.number)
            size = min(window, self.h2.max_outbound_frame_size, len(stream.waiting))
            if size <= 0:
                return
            self.h2.send_data(stream.number, bytes(stream.waiting[:size]))
            del stream.waiting[:size]
        if stream.debt and not stream.is_over:
            self.h2.acknowledge_received_data(stream.debt, stream.number)
            stream.debt = 0
        if stream.is_over and self.streams.pop(stream.number, None):
            self.h2.end_stream(stream.number)

    def end(self, number):
        stream = self.streams.get(number)
        if stream is None:
            return
        stream.is_over = True
        if stream.path == "/echo":
            self.write(stream)
        elif stream.path == "/hears":
            self.head(stream, "200")
            self.h2.send_data(number, b"%d" % stream.received, end_stream=True)
            del self.streams[number]

    def answer(self, stream, body):
        self.h2.send_data(stream.number, body, end_stream=True)
        self.streams.pop(stream.number, None)

    def reset(self, stream, code):
        self.h2.reset_stream(stream.number, code)
        self.streams.pop(stream.number, None)

    async def tell(self, stream):
        code = await resets.get()
        self.head(stream, "200")
        self.h2.send_data(stream.number, str(code).encode(), end_stream=True)
        self.flush()


class Echo(asyncio.Protocol):
    """Answers HTTP/1.1: the chunks of the body are those of the response."""

    def connection_made(self, transport):
        self.transport = transport
        self.head = b""

    def data_received(self, data):
        if self.head is None:
            self.transport.write(data)
            return
        self.head += data
        _, end, rest = self.head.partition(b"\r\n\r\n")
        if end:
            self.head = None
            self.transport.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + rest)


async def main():
    certificate, key, protocol = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols([protocol])
    loop = asyncio.get_running_loop()
    kind = Server if protocol == "h2" else Echo
    server = await loop.create_server(kind, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    threading.Timer(LIFETIME, lambda: os._exit(1)).start()
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    await server.serve_forever()


asyncio.run(main())
