#!/usr/bin/env python3
"""Builds the load generator `roombench` with Boardroom's dialect in it.

    build.py FOLDER_OF_ROOMBENCH OUTPUT_FOLDER

The generator itself is not part of this repository; its folder is given. Writes OUTPUT/roombench, floor, compare.py
and a peers.json with an entry `boardroom` besides the others'.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROWS = """    {.name = "boardroom", .path = "/v1/rooms", .subprotocol = "boardroom.v1", .echo = true, .can_resume = true,
     .opened = boardroom_opened, .message = boardroom_message, .op = boardroom_op},
    {.name = "boardroom-magix", .path = "/v1/rooms", .subprotocol = "boardroom.v1", .echo = true, .can_resume = true,
     .opened = boardroom_opened, .message = boardroom_message, .op = boardroom_magix_op},
    {.name = "boardroom-json", .path = "/v1/rooms", .subprotocol = "boardroom.json.v1", .echo = true, .text = true,
     .opened = boardroom_json_opened, .message = boardroom_json_message, .op = boardroom_json_op},
"""
# Sizes that people have and the generator's own table does not; quiet: idle until heartbeats are rare (WIRE-20).
SCENARIOS = """    ("s1-7", "--members 7 --rate 60 --seconds 3 --settle 0.5 steady", ""),
    ("s1-10-480", "--members 10 --rate 480 --seconds 3 --settle 0.5 steady", ""),
    ("s1-50-1k", "--members 50 --rate 60 --op-bytes 1024 --seconds 3 --settle 0.5 steady", ""),
    ("s1-50-20w", "--members 50 --writers 20 --rate 3 --seconds 3 --settle 0.5 steady", ""),
    ("s2-300x3", "--rooms 300 --members 3 --rate 20 --seconds 4 --settle 0.5 steady", ""),
    ("s3-quiet", "--rooms 1000 --members 5 --seconds 20 --settle 15 --join-seconds 60 idle", ""),
    ("s3-open", "--rooms 5000 --members 1 --seconds 1 --settle 1 --join-seconds 60 idle", ""),
"""


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    if not (source / "roombench.c").exists():
        print(f"build.py: {source} has no roombench.c; name the folder of the load generator", file=sys.stderr)
        return 66
    target.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, target, dirs_exist_ok=True)
    for file in target.rglob("*"):
        file.chmod(file.stat().st_mode | 0o200)
    text = (source / "roombench.c").read_text()
    table = "static const struct dialect dialects[] = {\n"
    if table not in text:
        print("build.py: roombench.c has no table of dialects where it was", file=sys.stderr)
        return 65
    text = text.replace(table, (HERE / "dialect.c").read_text() + "\n" + table + ROWS)
    (target / "roombench.c").write_text(text)
    text = (source / "compare.py").read_text()
    table = "SCENARIOS = [\n"
    if table not in text:
        print("build.py: compare.py has no table of scenarios where it was", file=sys.stderr)
        return 65
    (target / "compare.py").write_text(text.replace(table, table + SCENARIOS))
    peers = json.loads((source / "peers.json").read_text())
    peers |= json.loads(re.sub(r"\{repository\}", str(HERE.parents[2]), (HERE / "peers.json").read_text()))
    (target / "peers.json").write_text(json.dumps(peers, indent=2))
    return subprocess.run(["make", "-s", "-C", str(target), "roombench", "floor", "limits"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
