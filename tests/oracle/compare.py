#!/usr/bin/env python3
"""compare.py EXPECTED ANSWERS - the answers of before, and those of today.

Excepted are inputs that the builders of fixtures cannot make the same.
"""
import sys

NOT_THE_SAME = {
    "x/host.so": "a real library has a .strtab, without which HIP crashes",
    "s/ok.so": "the same, where it is taken for a module",
    "x/undef.v4.co": "has a relocation",
}


def read(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            *question, words = line.rstrip("\n").split("\t")
            yield tuple(question), words


def is_excepted(mode, name):
    return name in NOT_THE_SAME and (mode in ("data", "file") or name == "x/undef.v4.co")


def main():
    answers = dict(read(sys.argv[2]))
    compared = excepted = differing = 0
    for question, words in read(sys.argv[1]):
        answer = answers.pop(question, "nothing")
        if answer == words:
            compared += 1
        elif is_excepted(*question[:2]):
            excepted += 1
        else:
            differing += 1
            print("differs:", *question, f"{answer}, not {words}", sep="\t")
    for question in answers:
        differing += 1
        print("differs:", *question, "was not asked before", sep="\t")
    print(f"{compared} compared, {excepted} excepted, {differing} differing")


main()
