"""A WebSocket server that this project did not write, plain and with TLS: an echo, /count, /close.

server.py CERTIFICATE KEY: prints both ports, and ends with its input, or after ten minutes.
"""
import asyncio
import ssl
import sys

try:
    from websockets.asyncio.server import serve
except ImportError:
    from websockets.server import serve


async def handle(connection, path=None):
    path = connection.request.path if hasattr(connection, "request") else connection.path
    if path == "/count":
        for number in range(10_000):
            await connection.send(str(number) if number % 2 else str(number).encode())
        async for _ in connection:
            pass
    elif path == "/close":
        await connection.close(4002, "not here")
    elif path == "/extensions":
        await connection.send(" ".join(extension.name for extension in extensions(connection)))
        async for message in connection:
            await connection.send(message)
    else:
        async for message in connection:
            await connection.send(message)


def extensions(connection):
    return getattr(connection, "protocol", connection).extensions


async def main():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[1], sys.argv[2])
    options = {"subprotocols": ["b"], "max_size": 1 << 26}
    async with serve(handle, "127.0.0.1", 0, **options) as plain:
        async with serve(handle, "127.0.0.1", 0, ssl=tls, **options) as secure:
            ports = [server.sockets[0].getsockname()[1] for server in (plain, secure)]
            print(*ports, flush=True)
            end = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
            await asyncio.wait_for(end, timeout=600)


asyncio.run(main())
