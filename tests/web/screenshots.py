"""Make the pictures of `rituals/guide/LOOKING.md` anew, of homes of ours: `python -m tests.web.screenshots`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.web import homes
from tests.web.conftest import ROOT, Served, chromium

#: Of which home, what of it, and how many pixels from its top.
GUIDE_PICTURES = {
    "decisions": ("plain", "/decisions", 470),
    "fact": ("plain", "/fact/webhook-retries", 390),
    "review": ("undecided", "/review", 480),
}
PICTURES = ROOT / "rituals" / "guide" / "pictures"


def main() -> None:
    """Make each picture."""
    os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
    with tempfile.TemporaryDirectory() as scratch:
        for name, (made, address, height) in GUIDE_PICTURES.items():
            home = Path(scratch, made, "one")
            if not home.exists():
                homes.MAKERS[made](home)
            take(home, address, height, PICTURES / f"{name}.png")


def take(home: Path, address: str, height: int, path: Path) -> None:
    """Make a picture of what one page shows first."""
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        served = Served(home, write=True)
        try:
            page = browser.new_page(viewport={"width": 820, "height": height}, color_scheme="light")
            served.open(page, address)
            page.screenshot(path=str(path))
        finally:
            served.stop()
            browser.close()


if __name__ == "__main__":
    main()
