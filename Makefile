# A thin front: meson and ninja do the work. `make help` lists what there is.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=

# On a terminal one line says how far it is; elsewhere only what is wrong is printed.
COMPILE = tools/ninja $(BUILD)

.PHONY: all configure demo test check bench field install deb docs format setup needed promised clean help

all: configure
	@$(COMPILE)

configure: needed
	@tools/configure $(BUILD) $(PREFIX)

setup:
	@tools/setup

needed:
	@tools/setup needed

promised:
	@tools/setup promised

demo: needed ## installs what is missing, builds what it needs, runs the main job on an example
	@tools/demo $(BUILD)

test: promised all ## every test but the slow ones; ends with what was skipped and why, and "N passed, N failed"
	@tools/run-tests $(BUILD)

check: setup ## sanitizers, both compilers, fuzz corpora, the slow tests
	@tools/check

bench: setup all ## comparisons, as a table and as JSON in $(BUILD)/bench
	@bench/run $(BUILD)

field: setup all ## what is slow or foreign: the mutation run, long runs, other people's programs
	@tests/field/run $(BUILD)

install: all ## PREFIX= DESTDIR=
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@$(COMPILE)
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild --quiet

deb: needed ## Debian packages, in build-deb/packages, checked by lintian
	@tools/deb

docs: all ## the guides, man pages and theory as one static site, in build-docs/site
	@tools/setup
	@tools/docs $(BUILD)/foresee

format: ## clang-format over the C sources
	@tools/format

clean:
	rm -rf $(BUILD) $(BUILD)-*

help:
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1  \2/p' Makefile
