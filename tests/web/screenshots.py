"""Make a picture of each page, at each width, light and dark: `python -m tests.web.screenshots`.

The folder `screenshots/` is ignored by git. A home is named by its folder; without one a made home is shown.
With `--guide` the pictures of `rituals/guide/LOOKING.md` are made anew, of homes of ours.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from rituals.serve.web.site import safe_name
from tests.web import homes
from tests.web.conftest import ROOT, Served, chromium
from tests.web.looking import LOOKS, addresses

#: The pictures of the guide: of which home, what of it, and how many pixels from its top.
GUIDE_PICTURES = {
    "decisions": ("plain", "/decisions", 580),
    "fact": ("plain", "/fact/webhook-retries", 390),
    "review": ("undecided", "/review", 480),
}
PICTURES = ROOT / "rituals" / "guide" / "pictures"


def main() -> None:
    """Read what is asked, and make the pictures."""
    reads = argparse.ArgumentParser(prog="python -m tests.web.screenshots", description=__doc__)
    reads.add_argument("--home", type=Path, help="a folder with a home; it is only read")
    reads.add_argument(
        "--made", choices=sorted(homes.MAKERS), default="plain", help="else this one"
    )
    reads.add_argument("--out", type=Path, default=ROOT / "screenshots")
    reads.add_argument("--of-each", type=int, default=1, help="pages of each row of the table")
    reads.add_argument("--guide", action="store_true", help="the pictures of the guide instead")
    asked = reads.parse_args()
    os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
    with tempfile.TemporaryDirectory() as scratch:
        if asked.guide:
            for name, (made, address, height) in GUIDE_PICTURES.items():
                home = Path(scratch, made, "one")
                if not home.exists():
                    homes.MAKERS[made](home)
                take_one(home, address, height, PICTURES / f"{name}.png")
            return
        home = asked.home
        if home is None:
            home = Path(scratch, asked.made, "one")
            homes.MAKERS[asked.made](home)
        print(f"{take(home.resolve(), asked.out, asked.of_each)} pictures in {asked.out}")


def take(home: Path, out: Path, of_each: int) -> int:
    """Make the pictures of a home's pages, a folder for each look; return how many there are.

    `of_each` is how many pages of each row of the table.
    """
    made = 0
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        served = Served(home, write=True)
        try:
            for width, scheme in LOOKS:
                context = browser.new_context(
                    viewport={"width": width, "height": 860},
                    color_scheme=scheme,  # type: ignore[arg-type]
                )
                page = context.new_page()
                served.open(page)
                for address in addresses(home, of_each):
                    page.goto(served.address + address)
                    name = safe_name(address.strip("/") or "index")
                    path = out / f"{width}-{scheme}" / f"{name}.png"
                    page.screenshot(path=str(path), full_page=True)
                    made += 1
                context.close()
        finally:
            served.stop()
            browser.close()
    return made


def take_one(home: Path, address: str, height: int, path: Path) -> None:
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
