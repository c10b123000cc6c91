#!/usr/bin/env python3
"""table.py ROCAUDIT FOLDER RESULTS [text|md|summary] - ask tools what is in FOLDER.

rows.tsv there, which layouts.sh wrote, says what is in each file. Prints how the tools did,
as text or Markdown, or a Markdown table of groups of files. Writes `ok` and `not ok` lines
to RESULTS: one for each file, of rocaudit alone.

An answer about code or bitcode is right if exactly the code objects are listed, with exit
status 0; about no device code if nothing is; about damage if that is said, with another
exit status; about code in other files if either is so. Of rocaudit the bundles are counted
as well, it must not call anything damaged that is not, and it has 10 seconds and 500 MiB.
"""

import collections
import csv
import datetime
import os
import shutil
import subprocess
import sys

import tools

SECONDS = 10
MEMORY = 500 << 20

LEGEND = """\
right: what is in it is listed, and nothing else; of damage: it is said, and the exit status
is not 0. wrong 3/9: of 9 code objects 3 are listed; +2: and 2 that are not there. wrong
place, wrong bytes: the targets are right, but the code objects are not where the tool says,
or not what it writes. nothing: it lists nothing. error: it gives up, or was ended after 30
seconds or at 4 GiB. An exclamation mark: the exit status is 0 all the same. -: the tool is
not here, or there is nothing to ask it about.
llvm-objdump and llvm-readobj: with --offloading. bundler: clang-offload-bundler --list, of
the file, and of its section .hip_fatbin, cut out; it names a target once, which is right
here."""

Row = collections.namedtuple("Row", "group file kind bundles targets what")


def read_rows():
    with open("rows.tsv", encoding="ascii", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            targets = [] if line["targets"] == "-" else line["targets"].split()
            yield Row(**{**line, "targets": targets})


# ---- scores ------------------------------------------------------------------------

def score(row, answer):
    if answer.run.killed:
        return "error"
    if row.kind == "none":
        return f"wrong +{answer.found.total()}" if answer.found else "right"
    refused = answer.run.code != 0 and (answer.run.err.strip() or answer.why)
    if row.kind == "damage":
        return "right" if refused else "wrong"
    if row.kind == "outside" and refused and not answer.found:
        return "right"
    return score_code(collections.Counter(row.targets), answer)


def score_code(wanted, answer):
    if answer.once:
        wanted = collections.Counter(set(wanted))
    if not answer.found:
        return "error" if answer.run.code else "nothing"
    if answer.found != wanted:
        more = (answer.found - wanted).total()
        part = f"wrong {(answer.found & wanted).total()}/{wanted.total()}"
        return f"{part} +{more}" if more else part
    if answer.misled:
        return f"wrong {answer.misled}"
    return "error" if answer.run.code else "right"


def cell(row, answer):
    if answer is None:
        return ""
    word = score(row, answer)
    return word if word == "right" or answer.run.code else word + " !"


def fault(row, answer):
    """What is wrong with the answer of rocaudit, if anything."""
    run, word = answer.run, score(row, answer)
    said = answer.why or run.err.strip().split("\n")[0] or "no word on it"
    if word != "right":
        return f"{word}, exit status {run.code}: {said}"
    if row.kind not in ("damage", "outside") and answer.why:
        return answer.why
    if row.kind in ("code", "bitcode") and answer.bitcode != (
            len(row.targets) if row.kind == "bitcode" else 0):
        return f"{answer.bitcode} are said to be no code"
    if row.bundles not in ("-", str(answer.bundles)):
        return f"{answer.bundles} bundles, not {row.bundles}"
    if run.seconds > SECONDS or run.memory > MEMORY:
        return f"{run.seconds:.1f} seconds, {run.memory >> 20} MiB"
    return ""


# ---- the table ---------------------------------------------------------------------

def truth(row):
    """How many of what are in a file, in a few words."""
    if row.kind == "none":
        return "none"
    if row.kind in ("damage", "outside"):
        return row.kind
    count = f"{len(row.targets)} {'bitcode' if row.kind == 'bitcode' else 'code'}"
    return count if row.bundles == "-" else f"{count} in {row.bundles}"


def count(words):
    """How many of a column are right, of how many; and how many are wrong unsaid."""
    asked = [word for word in words if word]
    if not asked:
        return "-"
    unsaid = sum(word.endswith("!") for word in asked)
    right = f"{asked.count('right')} of {len(asked)}"
    return f"{right}, {unsaid} !" if unsaid else right


def by_file(rows, cells, titles):
    """Lines of the table; those of one word are headings."""
    yield ["file", "what it is", "in it", *titles]
    group = None
    for row, words in zip(rows, cells):
        if row.group != group:
            group = row.group
            yield [group]
        yield [row.file, row.what, truth(row), *words]
    yield ["all"]
    yield ["", "", "", *(count(column) for column in zip(*cells))]


def by_group(rows, cells, titles):
    groups = {row.group: [] for row in rows}
    for row, words in zip(rows, cells):
        groups[row.group].append(words)
    yield ["layouts", *titles]
    for group, lines in groups.items():
        yield [group, *(count(column) for column in zip(*lines))]
    yield ["all", *(count(column) for column in zip(*cells))]


def print_text(lines):
    lines = list(lines)
    widths = [max(map(len, column)) for column in zip(*(x for x in lines if len(x) > 1))]
    for line in lines:
        cells = [f"{word:{width}}" for word, width in zip(line, widths)]
        print("  ".join(cells).rstrip() if len(line) > 1 else f"\n{line[0]}")


def print_md(lines):
    head, *rest = list(lines)
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for line in rest:
        cells = line if len(line) > 1 else [f"**{line[0]}**", *[""] * (len(head) - 1)]
        print("| " + " | ".join(cells) + " |")


def first_line(*command):
    """What a command says of itself; empty if it is not there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip().split("\n")[0].strip()


def versions(rocaudit):
    llvm = [line.strip() for line in subprocess.run(
        ["llvm-readobj-22", "--version"], capture_output=True, text=True,
        check=True).stdout.splitlines() if "version" in line][0]
    hipcc = first_line("dpkg-query", "-W", "-f", "hipcc ${Version}", "hipcc")
    told = [datetime.date.today().isoformat(), first_line(rocaudit, "--version"), llvm,
            hipcc or "no hipcc"]
    return ", ".join(told)


def ask_all(rocaudit, rows, results):
    """The words of each row, a column for each tool."""
    ours, scratch = tools.Rocaudit(rocaudit), os.path.abspath("scratch")
    for row in rows:
        answer = ours.ask(row.file, scratch)
        why = fault(row, answer)
        print(f"not ok {row.file}: {why}" if why else f"ok {row.file}", file=results)
        word = cell(row, answer)
        words = ["wrong" if why and word == "right" else word]
        for peer in tools.PEERS:
            there = shutil.which(peer.program)
            words.append(cell(row, peer.ask(row.file, scratch)) if there else "")
        yield words


def main():
    rocaudit, folder, results = (os.path.abspath(path) for path in sys.argv[1:4])
    form = sys.argv[4] if len(sys.argv) > 4 else "text"
    os.chdir(folder)
    rows = list(read_rows())
    with open(results, "w", encoding="utf-8") as file:
        cells = list(ask_all(rocaudit, rows, file))
    titles = ["rocaudit", *(peer.title for peer in tools.PEERS)]
    print(versions(rocaudit), end="\n\n")
    if form == "summary":
        print_md(by_group(rows, cells, titles))
    else:
        (print_md if form == "md" else print_text)(by_file(rows, cells, titles))
    print("\n" + LEGEND)


if __name__ == "__main__":
    main()
