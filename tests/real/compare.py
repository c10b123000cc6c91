"""compare.py ANSWER FOLDER SUMMARY [DETAILS]

The JSON answer of rocaudit on FOLDER against what expect.py found there. Prints an
`ok` or `not ok` line for each file, or group of files, of the summary, and one for all
details that agree, and exits 0.
"""

import json
import os
import sys

import summary

SHOWN = 6


def answered(path, top):
    """What rocaudit says, in the shape that summary.py wants."""
    with open(path, encoding="utf-8") as file:
        answer = json.load(file)
    names = [device["target"].split(":")[0] for device in answer["devices"]]
    for file in answer["files"]:
        said = [verdict_of(verdict, names) for verdict in file["verdicts"]]
        # A file is listed for a finding or a diagnostic as well.
        if file["bundles"] or any(verdict["verdict"] != "none" for verdict in said):
            bundles = [bundle_of(bundle) for bundle in file["bundles"]]
            name = os.path.relpath(file["path"], top)
            yield {"path": name, "bundles": bundles, "verdicts": said}


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
            name = "all files" if fields[0] == "total" else fields[1]
            found.setdefault(name, []).append(line)
    return found


def report(ours, theirs):
    """How many files, or groups, agree; tells of the others."""
    names = sorted(ours.keys() | theirs.keys())
    odd = [name for name in names if ours.get(name) != theirs.get(name)]
    for name in odd[:SHOWN]:
        print(f"not ok {name}: not as expected")
        show("rocaudit says", ours.get(name, []), theirs.get(name, []))
        show("the bytes say", theirs.get(name, []), ours.get(name, []))
    if len(odd) > SHOWN:
        print(f"not ok {len(odd) - SHOWN} files more")
    return [name for name in names if name not in odd]


def show(who, these, others):
    odd = [line for line in these if line not in others]
    for line in odd[:SHOWN]:
        print(f"  {who}: {line}")
    if len(odd) > SHOWN:
        print(f"  {who}: and {len(odd) - SHOWN} lines more")


def main():
    path, top, expected, *whole = sys.argv[1:]
    files = list(answered(path, top))
    with open(expected, encoding="utf-8") as file:
        for name in report(blocks(summary.summary(files)), blocks(file)):
            print(f"ok {name}")
    for details in whole:
        with open(details, encoding="utf-8") as file:
            same = report(blocks(summary.details(files)), blocks(file))
            print(f"ok every detail of {len(same)} files")


main()
