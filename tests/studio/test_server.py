"""The server of `sinew studio`, over sockets: what it hands out, whom it refuses, what it survives, how it ends."""
import base64
import hashlib
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

SINEW = os.path.join(os.environ.get("SINEW_BUILD", "build"), "sinew")
SLOT = b'<p>page</p><script id="sinew-data" type="application/octet-stream"></script>'


class Server:
    """A running `sinew studio finger` with a page of its own, so that no bundle is needed."""

    def __init__(self, *arguments, model="finger"):
        self.folder = tempfile.TemporaryDirectory()
        page = os.path.join(self.folder.name, "studio.html")
        with open(page, "wb") as file:
            file.write(SLOT)
        self.temporary = os.path.join(self.folder.name, "tmp")
        os.mkdir(self.temporary)
        command = [SINEW, "studio", model, "--timeout", "120", *(arguments or ("--port", "0"))]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "SINEW_PAGE": page, "TMPDIR": self.temporary})
        line = self.process.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", line.strip())
        self.port = int(found.group(1)) if found else 0
        self.key = "/" + found.group(2) if found else ""

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def exchange(self, request):
        """Sends bytes, reads until the server closes."""
        with self.connect() as link:
            link.sendall(request)
            answer = b""
            while chunk := link.recv(65536):
                answer += chunk
        return answer

    def get(self, path="/", host=None, method="GET", extra="", key=None):
        path = (self.key if key is None else key) + path
        host = host if host is not None else f"127.0.0.1:{self.port}"
        request = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{extra}\r\n"
        head, _, body = self.exchange(request.encode()).partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode(), body

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        self.folder.cleanup()


class Socket:
    """A WebSocket client with nothing behind it."""

    def __init__(self, server, origin=None, path="/live", key=None):
        path = (server.key if key is None else key) + path
        self.link = server.connect()
        key = base64.b64encode(os.urandom(16)).decode()
        origin = f"Origin: {origin}\r\n" if origin else ""
        self.link.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: Upgrade\r\n{origin}"
                           f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            chunk = self.link.recv(4096)
            if not chunk:
                break
            self.buffer += chunk
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        expected = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        self.accepted = b"Sec-WebSocket-Accept: " + expected in head

    def send(self, payload, kind=2, announce=None):
        size = len(payload) if announce is None else announce
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else \
            b"\xff" + struct.pack(">Q", size)
        mask = os.urandom(4)
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
        self.link.sendall(bytes([0x80 | kind]) + length + mask + masked)

    def read(self, count):
        while len(self.buffer) < count:
            chunk = self.link.recv(65536)
            if not chunk:
                raise ConnectionError("closed")
            self.buffer += chunk
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def receive(self):
        """The next message; a ping is answered on the way, as every client does."""
        while True:
            kind, payload = self.receive_frame()
            if kind != 9:
                return kind, payload
            self.send(payload, kind=10)

    def receive_snapshot(self):
        """The next one, pings not answered."""
        kind = 9
        while kind == 9:
            kind, payload = self.receive_frame()
        return payload

    def tell_seen(self, count):
        self.send(struct.pack("<II", 0, count))

    def receive_frame(self):
        kind, length = self.read(2)
        if length == 126:
            length = struct.unpack(">H", self.read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.read(8))[0]
        return kind & 15, self.read(length)

    def ended_with(self):
        """The code that the server closes with, None when it just closes."""
        try:
            while True:
                kind, payload = self.receive()
                if kind == 8:
                    return struct.unpack(">H", payload[:2])[0]
        except (ConnectionError, socket.timeout, OSError):
            return None

    def close(self):
        self.link.close()


def sequence_of(snapshot):
    return struct.unpack("<I", snapshot[8:12])[0]


def snapshots_there(link):
    """What has already come in, without waiting for more. Pings are not answered."""
    found = []
    link.link.settimeout(0.2)
    try:
        while True:
            kind, payload = link.receive_frame()
            if kind == 2:
                found.append(payload)
    except socket.timeout:
        pass
    link.link.settimeout(20)
    return found


class Serving(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def check_alive(self):
        self.assertEqual(self.server.get()[0], 200)
        self.assertIsNone(self.server.process.poll())

    def open(self, **options):
        link = Socket(self.server, **options)
        self.addCleanup(link.close)
        return link

    def test_page_and_scene(self):
        status, head, body = self.server.get("/")
        self.assertEqual((status, body), (200, SLOT))
        for line in ("X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Cross-Origin-Resource-Policy: same-origin"):
            self.assertIn(line, head)
        status, head, body = self.server.get("/scene.bin", host=f"localhost:{self.server.port}")
        self.assertEqual((status, body[:4]), (200, b"SWNS"))
        self.assertEqual(self.server.get("/", method="HEAD")[2], b"")

    def test_only_loopback_is_bound(self):
        with open("/proc/net/tcp") as file:
            text = file.read()
        port = f"{self.server.port:04X}"
        bound = [line.split()[1] for line in text.splitlines()[1:] if line.split()[1].endswith(":" + port) and line.split()[3] == "0A"]
        self.assertEqual(bound, ["0100007F:" + port])

    def test_foreign_host_and_origin(self):
        for host in ("evil.example", f"evil.example:{self.server.port}", "127.0.0.1", "", f"127.0.0.1:{self.server.port}@x"):
            self.assertEqual(self.server.get("/", host=host)[0], 403, host)
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{self.server.port}", "file://"):
            for path in ("/", "/scene.bin"):
                self.assertEqual(self.server.get(path, extra=f"Origin: {origin}\r\n")[0], 403, origin)
            self.assertEqual(self.open(origin=origin).status, 403, origin)
        own = f"Origin: http://127.0.0.1:{self.server.port}\r\n"
        self.assertEqual(self.server.get("/", extra=own)[0], 200)

    def test_nothing_outside_the_bundle(self):
        for path in ("/../../../../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/studio.html", "/./", "/scene.bin/",
                     "/scene.bin?x", "/.git/config", "/%2e%2e/", "/\\..\\x", "/index.html"):
            status, _, body = self.server.get(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"root:", body)

    def test_other_methods(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT"):
            self.assertEqual(self.server.get("/", method=method)[0], 405, method)
        self.assertEqual(self.server.get("/", extra="Content-Length: 100\r\n")[0], 405)

    def test_garbage(self):
        for bytes_ in (b"\0" * 100 + b"\r\n\r\n", b"\xff\xfe\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", os.urandom(4000) + b"\r\n\r\n",
                       b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"):
            head = self.server.exchange(bytes_).split(b"\r\n")[0]
            self.assertRegex(head, rb"^HTTP/1\.1 (400|505|414)")
        self.check_alive()

    def test_endless_headers(self):
        with self.server.connect() as link:
            sent = 0
            try:
                while sent < 4 << 20:
                    sent += link.send(b"GET / HTTP/1.1\r\n" if not sent else b"X-Long: " + b"x" * 4000 + b"\r\n")
            except OSError:
                pass
        self.assertLess(sent, 4 << 20, "the server stopped listening to it")
        self.check_alive()

    def test_clients_that_disappear(self):
        for k in range(60):
            link = self.server.connect()
            link.sendall(b"GET / HT"[: k % 9])
            link.close()
        for _ in range(20):
            link = Socket(self.server)
            link.receive()
            link.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            link.close()  # with a reset, in the middle of the stream
        self.check_alive()

    def test_a_stalled_client_does_not_hold_the_others(self):
        stalled = self.open()
        time.sleep(0.3)
        link = self.open()
        before = time.time()
        for _ in range(30):
            link.receive()
        self.assertLess(time.time() - before, 20)
        self.assertEqual(stalled.status, 101)

    def test_a_slow_screen_sees_what_is_new(self):
        """However long it looks at each picture, no more than two snapshots are ahead of it, and the one that comes after it has
        said that it saw them is at least as new as what others had by then."""
        slow, quick = self.open(), self.open()
        received = 0
        for _ in range(6):
            newest = sequence_of(quick.receive()[1])
            while sequence_of(quick.receive()[1]) < newest + 20:
                continue
            waiting = snapshots_there(slow)
            self.assertLessEqual(len(waiting), 2, "snapshots that queued up while it was drawing")
            received += len(waiting)
            newest = sequence_of(quick.receive()[1])
            slow.tell_seen(received)
            received += 1
            self.assertGreaterEqual(sequence_of(slow.receive_snapshot()), newest)

    def test_pings_pace_a_client_that_tells_nothing(self):
        """A client of one's own need not know the protocol: that it answers pings is enough, and not to answer stops the stream."""
        mute, quick = self.open(), self.open()
        newest = sequence_of(quick.receive()[1])
        while sequence_of(quick.receive()[1]) < newest + 40:
            continue
        self.assertLessEqual(len(snapshots_there(mute)), 2)
        mute.send(struct.pack("<I", 2**32 - 1), kind=10)  # what cannot have been seen counts as what can
        self.assertGreater(sequence_of(mute.receive_snapshot()), newest)

    def test_more_clients_than_it_takes(self):
        links = [self.server.connect() for _ in range(40)]
        for link in links:
            link.close()
        time.sleep(0.2)
        self.check_alive()

    def test_without_the_key(self):
        right = self.server.key
        wrong = [right[:-1] + ("0" if right[-1] != "0" else "1"), "/" + ("0" if right[1] != "0" else "1") + right[2:],
                 "", "/", right[:-1], right + "0", right.upper() if right.upper() != right else "/x", "/" + "0" * 32]
        for key in wrong:
            for path in ("/", "/scene.bin", "/live", "/strands", "/strands.muscle.xml", "/nothing"):
                self.assertEqual(self.server.get(path, key=key)[0], 403, key + path)
            self.assertEqual(self.open(key=key).status, 403, key)
            self.assertEqual(self.open(key=key, path="/strands").status, 403, key)
        self.assertEqual(self.server.get("", key=right)[0], 403, "without the last slash the page would not find its data")
        self.assertIn(b"address that sinew studio printed", self.server.get("/", key="")[2])
        self.check_alive()

    def test_each_run_has_a_key_of_its_own(self):
        other = Server()
        self.addCleanup(other.close)
        self.assertNotEqual(other.key, self.server.key)
        self.assertEqual(other.get("/", key=self.server.key)[0], 403)
        with open(f"/proc/{other.process.pid}/cmdline", "rb") as file:
            self.assertNotIn(other.key[1:].encode(), file.read(), "other users see the arguments of a process")

    def test_503_when_all_places_are_at_work(self):
        server = Server()
        self.addCleanup(server.close)
        links = []
        for _ in range(24):
            links.append(Socket(server))
            self.addCleanup(links[-1].close)
        self.assertEqual([link.status for link in links], [101] * 24)
        time.sleep(1.2)
        for link in links:  # nobody is idle: all take what they are sent
            link.receive()
        for _ in range(12):
            status, head, body = server.get("/")
            self.assertEqual(status, 503, head)
            self.assertIn(b"Too many pages are open", body)
        refused = Socket(server)
        self.addCleanup(refused.close)
        self.assertEqual(refused.status, 503)
        links[0].close()
        deadline = time.time() + 10
        while server.get("/")[0] != 200 and time.time() < deadline:
            time.sleep(0.05)
        self.assertEqual(server.get("/")[0], 200, "a place that is given up is free again")

    def test_idle_connections_make_room(self):
        server = Server()
        self.addCleanup(server.close)
        page = Socket(server)
        self.addCleanup(page.close)
        silent = [server.connect() for _ in range(23)]
        for link in silent:
            self.addCleanup(link.close)
            link.sendall(b"GET / HT")  # and no more
        time.sleep(1.3)
        page.receive()
        started = time.time()
        for _ in range(5):
            self.assertEqual(server.get("/")[0], 200)
        self.assertLess(time.time() - started, 5, "long before the patience of ten seconds ends")
        page.receive()  # who is at work is kept
        silent[0].settimeout(5)
        self.assertEqual(silent[0].recv(100), b"", "the one that was silent longest has gone")

    def test_quiet_says_where(self):
        for option in ("--quiet", "--json"):
            server = Server("--port", "0", "--timeout", "0.1", option)
            self.addCleanup(server.close)
            self.assertEqual(server.process.wait(timeout=60), 0)
            self.assertRegex(server.process.stderr.read(), r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/\n")

    def test_handshake_and_rate(self):
        link = self.open()
        self.assertEqual((link.status, link.accepted), (101, True))
        kind, first = link.receive()
        self.assertEqual((kind, first[:4]), (2, b"SNLV"))
        started, count = time.time(), 0
        while time.time() - started < 2:
            kind, state = link.receive()
            self.assertEqual(len(state), len(first))
            count += 1
        rate = count / (time.time() - started)
        print(f"\n{rate:.0f} state updates a second, {len(first)} bytes each")
        self.assertGreater(rate, 5)

    def test_drive_changes_the_state(self):
        link = self.open()
        link.send(struct.pack("<IIf", 1, 0, 0.5))
        first = link.receive()[1]
        state = first
        for _ in range(200):
            state = link.receive()[1]
            if struct.unpack("<d", state[16:24])[0] > struct.unpack("<d", first[16:24])[0] + 0.05:
                break
        self.assertNotEqual(state[24:], first[24:])
        link.send(struct.pack("<I", 3))

    def test_messages_that_are_too_long(self):
        for announced, payload in ((200, b"x" * 200), (70000, b"x" * 70000), (1 << 40, b"x" * 10)):
            link = self.open()
            try:
                link.send(payload, announce=announced)
            except OSError:
                pass
            self.assertIn(link.ended_with(), (1009, None))
        self.check_alive()

    def test_messages_that_are_garbage(self):
        link = self.open()
        for size in range(126):
            link.send(os.urandom(size))
        link.send(b"hello", kind=1)
        link.send(b"ping", kind=9)
        pong = False
        for _ in range(400):
            kind, payload = link.receive()
            pong = pong or (kind == 10 and payload == b"ping")
            if pong:
                break
        self.check_alive()
        link.send(struct.pack("<I", 3))  # reset, since the noise may have moved something
        link.send(struct.pack(">H", 1000), kind=8)
        self.assertIn(link.ended_with(), (1000, None))

    def test_frames_that_are_none(self):
        for frame in (b"\x82\x05hello", b"\x02\x80\0\0\0\0", b"\x83\x80\0\0\0\0", b"\xf2\x80\0\0\0\0"):
            link = self.open()
            link.link.sendall(frame)
            self.assertIn(link.ended_with(), (1002, None))
        self.assertEqual(self.server.get("/live")[0], 426)
        self.assertEqual(self.server.get("/strands")[0], 426)
        self.assertEqual(self.server.get("/strands.muscle.xml")[0], 404)  # nothing has been filled
        self.assertEqual(self.open(path="/").status, 200, "an upgrade elsewhere is a plain request")
        self.check_alive()


class Ending(unittest.TestCase):
    def test_port_taken(self):
        first = Server()
        self.addCleanup(first.close)
        second = Server("--port", str(first.port))
        self.addCleanup(second.close)
        self.assertEqual(second.process.wait(timeout=60), 1)
        message = second.process.stderr.read()
        self.assertIn(f"port {first.port} is taken", message)
        self.assertIn("--port", message)

    def test_a_list_of_postures(self):
        """A comment of any length is no posture; names beyond the most are counted."""
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "own.muscle.xml")
            subprocess.run([SINEW, "convert", "finger", model], check=True, stdout=subprocess.DEVNULL)
            with open(os.path.join(folder, "postures.txt"), "w") as file:
                file.write("# " + 30 * "about it " + "\n" + "nowhere   # " + 30 * "more " + "\n")
            server = Server(model=model)
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(server.process.wait(timeout=60), 0)
            said = server.process.stderr.read()
            server.close()
            self.assertEqual(re.findall(r"posture (\S*) of", said), ["nowhere"], said)
            with open(os.path.join(folder, "postures.txt"), "w") as file:
                file.write("".join(f"p{i}\n" for i in range(40)))
            server = Server(model=model)
            server.process.send_signal(signal.SIGINT)
            server.process.wait(timeout=60)
            said = server.process.stderr.read()
            server.close()
            self.assertIn("names 40 postures; the first 32", said)

    def test_interrupt_ends_it_cleanly(self):
        server = Server()
        self.addCleanup(server.close)
        link = Socket(server)
        link.receive()
        server.process.send_signal(signal.SIGINT)
        self.assertEqual(server.process.wait(timeout=60), 0)
        self.assertEqual(server.process.stderr.read(), "")
        link.close()

    def test_timeout_ends_it(self):
        server = Server("--port", "0", "--timeout", "0.2")
        self.addCleanup(server.close)
        self.assertEqual(server.process.wait(timeout=60), 0)

    def test_missing_page(self):
        result = subprocess.run([SINEW, "studio", "finger", "--port", "0"], capture_output=True, text=True, timeout=60,
                                env={**os.environ, "SINEW_PAGE": "/nowhere/studio.html"})
        self.assertEqual(result.returncode, 3)
        self.assertIn("SINEW_PAGE", result.stderr)


if __name__ == "__main__":
    unittest.main()
