# A thin front: meson and ninja do the work. `make help` lists what there is.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: all demo test check bench install format setup needed clean help

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

setup:
	@tools/setup

needed:
	@tools/setup needed

$(BUILD)/build.ninja:
	@tools/setup needed
	@meson setup $(BUILD) --prefix=$(PREFIX) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

demo: needed all ## installs what is missing, builds, runs the main job on an example
	@$(BUILD)/foresee demo

test: needed all ## every test but the slow ones; ends with "N passed, N failed"
	@tools/run-tests $(BUILD)

check: setup ## sanitizers, both compilers, fuzz corpora, the slow tests
	@tools/check

bench: setup all ## comparisons, as a table and as JSON in $(BUILD)/bench
	@bench/run $(BUILD)

install: all ## PREFIX= DESTDIR=
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@ninja -C $(BUILD) --quiet
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild --quiet

format: ## clang-format over the C sources
	@tools/format

clean:
	rm -rf $(BUILD) $(BUILD)-*

help:
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1  \2/p' Makefile
