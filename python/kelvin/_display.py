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
    body = re.sub(r"<h1>.*?</h1>", "", body, flags=re.S)  # the cell says what it is
    body = re.sub(r'\s*\(<a href="#[^>]*>[^<]*</a>\)', "", body)  # what it leads to is not here
    body = body.replace(html.escape(os.path.dirname(run.folder) + os.sep), "") if run._home else body
    tight = "<style>body { margin: 0; padding: 0 .5rem } body, .lead { max-width: none } header { margin: 0 }</style>"
    whole = f"{head}{tight}<body>{body}</body></html>"
    return (f'<iframe srcdoc="{html.escape(whole)}" title="A posterior" width="100%" height="320" '
            'style="border:0" sandbox></iframe>')
