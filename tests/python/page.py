"""A page of the viewer without a browser: a WebSocket that asks and gets frames (docs/viewer.md)."""

import base64
import json
import os
import socket
import struct
import time
from urllib.parse import urlsplit


class Page:
    def __init__(self, address):
        where = urlsplit(address)
        self.socket = socket.create_connection((where.hostname, where.port), timeout=20)
        self.socket.sendall(f"GET {where.path}socket HTTP/1.1\r\nHost: {where.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Origin: http://{where.netloc}\r\nSec-WebSocket-Version: 13\r\n"
                            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._take(1)
        assert b" 101 " in head, head
        self.count, self.news, self.times = 0, [], []
        self.ask("hello")
        self.ask("scene")

    def _take(self, n):
        data = b""
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            if not more:
                raise ConnectionError("the viewer has gone")
            data += more
        return data

    def _send(self, message):
        body = json.dumps(message).encode()
        length = struct.pack(">BB", 0x81, 0x80 | len(body)) if len(body) < 126 else struct.pack(">BBH", 0x81, 0x80 | 126, len(body))
        self.socket.sendall(length + b"\0\0\0\0" + body)

    def _read(self):
        kind, length = self._take(2)
        length &= 127
        if length == 126:
            length, = struct.unpack(">H", self._take(2))
        elif length == 127:
            length, = struct.unpack(">Q", self._take(8))
        body = self._take(length)
        if kind & 15 == 2:
            _, frame, moment = struct.unpack("<IId", body[:16])
            self.times.append(moment)
            self._send({"do": "ack", "frame": frame})
            return None
        message = json.loads(body) if kind & 15 == 1 else {}
        if "is" in message:
            self.news.append(message)
        return message

    def ask(self, verb, **more):
        """The answer to a request."""
        self.count += 1
        self._send({"do": verb, "id": self.count, **more})
        while True:
            message = self._read()
            if message and message.get("re") == self.count:
                return message

    def until(self, condition, seconds=20):
        """Reads until the condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("the page has not seen it")
            self._read()

    def close(self):
        self.socket.close()
