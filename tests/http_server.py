"""A web server with bad habits, for the tests of fetch: http_server.py FOLDER LOG; prints its port, and ends when
its input does.

    /plain/FILE      FILE, or the rest of it if a range is asked for
    /norange/FILE    all of it, whatever is asked for
    /cut/N/FILE      hangs up after N bytes of each answer
    /slow/FILE       takes a rest after each 4 kB
    /status/N/FILE   HTTP N
    /moved/FILE      redirects to /plain/FILE
    /endless/FILE    never ends
LOG gets a line per request: path and range."""
import http.server
import pathlib
import sys
import threading
import time

folder, log = pathlib.Path(sys.argv[1]), open(sys.argv[2], "a", buffering=1)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked = self.headers.get("Range", "")
        log.write(f"{self.path} {asked} {self.headers.get('User-Agent')}\n")
        _, habit, name = self.path.split("?")[0].split("/", 2)
        number = 0
        if habit in ("cut", "status"):
            number, name = name.split("/", 1)
        if habit == "status":
            return self.send_error(int(number))
        if habit == "moved":
            self.send_response(302)
            self.send_header("Location", "/plain/" + name)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if habit == "endless":
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(bytes(65536))
        if not (folder / name).is_file():
            return self.send_error(404)
        self.send(habit, int(number), (folder / name).read_bytes(), asked)

    def send(self, habit, number, data, asked):
        start = int(asked[len("bytes="):-1]) if asked and habit != "norange" else 0
        if start and start >= len(data):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(data)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        data = data[start:]
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if habit == "cut":
            data = data[:number]
        for i in range(0, len(data), 4096):
            self.wfile.write(data[i:i + 4096])
            if habit == "slow":
                time.sleep(0.003)
        self.close_connection = True

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass  # whoever asked has gone


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
