# rocaudit - can this GPU run what was built?
#
# make            the program and the library, in build/
# make help       all targets
# V=1 shows commands; B=dir builds elsewhere; SAN=address,undefined sanitises;
# CC= picks the compiler; as many jobs as there are processors, or -jN.

B      ?= build
CC     ?= cc
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
T      ?= 60
Q      := $(if $(filter 1,$(V)),,@)
say     = @printf '  %-7s %s\n' $(1) $(2)

MAKEFLAGS += --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

VERSION := $(shell sed -n 's/^.define RA_VERSION "\(.*\)"/\1/p' include/rocaudit.h)
SONAME  := librocaudit.so.0

STD    := -std=c17 -D_GNU_SOURCE
WARN   := -Wall -Wextra -Werror -Wshadow -Wconversion -Wstrict-prototypes \
          -Wmissing-prototypes -Wvla -Wpointer-arith -Wwrite-strings -Wundef
CFLAGS ?= -O2 -g
ALL    := $(STD) $(WARN) -fvisibility=hidden -fPIC -Iinclude -Isrc -MMD -MP \
          $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all) $(CFLAGS)
LIBS   := -lelf -larchive -lmsgpackc -lyaml -lzstd -lz -lmd -lpthread
export LIBS # for the scripts that compile against the library

objects   = $(patsubst %.c,$B/%.o,$(1))
LIB_OBJ  := $(call objects,$(filter-out src/cli/%,$(wildcard src/*/*.c)))
CLI_OBJ  := $(call objects,$(wildcard src/cli/*.c))
GEN_MAIN := $(wildcard fixtures/gen/mk*.c)
GEN_OBJ  := $(call objects,$(filter-out $(GEN_MAIN),$(wildcard fixtures/gen/*.c)))
TEST_OBJ := $(call objects,$(wildcard tests/unit/*.c))
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)

MAKERS  := $(GEN_MAIN:fixtures/gen/%.c=$B/%)
THREADS := $(patsubst tests/thread/%.c,$B/thread/%,$(wildcard tests/thread/*.c))
REPLAYS := $(FUZZ_SRC:tests/fuzz/fuzz_%.c=$B/replay/%)
FUZZERS := $(FUZZ_SRC:tests/fuzz/fuzz_%.c=$B/fuzzer/%)

CHECKS := check-unit check-unit-san check-cli check-cli-san check-thread \
          check-valgrind check-replay lint
BIG    := check-big check-kit check-debian
SHORT  := check-alloc check-mutate check-paths
LIVE   := runtime-oracle real conformance

.DELETE_ON_ERROR:

# ---- what is built ------------------------------------------------------------

.PHONY: all
all: $B/librocaudit.a $B/$(SONAME) $B/rocaudit ## build the program and the library
	@:

$B/librocaudit.a: $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Sanitisers leave symbols to the program that loads the library.
$B/$(SONAME): $(LIB_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) \
		$(if $(SAN),,-Wl,-z,defs) $^ $(LIBS) -o $@

$B/rocaudit: $(CLI_OBJ) $B/librocaudit.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL) $(LDFLAGS) $^ $(LIBS) -o $@

$B/%.o: %.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL) -Ifixtures -c $< -o $@

.PHONY: install
install: all ## install below DESTDIR and PREFIX (/usr/local)
	$(Q)install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/include" \
		"$(DESTDIR)$(LIBDIR)/pkgconfig"
	$(Q)install $B/rocaudit "$(DESTDIR)$(PREFIX)/bin"
	$(Q)install -m 644 include/rocaudit.h "$(DESTDIR)$(PREFIX)/include"
	$(Q)install -m 644 $B/librocaudit.a $B/$(SONAME) "$(DESTDIR)$(LIBDIR)"
	$(Q)ln -sf $(SONAME) "$(DESTDIR)$(LIBDIR)/librocaudit.so"
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(LIBS)|' src/rocaudit.pc.in \
		>"$(DESTDIR)$(LIBDIR)/pkgconfig/rocaudit.pc"
	$(Q)for page in $(wildcard man/*.[1-8]); do \
		folder="$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}"; \
		install -d "$$folder" && install -m 644 $$page "$$folder" || exit 1; done

# ---- a look at it -------------------------------------------------------------

DEMO := $B/rocaudit --gpu gfx1151 $B/demo/site-packages

.PHONY: demo
demo: ## build a sample site-packages and audit it
	$(Q)tests/deps.sh build
	$(Q)$(MAKE) all $B/demo.made
	@echo '$$ $(DEMO)'
	@$(DEMO); status=$$?; echo "exit status $$status"; test $$status -eq 1

$B/demo.made: $B/mkdemo $(wildcard fixtures/code/*)
	$(Q)rm -rf $B/demo && mkdir -p $B/demo/site-packages
	$(Q)$B/mkdemo $B/demo/site-packages && touch $@

# ---- tests --------------------------------------------------------------------

.PHONY: check
check: ## all tests but the big ones; the last line counts them
	$(Q)tests/deps.sh check
	$(Q)MAKE="$(MAKE)" tests/run.sh $(CHECKS)

.PHONY: programs
programs: all $B/unit $(MAKERS) $(THREADS) $(REPLAYS)
	@:

.PHONY: inputs
inputs: $B/fx.made
	@:

.PHONY: san tsan
san:
	$(Q)$(MAKE) B=$B/san SAN=address,undefined programs inputs
tsan:
	$(Q)$(MAKE) B=$B/tsan SAN=thread all threads

$B/unit: $(TEST_OBJ) $(GEN_OBJ) $(filter-out %/main.o,$(CLI_OBJ)) $B/librocaudit.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL) $(LDFLAGS) $^ $(LIBS) -lcriterion -o $@

$(MAKERS): $B/%: $B/fixtures/gen/%.o $(GEN_OBJ) $B/librocaudit.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL) $(LDFLAGS) $^ $(LIBS) -o $@

.PHONY: threads
threads: $(THREADS)
	@:

$(THREADS): $B/thread/%: $B/tests/thread/%.o $B/librocaudit.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL) $(LDFLAGS) $^ $(LIBS) -o $@

$(REPLAYS): $B/replay/%: $B/tests/fuzz/fuzz_%.o $B/tests/fuzz/replay.o $B/librocaudit.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL) $(LDFLAGS) $^ $(LIBS) -o $@

$B/fx.made: $B/mkfixtures $(wildcard fixtures/code/*)
	$(Q)rm -rf $B/fx && mkdir -p $B/fx && $B/mkfixtures $B/fx && touch $@

$B/seeds.made: $B/mkseeds $(wildcard fixtures/code/*)
	$(Q)rm -rf $B/seeds && mkdir -p $B/seeds && $B/mkseeds $B/seeds && touch $@

# A program of which one allocation fails: pieces of arenas are allocations too.
DENIED := -Wl,--wrap=ra_arena_alloc,--wrap=ra_arena_text

$B/denied: $(CLI_OBJ) $B/tests/alloc/arena.o $B/librocaudit.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL) $(LDFLAGS) $(DENIED) $^ $(LIBS) -o $@

$B/mutate/mutate: $B/tests/mutate/mutate.o $B/librocaudit.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL) $(LDFLAGS) $^ $(LIBS) -o $@

$B/sweep.so: tests/alloc/deny.c tests/alloc/sweep.c tests/alloc/deny.h
$B/tamper.so: tests/paths/tamper.c
$B/sweep.so $B/tamper.so:
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(STD) $(WARN) $(CFLAGS) -fPIC -shared \
		$(filter %.c,$^) -o $@

.PHONY: $(CHECKS) $(BIG) $(SHORT) $(LIVE)
check-unit: $B/unit ## unit tests
	$(Q)SUITE=unit tests/unit.sh $B/unit

check-unit-san: san ## unit tests under ASan and UBSan
	$(Q)SUITE=unit-san tests/unit.sh $B/san/unit

check-cli: $B/rocaudit $B/fx.made ## the program against tests/cli
	$(Q)SUITE=cli tests/cli/run.sh $B

check-cli-san: san ## the same under ASan and UBSan
	$(Q)SUITE=cli-san tests/cli/run.sh $B/san

check-thread: tsan $B/fx.made $B/demo.made ## thread tests and the program under TSan
	$(Q)tests/thread/run.sh $B/tsan $B/fx $B/demo

check-valgrind: $B/rocaudit $B/fx.made ## the program under valgrind
	$(Q)tests/valgrind.sh $B

check-replay: san $B/seeds.made ## the seeds through the fuzz targets under ASan
	$(Q)tests/fuzz/replay.sh $B/san/replay $B/seeds

lint: ## layers, symbols, lengths, tables, format, scripts, man pages, clang
	$(Q)MAKE="$(MAKE)" tests/lint/run.sh $B

$(BIG): check-%: all $(MAKERS) ## bigger suites: check-big check-kit check-debian
	$(Q)B=$(abspath $B) tests/$*/run.sh

check-alloc: $B/denied $B/sweep.so $B/fx.made ## every allocation fails once
	$(Q)$(MAKE) B=$B/san SAN=address,undefined $B/san/denied
	$(Q)tests/alloc/run.sh $B

check-mutate: $B/fx.made $B/mkccob ## real files, changed: COUNT= versions a file, SEED=
	$(Q)$(MAKE) B=$B/san SAN=address,undefined $B/san/mutate/mutate
	$(Q)tests/mutate/run.sh $B

check-paths: $B/rocaudit $B/tamper.so $B/fx.made ## paths of any kind; files that change
	$(Q)tests/paths/run.sh $B

runtime-oracle: all $(MAKERS) ## the judge against the real ROCm 5.2.3, COUNT= bundles
	$(Q)B=$(abspath $B) tests/oracle/run.sh

real: all ## real wheels from PyPI against an independent decoder; EXPECT=1 decodes anew
	$(Q)B=$(abspath $B) tests/real/run.sh

conformance: all $(MAKERS) ## each layout of device code, and what other tools find; FORMAT=md
	$(Q)tests/deps.sh conformance
	$(Q)B=$(abspath $B) tests/conformance/run.sh

.PHONY: fuzzers
fuzzers: $(FUZZERS)
	@:

$(FUZZERS): $B/fuzzer/%: $B/tests/fuzz/fuzz_%.o $B/librocaudit.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(subst fuzzer-no-link,fuzzer,$(ALL)) $^ $(LIBS) -o $@

.PHONY: fuzz
fuzz: ## fuzz each target, or F=name only, for T=60 seconds
	$(Q)tests/deps.sh build clang
	$(Q)$(MAKE) $B/seeds.made
	$(Q)$(MAKE) B=$B/fuzz CC=clang-22 SAN=fuzzer-no-link,address,undefined fuzzers
	$(Q)tests/fuzz/run.sh $B $T $F

.PHONY: bench
bench: ## measure speed and memory
	$(Q)tests/deps.sh bench
	$(Q)$(MAKE) all $(MAKERS)
	$(Q)B=$(abspath $B) tests/bench/run.sh

.PHONY: fixtures
fixtures: ## remake the stored code objects with clang-22
	$(Q)tests/deps.sh build clang
	$(Q)fixtures/code/remake.sh

.PHONY: clean
clean: ## remove what was built
	$(Q)rm -rf $B

.PHONY: libs
libs: ## what a program that uses librocaudit.a has to be linked with
	@echo $(LIBS)

.PHONY: help
help: ## this list
	@sed -n 's/^$$(BIG)/check-.../; s/^\([a-z.-]*\):.*## /  \1\t/p' Makefile | expand -t 20

-include $(shell find $B/src $B/fixtures $B/tests -name '*.d' 2>/dev/null)
