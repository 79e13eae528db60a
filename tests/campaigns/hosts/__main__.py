"""Print a matrix of hosts and claims: `python -m tests.campaigns.hosts [HOST…] [--keep FOLDER]`.

Runs the real programs, which npm puts below a cache folder, without a network, against a model that plays a
script. A host that npm has not is skipped with a word. Ends with 1 where a claim fails.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.campaigns.hosts.journey import CLAIMS, Journey
from tests.campaigns.hosts.packages import PACKAGES, missing
from tests.campaigns.hosts.programs import PROGRAMS
from tests.campaigns.hosts.session import is_alone, without_network

#: What a program needs beside itself.
_BESIDE = {"qwen": ("node",), "opencode": ("opencode-plugin",)}


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hosts", nargs="*", choices=(*PROGRAMS, []), metavar="HOST")
    parser.add_argument("--keep", type=Path, help="write what was asked and answered down here")
    chosen = parser.parse_args()
    hosts = [host for host in PROGRAMS if not chosen.hosts or host in chosen.hosts]
    if not is_alone():
        for host in hosts:
            for name in (host, *_BESIDE.get(host, ())):
                if why := missing(name):
                    print(f"{host}: skipped, {why}", flush=True)
        try:
            without_network()
        except (OSError, subprocess.CalledProcessError) as problem:
            print(f"skipped: this machine gives no network of its own ({problem})")
            return 0
    without_network()
    hosts = [one for one in hosts if not any(map(missing, (one, *_BESIDE.get(one, ()))))]
    if not hosts:
        return 0
    bad = 0
    folder = chosen.keep or Path(tempfile.mkdtemp())
    try:
        for host in hosts:
            others = [one for one in hosts if one != host] or [host]
            place = sorted(others, key=[*PROGRAMS, *PROGRAMS].index)
            after = [one for one in place if list(PROGRAMS).index(one) > list(PROGRAMS).index(host)]
            other = (after or place)[0]
            print(f"\n{host} {PACKAGES[host].version}, then {other}", flush=True)
            for claim, cell in Journey(folder / host, host, other).cells():
                bad += cell.startswith("FAILS")
                print(f"  {claim:<26}{cell}", flush=True)
    finally:
        if chosen.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{len(hosts)} hosts, {len(hosts) * len(CLAIMS)} cells, {bad} fail")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
