# The two commands of the README, and what stands behind them.
BUILD ?= build
TYPE ?= Release
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: build program configure run view test install wheel setup clean viewer viewer-test screenshots
setup:
	@tools/setup

configure: setup
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(TYPE) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_ARGS) > $(BUILD).cmake.log 2>&1 || { cat $(BUILD).cmake.log; exit 1; }
	@rm -f $(BUILD).cmake.log

# everything, with the tests
build: configure
	@ninja -C $(BUILD) -j $(JOBS)

# the command alone
program: configure
	@ninja -C $(BUILD) -j $(JOBS) divan

run: program
	@$(BUILD)/divan run scenes/liver.scn -n 200 --out result

# make view SCENE=my.scn
SCENE ?= scenes/liver.scn
view: program
	@$(BUILD)/divan view $(SCENE)

test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

# make install PREFIX=/opt/divan: command, libraries, headers, pkg-config files, CMake package, example scenes
install: configure
	@ninja -C $(BUILD) -j $(JOBS) divan divan_shared divan_lib `ninja -C $(BUILD) -t query python > /dev/null 2>&1 && echo python`
	@cmake --install $(BUILD)

# a wheel for pip in $(BUILD)/wheel, for every Python from 3.11 on (nothing is downloaded)
wheel: configure
	@ninja -C $(BUILD) -j $(JOBS) python
	@tools/make-wheel $(BUILD)

# the page of `divan view`, after a change in viewer/src (needs node; the result stands in the repository)
viewer:
	@tools/setup browser
	@cd viewer && npm install --silent --no-save && npm run --silent build

# the page in Debian's Chromium
viewer-test: program
	@tools/setup browser
	@DIVAN=$(abspath $(BUILD))/divan viewer/tests/run

# the README's pictures, from the program itself
screenshots: program
	@tools/setup browser
	@cd viewer && { [ -d node_modules ] || npm install --silent --no-save; } && DIVAN=$(abspath $(BUILD))/divan node tests/screenshots.mjs

clean:
	rm -rf $(BUILD) result
