#!/usr/bin/env python3
"""generate.py SEED COUNT RECIPES QUESTIONS - random bundles, and whom to ask about them.

Recipes are those of fixtures/runtime. Each code object has a kernel of its own, so that
what was chosen can be told. Names of inputs say what may not be comparable:
dash (has an ID that is not spelled ...-amdhsa--...), empty (has an entry without bytes),
hcc (has that kind), junk (has bytes that are no code), none (has nothing for a device),
old (has code object V2), openmp (has nothing for HIP).
"""
import random
import sys

# e_flags, has sramecc, has xnack; what makes such code, where that has another name
PROCESSORS = {
    "gfx900": (0x2C, 0, 1), "gfx906": (0x2F, 1, 1), "gfx908": (0x30, 1, 1),
    "gfx90a": (0x3F, 1, 1), "gfx90c": (0x32, 0, 1), "gfx1010": (0x33, 0, 1),
    "gfx1030": (0x36, 0, 0), "gfx1031": (0x37, 0, 0),
}
STRANGERS = {
    "gfx942": (0x4C, 1, 1), "gfx1100": (0x41, 0, 0), "gfx1151": (0x4A, 0, 0),
    "gfx9-generic": (0x51, 0, 1), "gfx10-3-generic": (0x53, 0, 0),
}
ALL = {**PROCESSORS, **STRANGERS}
BUILT_AS = {"gfx1031": "gfx1030"}
SETTINGS = {"": 1, "-": 2, "+": 3}
TRIPLE = "amdgcn-amd-amdhsa"


def spell(processor, sramecc, xnack):
    return (processor + (f":sramecc{sramecc}" if sramecc else "") +
            (f":xnack{xnack}" if xnack else ""))


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def often(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, weighted):
        return self.random.choices(list(weighted), weights=weighted.values())[0]

    def feature(self, there):
        return self.pick({"": 5, "-": 2, "+": 2}) if there else ""

    def target(self, near):
        """A processor and its features: mostly one of `near`."""
        if self.often(70):
            processor = self.random.choice(near)
        elif self.often(80):
            processor = self.random.choice(list(PROCESSORS))
        else:
            processor = self.random.choice(list(STRANGERS))
        _, sramecc, xnack = ALL[processor]
        return processor, self.feature(sramecc), self.feature(xnack)

    def flags(self, target, version):
        processor, sramecc, xnack = target
        mach, has_sramecc, has_xnack = ALL[processor]
        if version < 4:  # what is not said is on
            return (mach | (0x100 if has_xnack and xnack != "-" else 0) |
                    (0x200 if has_sramecc and sramecc != "-" else 0))
        flags = mach
        flags |= SETTINGS[xnack] << 8 if has_xnack else 0
        flags |= SETTINGS[sramecc] << 10 if has_sramecc else 0
        if self.often(2):
            flags |= 0x300 if not has_xnack else 0xC00 if not has_sramecc else 0
        return flags | (1 << 24 if version == 6 and "generic" in processor else 0)

    def code(self, target, version, kernel):
        processor, sramecc, xnack = target
        if version == 2 and processor not in ("gfx900", "gfx906"):
            version = 3
        recipe = (f"code target={BUILT_AS.get(processor, processor)} "
                  f"version={version} flags={self.flags(target, version):#x}")
        if version == 2:
            recipe += f" isa=9.0.{int(processor[-1]) + (xnack != '-')}"
        else:
            recipe += f" kernel={kernel}"
        if version > 3:
            recipe += f" claim={spell(*target)}"
        return recipe, version

    def label(self, target):
        """An entry ID, mostly of that target and as compilers write it."""
        kind = self.pick({"hipv4": 76, "hip": 12, "hcc": 4, "openmp": 5, "hipv5": 3})
        between = self.pick({"--": 92, "-": 4, "-unknown-": 4})
        processor, sramecc, xnack = target
        if self.often(10):
            sramecc, xnack = (self.feature(has) for has in ALL[processor][1:])
        if self.often(3):
            processor = self.random.choice(list(PROCESSORS))
        text = spell(processor, sramecc, xnack)
        if sramecc and xnack and self.often(6):
            text = f"{processor}:xnack{xnack}:sramecc{sramecc}"
        return f"{kind}-{TRIPLE}{between}{text}"

    def agents(self):
        xnack = self.random.choice("-+")
        count = 1 if self.often(50) else 2
        agents = []
        for processor in self.random.sample(list(PROCESSORS), count):
            _, has_sramecc, has_xnack = PROCESSORS[processor]
            agents.append(spell(processor, self.random.choice("-+") if has_sramecc else "",
                                xnack if has_xnack else ""))
        return agents

    def bundle(self, number):
        """Recipes of the bundle and of all in it, its kernels and agents."""
        agents = self.agents()
        near = [agent.split(":")[0] for agent in agents]
        recipes, entries, last, kernels, tags = [], [], [], [], set()
        for i in range(self.random.randint(0 if self.often(3) else 1, 7)):
            target = self.target(near)
            name = f"g/{number}.{i}.co"
            version = self.pick({2: 3, 3: 14, 4: 58, 5: 13, 6: 12})
            recipe, version = self.code(target, version, f"k{i}")
            if self.often(2):
                recipe, version = "bytes hex=68656c6c6f", 0
                tags.add("junk")
            if version == 2:
                tags.add("old")
            label = self.label(target)
            if "-amdhsa--" not in label:
                tags.add("dash")
            if label.startswith("hcc"):
                tags.add("hcc")
            if self.often(4):  # no bytes: behind all others, lest HIP reads theirs
                tags.add("empty")
                last.append(label + "=")
                continue
            recipes.append((name, recipe))
            entries.append(f"{label}={name}")
            kernels.append(f"k{i}")
        if self.often(4):
            entries.append("hip-spirv64-amd-amdhsa--amdgcnspirv=k/spirv.bin")
        self.random.shuffle(entries)
        if self.often(90) or not entries + last:  # a recipe names one entry at least
            entries.insert(0, "host-x86_64-unknown-linux-gnu-=")
        devices = [entry for entry in entries + last if not entry.startswith("host")]
        if not devices:
            tags.add("none")
        elif not any(entry.startswith(("hip-", "hipv4-", "hcc-")) for entry in devices):
            tags.add("openmp")
        name = f"g/{number}{''.join('-' + tag for tag in sorted(tags))}"
        align = self.pick({"": 80, "align=8 ": 10, "align=1 ": 10})
        recipes.append((name + ".fb", f"bundle {align}{' '.join(entries + last)}"))
        return name, recipes, kernels, agents


def main():
    generator = Generator(int(sys.argv[1]))
    with open(sys.argv[3], "w", encoding="utf-8") as recipes, \
            open(sys.argv[4], "w", encoding="utf-8") as questions:
        print("k/spirv.bin\tbytes hex=0302230700050100 zeros=64", file=recipes)
        for number in range(int(sys.argv[2])):
            name, made, kernels, agents = generator.bundle(number)
            kernel = generator.random.choice(kernels or ["k0"])
            made.append((name + ".so", f"library {name}.fb:{kernel}"))
            for line in made:
                print(*line, sep="\t", file=recipes)
            host = ",".join(agents)
            print("data", name + ".fb", host, " ".join(kernels) or "k0", sep="\t",
                  file=questions)
            print("static", name + ".so", host, f"{name}.fb:{kernel}", sep="\t",
                  file=questions)
            if made[0][1].startswith("code"):
                print("hsa", made[0][0], host, sep="\t", file=questions)


main()
