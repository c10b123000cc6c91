"""compare.py ANSWER PLACE SUMMARY [DETAILS]
compare.py --same ANSWER PLACE ANSWER PLACE

The JSON answer of rocaudit on PLACE, which is a wheel or a folder that one was unpacked
into, against what expect.py found there. Prints an `ok` or `not ok` line for each file,
or group of files, of the summary, and one for all details that agree, and exits 0. With
--same the same for two answers, in every detail.
"""

import json
import os
import re
import sys

import summary

SHOWN = 6

# pip moves what is in these folders of a wheel to where the rest of it is.
SPREAD = re.compile(r"[^/]+\.data/(purelib|platlib)/")


def placed(path, place):
    """Where pip puts a file of a wheel, packed or not, below site-packages."""
    packed = place.endswith(".whl")
    inside = path[len(place) + 1 :] if packed else os.path.relpath(path, place)
    return SPREAD.sub("", inside, count=1) if SPREAD.match(inside) else inside


def answered(path, place):
    """What rocaudit says, in the shape that summary.py wants, and what it counts."""
    with open(path, encoding="utf-8") as file:
        answer = json.load(file)
    names = [device["target"].split(":")[0] for device in answer["devices"]]
    found = [file_of(file, place, names) for file in answer["files"]]
    # A file is listed for a finding or a diagnostic as well.
    found = [file for file in found if file["bundles"]
             or any(verdict["verdict"] != "none" for verdict in file["verdicts"])]
    return found, answer["totals"]["by_kind"]


def file_of(file, place, names):
    said = [verdict_of(verdict, names) for verdict in file["verdicts"]]
    bundles = [bundle_of(bundle) for bundle in file["bundles"]]
    kpack = file.get("kpack") if file["kind"] != "kpack" else None
    return {"path": placed(file["path"], place), "bundles": bundles, "verdicts": said,
            "kpack": kpack}


def verdict_of(verdict, names):
    return {"device": names[verdict["device"]], "verdict": verdict["verdict"],
            "covered": verdict["covered"], "total": verdict["total"],
            "missing": verdict["kernels_missing"]}


def bundle_of(bundle):
    entries = [{**entry, "version": entry["code_object_version"],
                "kernels": entry["kernels"] or 0} for entry in bundle["entries"]]
    return {**bundle, "entries": entries}


def blocks(lines):
    """Lines by the file, or group, that they are about."""
    found = {}
    for line in "".join(lines).splitlines():
        fields = line.split("\t")
        if not line.startswith("#"):
            about_all = fields[0] in ("total", "without")
            name = f"{fields[0]} of all files" if about_all else fields[1]
            found.setdefault(name, []).append(line)
    return found


def report(ours, theirs, who=("rocaudit says", "the bytes say")):
    """The files, or groups, that agree; tells of the others."""
    names = sorted(ours.keys() | theirs.keys())
    odd = [name for name in names if ours.get(name) != theirs.get(name)]
    for i, name in enumerate(odd):
        print(f"not ok {name}: not as expected")
        if i < SHOWN:
            show(who[0], ours.get(name, []), theirs.get(name, []))
            show(who[1], theirs.get(name, []), ours.get(name, []))
    return [name for name in names if name not in odd]


def show(who, these, others):
    odd = [line for line in these if line not in others]
    for line in odd[:SHOWN]:
        print(f"  {who}: {line}")
    if len(odd) > SHOWN:
        print(f"  {who}: and {len(odd) - SHOWN} lines more")


def told(files, kinds, expected):
    """The summary of an answer; what is not known of others counts as it is expected."""
    found = blocks(summary.summary(files, kinds))
    for name, lines in expected.items():
        if lines == [summary.UNKNOWN.strip()]:
            found[name] = lines
    return found


def same(one, place, other, place_of_other):
    """Two answers, in every detail."""
    files, others = answered(one, place)[0], answered(other, place_of_other)[0]
    agree = report(blocks(summary.details(files)), blocks(summary.details(others)),
                   ("the wheel", "the folder"))
    if len(agree) == len(files) == len(others):
        print(f"ok {len(agree)} files, packed and unpacked")


def main():
    if sys.argv[1] == "--same":
        return same(*sys.argv[2:])
    path, place, expected, *whole = sys.argv[1:]
    files, kinds = answered(path, place)
    with open(expected, encoding="utf-8") as file:
        theirs = blocks(file)
        for name in report(told(files, kinds, theirs), theirs):
            print(f"ok {name}")
    for details in whole:
        with open(details, encoding="utf-8") as file:
            agree = report(blocks(summary.details(files)), blocks(file))
            print(f"ok every detail of {len(agree)} files")
    return None


main()
