"""How a run looks in a notebook: the first screen of its page."""
from __future__ import annotations

import html
import os
import re
import tempfile
from typing import Any


def first_screen(run: Any) -> str:
    """The page's head (what was sampled, the main numbers, the verdict), in a frame of its own, so that the styles of page
    and notebook do not meet."""
    with tempfile.TemporaryDirectory(prefix="kelvin-") as folder:
        path = run.report(os.path.join(folder, "page.html"))
        with open(path, encoding="utf-8") as file:
            page = file.read()
    head = page[:page.index("<body>")]
    screen = re.search(r"<header>.*?</header>", page, re.S)
    body = re.sub(r"<nav.*?</nav>", "", screen.group(0), flags=re.S) if screen else ""
    body = re.sub(r'\s*\(<a href="#[^>]*>[^<]*</a>\)', "", body)  # what it leads to is not here
    whole = f"{head}<body>{body}</body></html>"
    return (f'<iframe srcdoc="{html.escape(whole)}" title="A posterior" width="100%" height="330" '
            'style="border:0" sandbox></iframe>')
