# The two commands of the README, and what stands behind them.
BUILD ?= build
TYPE ?= Release
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: build run test install setup clean
setup:
	@tools/setup

build: setup
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(TYPE) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_ARGS) > $(BUILD).cmake.log 2>&1 || { cat $(BUILD).cmake.log; exit 1; }
	@rm -f $(BUILD).cmake.log
	@ninja -C $(BUILD) -j $(JOBS)

run: build
	@$(BUILD)/divan run scenes/liver.scn -n 200 --out result

test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

# make install PREFIX=/opt/divan: command, libraries, headers, pkg-config files, CMake package
install: build
	@cmake --install $(BUILD)

clean:
	rm -rf $(BUILD) result
