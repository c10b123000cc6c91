"""Checks an answer for what a path can do to it.

answer.py text FILE             no byte that a terminal acts on, and all of it UTF-8
answer.py json FILE FOLDER...   JSON whose paths are the files below FOLDER, byte by byte
"""

import base64
import json
import os
import re
import sys
import unicodedata


def check_text(name):
    with open(name, "rb") as file:
        text = file.read().decode("utf-8")
    bad = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
    if bad - {"\n"}:
        sys.exit(f"acts on a terminal: {sorted(map(hex, map(ord, bad)))}")


def said_path(file):
    raw = file["path_base64"]
    if raw:
        return base64.b64decode(raw)
    # What it escapes, a backslash above all, is \\xNN a byte.
    return re.sub(
        rb"\\x([0-9a-f]{2})",
        lambda found: bytes([int(found[1], 16)]),
        file["path"].encode("utf-8"),
    )


def check_json(name, folders):
    with open(name, "rb") as file:
        report = json.loads(file.read().decode("utf-8"))
    there = {
        os.path.join(folder, name)
        for top in folders
        for folder, _, names in os.walk(os.fsencode(top))
        for name in names
    }
    said = [said_path(file) for file in report["files"]]
    if set(said) != there or len(said) != len(there):
        sys.exit(f"says {sorted(said)}, there are {sorted(there)}")


if __name__ == "__main__":
    if sys.argv[1] == "text":
        check_text(sys.argv[2])
    else:
        check_json(sys.argv[2], sys.argv[3:])
