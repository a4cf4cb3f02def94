"""A real Chromium, driven by chromedriver: as much of the WebDriver protocol as the tests of the explorer need.

    with Browser(width=1400, height=1000, dark=False) as browser:
        browser.open("file:///.../explorer.html#boundary")
        browser.wait("return document.title")
        browser.drag(canvas, [(10, 10), (60, 30)])
        browser.screenshot("page.png")
"""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
         "--disable-background-timer-throttling", "--disable-renderer-backgrounding"]


def missing():
    """Why there is no browser here; None if there is one."""
    for program in ["chromium", "chromedriver"]:
        if not shutil.which(program):
            return f"{program} is not here (Debian: chromium-driver)"
    return None


class Browser:
    def __init__(self, width=1400, height=1000, dark=False, downloads=None):
        self.width, self.height, self.dark, self.downloads = width, height, dark, downloads

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.folder = tempfile.mkdtemp(prefix="kelvin-browser-")
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
        self.root = f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except OSError:
                time.sleep(0.05)
        options = {"binary": shutil.which("chromium"),
                   "args": FLAGS + [f"--user-data-dir={self.folder}", f"--window-size={self.width},{self.height}"]}
        asked = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                 "goog:loggingPrefs": {"browser": "ALL"}}}
        self.root += "/session/" + self.call("POST", "/session", {"capabilities": asked})["sessionId"]
        self.call("POST", "/timeouts", {"script": 120000})
        self.appear(self.width, self.height, self.dark)
        if self.downloads:
            self.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads)
        return self

    def appear(self, width, height, dark):
        """As a screen of this size, with or without the wish for dark pages."""
        self.width, self.height, self.dark = width, height, dark
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        except OSError:
            pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if method == "POST" else None
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """What a script returns, which may be a promise."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=60, every=0.05):
        """Until a script returns something that counts as true, and that; an error after so many seconds."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"nothing came of this in {seconds} s: {script}")
            time.sleep(every)

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})

    def click(self, selector):
        element = self.find(selector)
        self.call("POST", f"/element/{next(iter(element.values()))}/click", {})

    def keys(self, text):
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def drag(self, places, pause=16, kind="mouse"):
        """From place to place, (x, y) in the window, with so many milliseconds between them."""
        (x, y), *rest = places
        steps = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0}]
        for x, y in rest:
            steps.append({"type": "pointerMove", "duration": pause, "x": round(x), "y": round(y)})
        steps.append({"type": "pointerUp", "button": 0})
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": kind, "parameters": {"pointerType": kind},
                                                    "actions": steps}]})

    def screenshot(self, path, full=False):
        if full:
            size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
            picture = self.devtools("Page.captureScreenshot", captureBeyondViewport=True, clip={
                "x": 0, "y": 0, "width": self.width, "height": size["height"], "scale": 1})["data"]
        else:
            picture = self.call("GET", "/screenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))

    def console(self):
        """What the page has complained about since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]
