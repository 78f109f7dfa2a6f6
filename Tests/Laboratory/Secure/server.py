"""Servers with TLS that misbehave, one port each: `server.py FOLDER NAME…`.

It makes an authority and certificates in the folder (`ca.pem`), prints the ports in the order of the
names, then one that controls them, and ends when its standard input does. Only what the names say is
wrong with a server is wrong; `GET /mend?PORT` there makes it a sound one, on the connections that it has
too, and `/break?PORT` brings the fault back, for connections from then on.
"""

import base64
import hashlib
import os
import random
import select
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import warnings

warnings.simplefilter("ignore")
FOLDER = sys.argv[1]
SOUND = b"all is well"
BODY = bytes(index % 251 for index in range(40_000))


def path(name):
    return os.path.join(FOLDER, name)


# MARK: Certificates


def openssl(*arguments):
    subprocess.run(
        ["openssl", *arguments], check=True, cwd=FOLDER, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )


def authority(name):
    openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", name + ".key", "-out", name + ".pem", "-days", "2", "-subj", "/CN=" + name,
    )


def certificate(name, host, by="ca", expired=False):
    openssl(
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + host,
        "-addext", "subjectAltName=DNS:" + host,
    )
    with open(path("index.txt"), "w"):
        pass
    with open(path("ca.conf"), "w") as file:
        file.write(
            "[ca]\ndefault_ca=tests\n[tests]\ndatabase=index.txt\nnew_certs_dir=.\n"
            "default_md=sha256\npolicy=any\ncopy_extensions=copy\nunique_subject=no\n"
            "rand_serial=yes\n[any]\ncommonName=supplied\n"
        )
    days = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
    openssl(
        "ca", "-batch", "-notext", "-config", "ca.conf", "-in", name + ".csr", "-out",
        name + ".pem", "-cert", by + ".pem", "-keyfile", by + ".key",
        *(days if expired else ["-days", "2"]),
    )


def context(name="server", protocols=("http/1.1",), old=False):
    result = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if old:
        result.set_ciphers("ALL:@SECLEVEL=0")
        result.minimum_version = ssl.TLSVersion.TLSv1
        result.maximum_version = ssl.TLSVersion.TLSv1_1
    result.load_cert_chain(path(name + ".pem"), path(name + ".key"))
    result.set_alpn_protocols(list(protocols))
    return result


# MARK: HTTP/1.1 over TLS


def read_head(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    return data


def plain(connection, body=SOUND, length=True, cut=None):
    while read_head(connection):
        head = b"HTTP/1.1 200 OK\r\n"
        if length:
            head += b"Content-Length: %d\r\n" % len(body)
        connection.sendall(head + b"\r\n" + (body if cut is None else body[:cut]))
        if cut is not None or not length:
            return


def over(tls, play):
    def run(raw):
        connection = tls.wrap_socket(raw, server_side=True)
        play(connection)
        try:
            connection.unwrap()
        except (OSError, ValueError):
            pass

    return run


def torn(tls, play):
    """Ends without saying so in TLS, as somebody in between would."""

    def run(raw):
        connection = tls.wrap_socket(raw, server_side=True)
        play(connection)
        connection.shutdown(socket.SHUT_RDWR)

    return run


def saying(data, wait=False):
    def run(raw):
        raw.recv(65536)
        raw.sendall(data)
        if wait:
            hold(raw)

    return run


def hold(connection):
    try:
        while connection.recv(65536):
            pass
    except OSError:
        pass


def reset(raw):
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()


# MARK: HTTP/2 (RFC 9113), written out

DATA, HEADERS, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
END_STREAM, END_HEADERS = 1, 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(
        ">I", stream
    ) + payload


def field(name, value):
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def head(*fields, length=None):
    """`:status: 200` and others, by literals without indexing (RFC 7541)."""
    block = b"\x88" + b"".join(field(*one) for one in fields)
    if length is not None:
        block += field(b"content-length", b"%d" % length)
    return block


class Gone(Exception):
    pass


class Session:
    def __init__(self, connection):
        self.connection = connection
        self.data = b""
        self.unread = 0

    def take(self, count):
        while len(self.data) < count:
            piece = self.connection.recv(1 << 16)
            if not piece:
                raise Gone
            self.data += piece
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def begin(self, *settings):
        if self.take(24) != b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":
            raise Gone
        self.send(frame(SETTINGS, 0, 0, b"".join(settings)))

    def send(self, *frames):
        self.connection.sendall(b"".join(frames))

    def next(self):
        top = self.take(9)
        size, kind, flags = int.from_bytes(top[:3], "big"), top[3], top[4]
        stream = int.from_bytes(top[5:], "big") & 0x7FFFFFFF
        payload = self.take(size)
        if kind == SETTINGS and not flags & 1:
            self.send(frame(SETTINGS, 1, 0))
        if kind == PING and not flags & 1:
            self.send(frame(PING, 1, 0, payload))
        return kind, flags, stream, payload

    def request(self, whole=lambda: True, reads=lambda: True):
        """The stream of the next request, once its end has come if that is wanted, and what was not
        read before is read."""
        while True:
            kind, flags, stream, payload = self.next()
            if reads() and self.unread:
                self.send(frame(WINDOW, 0, 0, struct.pack(">I", self.unread)))
                self.unread = 0
            if kind == HEADERS and (flags & END_STREAM or not whole()):
                return stream
            if kind == DATA and not reads():
                self.unread += len(payload)
            elif kind == DATA:
                if payload:
                    window = struct.pack(">I", len(payload))
                    self.send(frame(WINDOW, 0, 0, window), frame(WINDOW, 0, stream, window))
                if flags & END_STREAM:
                    return stream


MENDED = set()


def is_mended(connection):
    return connection.getsockname()[1] in MENDED


def answer(stream, body=SOUND, *fields):
    return frame(HEADERS, END_HEADERS, stream, head(*fields, length=len(body))) + frame(
        DATA, END_STREAM, stream, body
    )


def http2(play, whole=True, reads=True, settings=(), end=over):
    """Each request of a connection is answered by `play`, until that returns something."""

    def run(connection):
        session = Session(connection)
        try:
            session.begin(*settings)
            while True:
                mended = lambda: is_mended(connection)
                stream = session.request(lambda: whole or mended(), lambda: reads or mended())
                if is_mended(connection):
                    session.send(answer(stream))
                elif play(session, stream):
                    break
        except Gone:
            pass

    return lambda: end(context(protocols=("h2",)), run)


def sends(*make):
    """And goes on: who may use the connection again, can."""

    def play(session, stream):
        session.send(*(one(stream) for one in make))

    return play


def then_ends(*make):
    def play(session, stream):
        session.send(*(one(stream) for one in make))
        time.sleep(0.02)
        return True

    return play


def goaway(last, code):
    return lambda stream: frame(GOAWAY, 0, 0, struct.pack(">II", last(stream), code))


def rst(code):
    return lambda stream: frame(RST, 0, stream, struct.pack(">I", code))


def begun(stream):
    return frame(HEADERS, END_HEADERS, stream, head(length=len(BODY))) + frame(
        DATA, 0, stream, BODY[:9000]
    )


def many_headers(stream):
    block = head() + field(b"x", b"1") * 100_000
    pieces = [block[at : at + 16_000] for at in range(0, len(block), 16_000)]
    return frame(HEADERS, END_STREAM, stream, pieces[0]) + b"".join(
        frame(CONTINUATION, END_HEADERS if piece is pieces[-1] else 0, stream, piece)
        for piece in pieces[1:]
    )


def endless_head(session, stream):
    session.send(frame(HEADERS, END_STREAM, stream, head()))
    for _ in range(20_000):
        session.send(frame(CONTINUATION, 0, stream, field(b"x", b"1" * 100) * 100))
    return True


def ignores_windows(session, stream):
    session.send(frame(HEADERS, END_HEADERS, stream, head()))
    for _ in range(8_192):
        session.send(frame(DATA, 0, stream, bytes(16_384)))
    return True


def dripped(session, stream):
    session.send(frame(HEADERS, END_HEADERS, stream, head(length=len(BODY))))
    for byte in BODY[:400]:
        session.send(frame(DATA, 0, stream, bytes([byte])))
        time.sleep(0.02)


def once(first, then):
    """The first request of a run of the server meets one thing, each later one another, by turns."""
    turns = [0]

    def play(session, stream):
        turns[0] += 1
        return (first if turns[0] % 2 else then)(session, stream)

    return play


def sound(stream):
    return answer(stream)


def answers(session, stream):
    session.send(answer(stream))


def several(misplay, ends=False):
    """Of six streams on the first connection the fourth meets something, all others are answered.

    The first one is answered at once, so that the others find the connection; what `misplay` sends
    comes when all of them have."""
    state = {"begun": False}

    def play(session, stream):
        if not hasattr(session, "streams"):
            session.streams, session.is_first = [], not state["begun"]
            state["begun"] = True
        if not session.is_first:
            return session.send(answer(stream))
        session.streams.append(stream)
        if len(session.streams) == 1:
            return session.send(answer(stream))
        if len(session.streams) < 6:
            return None
        if len(session.streams) > 6:
            return session.send(answer(stream))
        chosen = session.streams[3]
        session.send(misplay(chosen))
        for other in session.streams[1:]:
            if other != chosen and (not ends or other < chosen):
                session.send(answer(other))
        return ends or None

    return http2(play)


# How often a port has been broken.
BROKEN = {}
MAXIMUM_OF_STREAMS = 3


def stands_still(session, stream):
    """Reads no more and says no more, while the connection stays."""
    for _ in range(250):
        if is_mended(session.connection):
            break
        time.sleep(0.1)
    return True


def allows_no_more(session, stream):
    session.send(answer(stream), frame(SETTINGS, 0, 0, struct.pack(">HI", MAXIMUM_OF_STREAMS, 0)))


def freezes(misplay, first=answers):
    """The first connection since it was broken answers one request, and the next meets something; all
    other connections are sound."""
    frozen = {}

    def play(session, stream):
        port = session.connection.getsockname()[1]
        epoch = BROKEN.get(port, 0)
        if frozen.get(port, (None, None))[0] != epoch:
            frozen[port] = (epoch, session)
            return first(session, stream)
        if frozen[port][1] is session:
            return misplay(session, stream)
        return answers(session, stream)

    return http2(play)


PATTERN = bytes(index % 251 for index in range(400_000))


def wants_another_protocol():
    """Over HTTP/2 it resets a request within its body and wants HTTP/1.1, over which it says whether it has
    got the pattern."""

    def run(connection):
        if connection.selected_alpn_protocol() != "h2":
            data = read_head(connection).partition(b"\r\n\r\n")[2]
            while len(data) < len(PATTERN):
                data += connection.recv(1 << 16)
            said = SOUND if data == PATTERN else b"not the pattern"
            return connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(said) + said)
        session = Session(connection)
        session.begin()
        stream, length = session.request(lambda: False), 0
        while length < 32_768:
            kind, _, _, payload = session.next()
            length += len(payload) if kind == DATA else 0
        session.send(frame(RST, 0, stream, struct.pack(">I", 0xD)))
        while True:
            session.next()

    return lambda: over(context(protocols=("h2",)), run)


HELD = 300_000


def holds():
    """The second request of a connection is never answered, the third and the fifth get as many letters as
    their place in the alphabet tells them apart, all others a short answer at once."""

    def play(session, stream):
        if stream == 3:
            return
        body = bytes([64 + stream]) * HELD if stream in (5, 9) else SOUND
        session.send(frame(HEADERS, END_HEADERS, stream, head(length=len(body))))
        for start in range(0, len(body), 16_000):
            session.send(frame(DATA, 0, stream, body[start : start + 16_000]))
        session.send(frame(DATA, END_STREAM, stream, b""))

    return http2(play)


def goes_on(length=None):
    """The first response stops in its body; others say whether its client has closed the connection, or sends
    another request over it."""
    state = {"first": None, "is told": False}

    def play(session, stream):
        if state["first"] is None:
            state["first"] = session
            begun = frame(HEADERS, END_HEADERS, stream, head(length=length))
            session.send(begun, frame(DATA, 0, stream, SOUND))
            try:
                stream = session.request()
            except (Gone, OSError):
                state["is told"] = True
                raise
            return session.send(answer(stream, b"kept"))
        session.send(answer(stream, b"told" if state["is told"] else b"not told"))

    return http2(play)


def first_handshake(sound):
    """The first connection since it was broken is taken, and never spoken to."""
    frozen = {}

    def run(raw):
        port = raw.getsockname()[1]
        epoch = BROKEN.get(port, 0)
        if frozen.get(port) != epoch:
            frozen[port] = epoch
            return hold(raw)
        sound(raw)

    return run


def leaves_for_a_freeze(sound):
    """The first connection answers and is closed, the second is never spoken to."""
    behind = first_handshake(sound)
    met = {}

    def run(raw):
        port = raw.getsockname()[1]
        epoch = BROKEN.get(port, 0)
        if met.get(port) != epoch:
            met[port] = epoch
            return http2(then_ends(goaway(lambda stream: stream, 0), answer))()(raw)
        behind(raw)

    return run


def surplus(connection):
    """Over HTTP/1.1: what nobody asked for follows the first answer, after the connection is idle."""
    while read_head(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n" + SOUND)
        time.sleep(0.1)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nnot for you")


def upgraded_then_notified(tls):
    """A WebSocket that says one thing and ends by an alert of TLS, while its connection stays open."""

    def run(raw):
        connection = tls.wrap_socket(raw, server_side=True)
        key = [
            line.split(b":")[1].strip() for line in read_head(connection).split(b"\r\n")
            if line.lower().startswith(b"sec-websocket-key:")
        ][0]
        digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
        connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n\x81\x02hi"
        )
        connection.settimeout(0)
        try:
            connection.unwrap()
        except (OSError, ValueError):
            pass
        select.select([connection], [], [], 120)

    return run


def early(session, stream):
    session.send(answer(stream, b"no"), rst(0)(stream))


SERVERS = {
    # TLS
    "sound": lambda: over(context(), plain),
    "expired": lambda: over(context("expired"), plain),
    "wrong host": lambda: over(context("other"), plain),
    "unknown authority": lambda: over(context("unknown"), plain),
    "its own authority": lambda: over(context("stranger"), plain),
    "too old": lambda: over(context(old=True), plain),
    "no TLS": lambda: saying(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    "noise for a handshake": lambda: saying(random.Random(1).randbytes(4_000)),
    "a handshake cut off": lambda: saying(b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03"),
    "an alert for a handshake": lambda: saying(b"\x15\x03\x01\x00\x02\x02\x46"),
    "a silent handshake": lambda: saying(b"", wait=True),
    "closed at the handshake": lambda: (lambda raw: raw.recv(10)),
    "reset at the handshake": lambda: (lambda raw: (raw.recv(65536), reset(raw))),
    "torn before its length": lambda: torn(context(), lambda c: plain(c, BODY, cut=9_000)),
    "torn without a length": lambda: torn(context(), lambda c: plain(c, BODY, length=False, cut=9_000)),
    "ended without a length": lambda: over(context(), lambda c: plain(c, SOUND, length=False)),
    "a socket ended by TLS alone": lambda: upgraded_then_notified(context()),
    # HTTP/2
    "h2 sound": http2(answers),
    "h2 goaway at once": http2(then_ends(goaway(lambda _: 0, 0))),
    "h2 goaway, then sound": http2(once(then_ends(goaway(lambda _: 0, 0)), answers)),
    "h2 goaway, answered": http2(then_ends(goaway(lambda stream: stream, 0), sound)),
    "h2 goaway in the body": http2(then_ends(begun, goaway(lambda stream: stream, 11))),
    "h2 goaway of an error": http2(then_ends(goaway(lambda stream: stream, 2))),
    "h2 refused stream": http2(sends(rst(7))),
    "h2 refused stream, then sound": http2(once(lambda s, n: s.send(rst(7)(n)), answers)),
    "h2 reset before the head": http2(sends(rst(2))),
    "h2 reset with no error": http2(sends(rst(0))),
    "h2 cancelled": http2(sends(rst(8))),
    "h2 wants HTTP/1.1": http2(sends(rst(13))),
    "h2 reset in the body": http2(sends(begun, rst(2))),
    "h2 reset in the body with no error": http2(sends(begun, rst(0))),
    "h2 head that never comes": http2(lambda session, stream: None),
    "h2 body stalled": http2(sends(begun)),
    "h2 body dripped": http2(dripped),
    "h2 too short": http2(
        sends(
            lambda n: frame(HEADERS, END_HEADERS, n, head(length=10)),
            lambda n: frame(DATA, END_STREAM, n, b"hello"),
        )
    ),
    "h2 too long": http2(
        sends(
            lambda n: frame(HEADERS, END_HEADERS, n, head(length=3)),
            lambda n: frame(DATA, END_STREAM, n, b"hello"),
        )
    ),
    "h2 closed in the body": http2(then_ends(begun)),
    "h2 torn in the body": http2(then_ends(begun), end=torn),
    "h2 torn without a length": http2(
        then_ends(
            lambda n: frame(HEADERS, END_HEADERS, n, head()),
            lambda n: frame(DATA, 0, n, BODY[:9_000]),
        ),
        end=torn,
    ),
    "h2 closed at once": lambda: over(context(protocols=("h2",)), lambda c: c.recv(10)),
    "h2 noise": lambda: over(
        context(protocols=("h2",)), lambda c: (c.recv(100), c.sendall(random.Random(2).randbytes(5_000)))
    ),
    "h2 answers HTTP/1.1": lambda: over(
        context(protocols=("h2",)), lambda c: (c.recv(100), c.sendall(b"HTTP/1.1 200 OK\r\n\r\nhello"))
    ),
    "h2 fields that cannot be read": http2(
        sends(lambda n: frame(HEADERS, END_HEADERS | END_STREAM, n, b"\xff\xff\xff\xff\xff\x7f"))
    ),
    "h2 no status": http2(
        sends(lambda n: frame(HEADERS, END_HEADERS | END_STREAM, n, field(b"x", b"1")))
    ),
    "h2 two statuses": http2(
        sends(lambda n: frame(HEADERS, END_HEADERS | END_STREAM, n, b"\x88\x8d"))
    ),
    "h2 a name in capitals": http2(lambda s, n: s.send(answer(n, SOUND, (b"X-Y", b"1")))),
    "h2 a line feed in a value": http2(lambda s, n: s.send(answer(n, SOUND, (b"x", b"a\r\nb: c")))),
    "h2 a null in a value": http2(lambda s, n: s.send(answer(n, SOUND, (b"x", b"a\0b")))),
    "h2 100,000 header fields": http2(sends(many_headers)),
    "h2 a head without an end": http2(endless_head),
    "h2 a frame too large": http2(
        sends(lambda n: frame(HEADERS, END_HEADERS, n, head()) + frame(DATA, 0, n, bytes(1 << 20)))
    ),
    "h2 a frame of no stream": http2(
        sends(lambda n: frame(DATA, 0, n + 100, b"hello"), sound)
    ),
    "h2 a body after its end": http2(
        lambda s, n: s.send(answer(n), frame(DATA, END_STREAM, n, b"evil"))
    ),
    "h2 a body before its head": http2(sends(lambda n: frame(DATA, END_STREAM, n, b"hello"))),
    "h2 a pushed response": http2(
        sends(lambda n: frame(PUSH, END_HEADERS, n, struct.pack(">I", 2) + head()), sound)
    ),
    "h2 more than the window": http2(ignores_windows),
    "h2 a window of nothing": http2(
        sends(lambda n: frame(WINDOW, 0, n, struct.pack(">I", 0)), sound)
    ),
    "h2 a window beyond all bounds": http2(
        sends(lambda n: frame(WINDOW, 0, 0, struct.pack(">I", 0x7FFFFFFF)), sound)
    ),
    "h2 ten thousand pings": http2(
        lambda s, n: s.send(frame(PING, 0, 0, bytes(8)) * 10_000, answer(n))
    ),
    "h2 ten thousand settings": http2(lambda s, n: s.send(frame(SETTINGS, 0, 0) * 10_000, answer(n))),
    "h2 interim responses": http2(
        lambda s, n: s.send(
            frame(HEADERS, END_HEADERS, n, field(b":status", b"103") + field(b"link", b"<a>")), answer(n)
        )
    ),
    "h2 one of six is reset": several(rst(2)),
    "h2 one of six is refused": several(rst(7)),
    "h2 one of six is reset in its body": several(lambda n: begun(n) + rst(2)(n)),
    "h2 one of six stalls": several(begun),
    "h2 one of six is never answered": several(lambda n: b""),
    "h2 GOAWAY before the fourth of six": several(goaway(lambda n: n - 1, 0), ends=True),
    "h2 frozen": freezes(stands_still),
    "h2 frozen in a body": freezes(lambda s, n: (s.send(begun(n)), stands_still(s, n))),
    "h2 wants HTTP/1.1 in the body": wants_another_protocol(),
    "h2 holds": holds(),
    "h2 goes on": goes_on(),
    "h2 goes on a little": goes_on(length=60_000),
    "h2 ends when used again": freezes(lambda s, n: True),
    "h2 goodbye when used again": freezes(then_ends(goaway(lambda n: n - 2, 0))),
    "h2 no more streams": freezes(lambda s, n: None, first=allows_no_more),
    "h2 frozen at its handshake": lambda: first_handshake(http2(answers)()),
    "h2 frozen at its second handshake": lambda: leaves_for_a_freeze(http2(answers)()),
    "surplus": lambda: over(context(), surplus),
    "h2 upload answered early": http2(early, whole=False),
    "h2 upload never read": http2(lambda session, stream: None, whole=False, reads=False),
}


def serve(listener, play, sound):
    port = listener.getsockname()[1]

    def one(raw):
        raw.settimeout(120)
        try:
            (sound if port in MENDED else play)(raw)
        except (OSError, ValueError, ssl.SSLError):
            pass
        finally:
            raw.close()

    while True:
        raw, _ = listener.accept()
        threading.Thread(target=one, args=(raw,), daemon=True).start()


def control(raw):
    what, _, port = read_head(raw).split(b" ")[1].decode().partition("?")
    if what == "/mend":
        MENDED.add(int(port))
    else:
        MENDED.discard(int(port))
        BROKEN[int(port)] = BROKEN.get(int(port), 0) + 1
    raw.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def listen(play, sound=None):
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=serve, args=(listener, play, sound), daemon=True).start()
    return listener.getsockname()[1]


def main():
    authority("ca")
    authority("strange")
    certificate("server", "localhost")
    certificate("expired", "localhost", expired=True)
    certificate("other", "elsewhere.invalid")
    certificate("unknown", "localhost", by="strange")
    openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", "stranger.key", "-out", "stranger.pem", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost",
    )
    ports = []
    for name in sys.argv[2:]:
        sound = http2(answers)() if name.startswith("h2") else over(context(), plain)
        ports.append(listen(SERVERS[name](), sound))
    print(*ports, listen(control), flush=True)
    sys.stdin.read()
    os._exit(0)


main()
