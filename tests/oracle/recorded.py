#!/usr/bin/env python3
"""recorded.py INPUTS ANSWERS QUESTIONS EXPECTED - what was asked before, to ask again.

Writes the questions for probe_hsa and probe_hip, and the answers as they print them.
"""
import sys


def lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


class Recorded:
    def __init__(self, inputs, answers):
        self.recipes = dict(lines(inputs))
        self.hosts, self.asked, self.answers = {}, {}, {}
        for line in lines(answers):
            if line[0] == "host":
                self.hosts[line[1]] = line[2]
            elif line[0] == "asked":
                self.asked[line[1]] = line[2].split()
            else:
                self.add(*line)

    def add(self, mode, name, words, who):
        self.answers.setdefault((mode, name), {}).update(
            (one, words) for one in who.split())

    def each(self):
        """Mode, input, and an answer for each that was asked."""
        for (mode, name), answers in self.answers.items():
            rest = answers.pop("*", None)
            if rest:
                answers = {**{who: rest for who in self.asked[mode]}, **answers}
            yield mode, name, answers

    def split(self, answers):
        """Hosts of the agents: xnack is the same on all of a host."""
        hosts = {}
        for agent, words in answers.items():
            hosts.setdefault(agent.endswith("xnack+"), {})[agent] = words
        for answers in hosts.values():
            yield ",".join(answers), answers

    def host(self, who):
        """Of "C1": the host, and the agent it is the second of."""
        host = self.hosts[who[0]]
        return host, host.split(";")[0].split(",")[int(who[1])]

    def detail(self, name):
        """What a library registers, and the kernel that is launched."""
        library, _, kernel = name.partition(":")
        words = self.recipes[library].split()[1:]
        return " ".join(words + ([f"launch={kernel}"] if kernel else []))


def main():
    recorded = Recorded(*sys.argv[1:3])
    with open(sys.argv[3], "w", encoding="utf-8") as questions, \
            open(sys.argv[4], "w", encoding="utf-8") as expected:
        for mode, name, answers in recorded.each():
            if mode in ("hsa", "data", "file"):
                for host, some in recorded.split(answers):
                    print(mode, name, host, "k_add", sep="\t", file=questions)
                    for agent, words in some.items():
                        print(mode, name, host, agent, words, sep="\t", file=expected)
                continue
            hosts = {}
            for who, words in answers.items():
                host, agent = recorded.host(who)
                hosts[host] = None
                print(mode, name, host, agent, words, sep="\t", file=expected)
            for host in hosts:
                print(mode, name, host, recorded.detail(name), sep="\t", file=questions)


main()
