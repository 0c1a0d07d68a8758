"""`aqbench get` against a server on the loopback that misbehaves: a right file, or a clear line and nothing wrong kept."""

import contextlib
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import time

import pytest

PROGRAM = os.environ["AQBENCH_PROGRAM"]
DATA = b"PK" + bytes(range(256)) * 400 + b"the end"
SHA256 = hashlib.sha256(DATA).hexdigest()

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is missing")


class Faulty(http.server.BaseHTTPRequestHandler):
    """Serves DATA by the plan of its server: plan(handler, number of the request, first byte wanted)."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        number = self.server.requests
        self.server.requests += 1
        asked = re.match(r"bytes=(\d+)-", self.headers.get("Range", ""))
        self.close_connection = True
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.server.plan(self, number, int(asked[1]) if asked else 0)

    def send(self, data=DATA, begin=0, status=None, upto=None, length=None, ranged=True):
        """Answers with data[begin:], of which only the first `upto` bytes come."""
        rest = data[begin:]
        self.send_response(status or (206 if begin and ranged else 200))
        if length is not False:
            self.send_header("Content-Length", str(len(rest) if length is None else length))
        if begin and ranged:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(rest if upto is None else rest[:upto])
        self.wfile.flush()

    def refuse(self, status, text=b"no"):
        self.send(text, 0, status)


def plant(tmp_path, server, size, sha256, md5, name, address):
    """Writes a registry of one file. Returns the command that gets it, its environment, and the file."""
    tmp_path.mkdir(exist_ok=True)
    file = {"name": name, "size": size, "sha256": sha256,
            "address": address or f"http://127.0.0.1:{server.server_port}/{name}"}
    registry = {"version": 1, "sets": [{
        "name": "planted", "title": "planted", "page": "none", "licence": None, "layout": "images", "truth": None,
        "files": [file | ({"md5": md5} if md5 else {})]}]}
    (tmp_path / "registry.json").write_text(json.dumps(registry))
    target = tmp_path / "cache" / "sets" / "planted" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    return ([PROGRAM, "get", "planted", "--registry", str(tmp_path / "registry.json"), "--stall", "1"],
            {**os.environ, "AQBENCH_CACHE_DIR": str(tmp_path / "cache")}, target)


def get(tmp_path, plan, size=len(DATA), sha256=SHA256, before=None, name="set.zip", limit="1G", address=None, md5=None):
    """Returns (exit code, stderr with stdout, the file or None, requests) of one call."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Faulty)
    server.plan, server.requests = plan, 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command, environment, file = plant(tmp_path, server, size, sha256, md5, name, address)
    for ending, data in (before or {}).items():
        (file.parent / (name + ending)).write_bytes(data)
    done = subprocess.run(command, capture_output=True, text=True, timeout=100,
                          env={**environment, "AQBENCH_CACHE_LIMIT": limit})
    server.shutdown()
    server.server_close()
    return done.returncode, done.stdout + done.stderr, file.read_bytes() if file.exists() else None, server.requests


def drops(every):
    return lambda h, n, begin: h.send(begin=begin, upto=every)


def slow(h, n, begin):
    h.send(begin=begin, upto=2000)
    time.sleep(3)


def then(first, rest=lambda h, n, begin: h.send(begin=begin)):
    return lambda h, n, begin: (first if n == 0 else rest)(h, n, begin)


WRONG = b"PK" + bytes(len(DATA) - 2)
HALF = DATA[:40000]

# Faults that end with the right file.
HEALED = {
    "a good server": lambda h, n, begin: h.send(begin=begin),
    "drops the connection in the middle": then(lambda h, n, begin: h.send(upto=30000)),
    "drops it again and again": drops(11000),
    "drops it before the first byte": then(lambda h, n, begin: None),
    "drops it inside the head": then(lambda h, n, begin: h.wfile.write(b"HTTP/1.1 200 O")),
    "is too slow, then not": then(slow),
    "is busy at first (503)": then(lambda h, n, begin: h.refuse(503)),
    "asks to wait (429)": then(lambda h, n, begin: h.refuse(429)),
    "knows no ranges after a drop": then(lambda h, n, begin: h.send(upto=30000),
                                         lambda h, n, begin: h.send(ranged=False)),
    "says no length and drops": then(lambda h, n, begin: h.send(upto=30000, length=False)),
    "sends wrong bytes once, then is dropped": then(lambda h, n, begin: h.send(WRONG, upto=30000)),
    "moves the file": then(lambda h, n, begin: (h.send_response(302), h.send_header("Location", "/there.zip"),
                                                h.send_header("Content-Length", "0"), h.end_headers())),
    "sends wrong bytes at first": then(lambda h, n, begin: h.send(WRONG)),
}


@pytest.mark.parametrize("fault", HEALED)
def test_a_fault_that_passes_ends_with_the_right_file(tmp_path, fault):
    code, said, data, _ = get(tmp_path, HEALED[fault])
    assert (code, data) == (0, DATA), said


# Faults that end with a line: (plan, what it says).
REFUSED = {
    "has no such file": (lambda h, n, begin: h.refuse(404), "answers 404"),
    "asks for a password": (lambda h, n, begin: h.refuse(401), "answers 401"),
    "is broken": (lambda h, n, begin: h.refuse(500), "answers 500"),
    "always sends wrong bytes": (lambda h, n, begin: h.send(WRONG, begin), "has the SHA-256"),
    "sends more than there is": (lambda h, n, begin: h.send(DATA * 40, length=False), "sends more than|has .* bytes"),
    "never sends anything": (lambda h, n, begin: time.sleep(3), "does not give it"),
    "sends a page instead": (lambda h, n, begin: h.send(b"<html>no</html>" + DATA[15:]), "has the SHA-256"),
    "turns in circles": (lambda h, n, begin: (h.send_response(302), h.send_header("Location", "/set.zip"),
                                              h.send_header("Content-Length", "0"), h.end_headers()), "does not give|answers"),
    "speaks no HTTP": (lambda h, n, begin: h.wfile.write(b"SSH-2.0-none\r\n"), "does not give it"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_fault_that_stays_is_said_in_one_line_and_nothing_wrong_is_kept(tmp_path, fault):
    plan, text = REFUSED[fault]
    code, said, data, _ = get(tmp_path, plan)
    assert code == 6 and data is None, said
    line = said.strip().splitlines()[-1]
    assert line.startswith("aqbench: error: set.zip: ") and re.search(text, line), said


def test_what_is_there_is_continued_and_checked(tmp_path):
    good = HEALED["a good server"]
    asked = []
    code, said, data, _ = get(tmp_path, lambda h, n, begin: (asked.append(begin), h.send(begin=begin)),
                              before={".part": HALF})
    assert (code, data, asked) == (0, DATA, [len(HALF)]), said
    assert get(tmp_path, good)[3] == 0  # it is there and right
    code, said, data, requests = get(tmp_path, good, before={"": WRONG})
    assert (code, data, requests) == (0, DATA, 1) and "fetched again" in said
    (tmp_path / "cache" / "sets" / "planted" / "set.zip").unlink()
    code, said, data, _ = get(tmp_path, good, before={".part": WRONG[:40000]})  # of another version of the file
    assert (code, data) == (0, DATA), said


def test_what_is_not_known_is_said(tmp_path):
    code, said, data, _ = get(tmp_path, HEALED["a good server"], size=None, sha256=None)
    assert (code, data) == (0, DATA)
    assert "set.zip: no hash is registered, so its bytes cannot be checked\n" in said  # before
    assert f"SHA-256 {SHA256} (not checked: no hash is registered; keep this one to compare with)" in said
    code, said, data, _ = get(tmp_path / "page", lambda h, n, begin: h.send(b"<html>no</html>"), size=None, sha256=None)
    assert code == 6 and data is None and "no archive of that kind" in said


def test_an_md5_is_checked_where_it_is_all_that_is_registered(tmp_path):
    md5 = hashlib.md5(DATA).hexdigest()
    code, said, data, _ = get(tmp_path, HEALED["a good server"], sha256=None, md5=md5)
    assert (code, data) == (0, DATA) and f"SHA-256 {SHA256} (the MD5 is as registered)" in said
    code, said, data, _ = get(tmp_path / "wrong", lambda h, n, begin: h.send(WRONG, begin), sha256=None, md5=md5)
    assert code == 6 and data is None and f"has the MD5 {hashlib.md5(WRONG).hexdigest()} instead of {md5}" in said
    code, said, _, _ = get(tmp_path / "none", HEALED["a good server"], sha256=None, md5="0" * 31)
    assert code == 2 and "sets[0].files[0].md5: expected an MD5 in hexadecimal" in said


def test_curl_ends_with_the_program_that_started_it(tmp_path):
    """After kill -9 nothing writes on, so that the next call continues what is there."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Faulty)

    def trickle(handler, _, begin):  # 100 bytes every 20 ms
        if server.requests > 1:
            return handler.send(begin=begin)
        handler.send(upto=0)
        for at in range(0, len(DATA), 100):
            handler.wfile.write(DATA[at:at + 100])
            handler.wfile.flush()
            time.sleep(0.02)

    server.plan, server.requests = trickle, 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command, environment, file = plant(tmp_path, server, None, None, None, "set.zip", None)
    part = file.parent / "set.zip.part"
    killed = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    while not part.exists() or part.stat().st_size < 1000:
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    time.sleep(0.5)
    bytes_then = part.stat().st_size
    time.sleep(1)
    assert part.stat().st_size == bytes_then < len(DATA)
    assert subprocess.run(command, env=environment, capture_output=True, timeout=100).returncode == 0
    assert file.read_bytes() == DATA
    server.shutdown()
    server.server_close()


def test_the_cache_has_a_limit(tmp_path):
    old = tmp_path / "cache" / "sets" / "old"
    old.mkdir(parents=True)
    (old / "file").write_bytes(bytes(60000))
    code, said, data, _ = get(tmp_path, HEALED["a good server"], limit="110000")
    assert (code, data) == (0, DATA) and not old.exists() and "old: removed from the cache" in said
    listed = subprocess.run([PROGRAM, "cache", "--json"], capture_output=True, check=True,
                            env={**os.environ, "AQBENCH_CACHE_DIR": str(tmp_path / "cache")}).stdout
    assert [(one["name"], one["bytes"]) for one in json.loads(listed)["sets"]] == [("planted", len(DATA))]
    code, said, data, _ = get(tmp_path / "small", HEALED["a good server"], limit="50000")
    assert code == 2 and data is None and "AQBENCH_CACHE_LIMIT" in said
    code, said, data, _ = get(tmp_path / "open", lambda h, n, begin: h.send(DATA * 3, length=False), size=None,
                              sha256=None, limit="150000")
    assert code == 6 and data is None and "more than" in said


def test_a_file_without_an_address_says_what_to_do(tmp_path):
    done = subprocess.run([PROGRAM, "get", "tanks-and-temples-training"], capture_output=True, text=True,
                          env={**os.environ, "AQBENCH_CACHE_DIR": str(tmp_path)})
    assert done.returncode == 6 and "fetch it by hand" in done.stderr
    listed = json.loads(subprocess.run([PROGRAM, "get", "--json"], capture_output=True, check=True).stdout)
    assert [one["name"] for one in listed] == ["aquamvs-example", "aquacal-rig", "eth3d-training", "dtu-evaluation",
                                               "tanks-and-temples-training", "sceaux-castle"]
    done = subprocess.run([PROGRAM, "get", "eth3d"], capture_output=True, text=True)
    assert done.returncode == 2 and "eth3d-training" in done.stderr
