"""package.py ANSWER EXIT WHEEL NAME

Whether the JSON answer of rocaudit on WHEEL, for gfx1100 and ROCm 7.1, and its exit code
are as the row NAME of packages.tsv says. Name and version are those of METADATA as well.
Prints `ok` or `not ok` lines and exits 0.
"""

import csv
import email.parser
import json
import os
import sys
import zipfile

TABLE = os.path.join(os.path.dirname(__file__), "packages.tsv")


def row_of(name):
    with open(TABLE, encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return next((row for row in rows if row["wheel"] == name), None)


def of_metadata(wheel):
    """Name and version, by the parser for mail."""
    with zipfile.ZipFile(wheel) as members:
        (place,) = [name for name in members.namelist()
                    if name.count("/") == 1 and name.endswith(".dist-info/METADATA")]
        text = members.read(place).decode()
    told = email.parser.HeaderParser().parsestr(text)
    return told["Name"], told["Version"]


def yes(flag):
    return "yes" if flag else "no"


def cases(answer, status, wheel, row):
    """(what, what it should be, what it is)."""
    yield "exit code", row["exit"], status
    yield "METADATA", (row["name"], row["version"]), of_metadata(wheel)
    packages = {package["name"]: package for package in answer["packages"]}
    # One that has no device code, and of which there is nothing to say, is not listed.
    if answer["totals"]["with_device_code"] or "yes" in (row["jit"], row["placeholder"]):
        yield "packages", [row["name"]], list(packages)
    for package in packages.values():
        yield "version", row["version"], package["version"]
        yield "placeholder", row["placeholder"], yes(package["placeholder"])
        if row["jit"] != "-":
            yield "jit", row["jit"], yes(package["jit"])


def main():
    path, status, wheel, name = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        answer = json.load(file)
    row = row_of(name)
    if not row:
        print(f"not ok package: no row in {os.path.basename(TABLE)}")
        return
    for what, expected, told in cases(answer, status, wheel, row):
        if expected == told:
            print(f"ok {what}")
        else:
            print(f"not ok {what}: {told}, and {expected} is right: {row['why']}")


main()
