# The verbs people type. CMake does the work; see CMakePresets.json for the kinds of build.
PREFIX ?= /usr/local
CCACHE := $(shell command -v ccache 2>/dev/null)
LAUNCHER := $(if $(CCACHE),-DCMAKE_C_COMPILER_LAUNCHER=ccache)
SOURCES = $(shell git ls-files 'src/*.c' 'scenes/*.c' 'examples/*.c' 'studio/*.c')

.PHONY: all deps demo test test-quick test-full test-habits test-page test-blender coverage blender-addon bench soak fuzz docs studio site install uninstall deb format tidy clean help

all: ## build build/sinew (the default)
	@mkdir -p build
	@cmake --preset release $(LAUNCHER) >build/configure.log 2>&1 || { cat build/configure.log; \
	    echo "If a package is missing: tools/install_deps.sh build page"; exit 1; }
	@cmake --build build

deps: ## install what is missing to build and test (Debian, Ubuntu)
	@tools/install_deps.sh build test wasm page browser

demo: ## install what is missing, build, run the demonstration; results in out/demo
	@tools/install_deps.sh build page
	@$(MAKE) --no-print-directory all
	@build/sinew demo hand -o out/demo

test: ## install what is missing, build, run the suite as CI does
	@tools/install_deps.sh build test wasm page browser
	@tools/run_tests ci

test-quick: ## the unit tests in the release build
	@tools/run_tests quick

test-full: ## the suite, the long tests, threads, a minute of each fuzz target
	@tools/install_deps.sh build test wasm page browser
	@tools/run_tests full

test-habits: ## what CI runs beside the suite: format, clang-tidy, threads under a sanitizer, each fuzz target for up to 20 s
	@tools/install_deps.sh build test habits
	@tools/run_tests habits

test-page: ## install what is missing, build, run the tests of the studio's page in a browser
	@tools/install_deps.sh build test wasm page browser
	@tools/run_tests page

test-blender: ## install Blender if it is missing, build, run the tests of the add-on and of what Blender reads
	@tools/install_deps.sh build blender
	@tools/run_tests blender $(ONLY)

coverage: ## which branches the unit tests take, by folder of src/
	@tools/install_deps.sh build test coverage
	@tools/coverage

blender-addon: ## pack the add-on for Blender: build/sinew-blender.zip
	@mkdir -p build
	@tools/make_addon build/sinew-blender.zip
	@echo "build/sinew-blender.zip: install it in Blender under Edit > Preferences > Add-ons"

bench: all ## the benchmark ladder
	@build/sinew bench

SOAK_MOTIONS ?= 2000
soak: ## SOAK_MOTIONS (2000) random motions of the hand, hours; interrupted, it goes on with the next: build/soak.tsv
	@tools/install_deps.sh build test
	@mkdir -p build
	@cmake --preset test $(LAUNCHER) >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build build --target soak_control_hand models
	@SINEW_MODELS=build/models:models nice -n 19 build/tests/soak_control_hand build/soak.tsv $(SOAK_MOTIONS)

fuzz: ## each fuzz target for FUZZ_SECONDS (60) or until it has had FUZZ_UNTIL inputs in all, FUZZ_JOBS at a time
	@tools/install_deps.sh build test wasm page browser
	@tools/run_tests fuzz $(ONLY)

docs: all ## write the reference pages in docs/ anew from the tables in the code
	@tools/make_docs.sh build/sinew

studio: ## build the page of the studio only
	@tools/install_deps.sh build page
	@$(MAKE) --no-print-directory all

site: ## a static site with live pages that need no server: build/site/index.html
	@tools/install_deps.sh build wasm page
	@$(MAKE) --no-print-directory all
	@tools/make_site build

install: all ## install below PREFIX (/usr/local)
	@cmake --install build --prefix $(PREFIX)

uninstall: all ## remove from PREFIX what make install puts there
	@tools/uninstall build $(PREFIX)

deb: ## a Debian package: build/sinew_VERSION_ARCHITECTURE.deb
	@tools/install_deps.sh build page package
	@$(MAKE) --no-print-directory all
	@cd build && cpack -G DEB >cpack.log 2>&1 || { cat cpack.log; exit 1; }
	@ls build/sinew_*.deb

format: ## bring the C sources into shape with clang-format
	@clang-format -i $$(git ls-files '*.c' '*.h')

tidy: all ## look for bugs with clang-tidy
	@clang-tidy -p build --quiet $(SOURCES)

clean: ## remove everything that was built
	@rm -rf build build-debug build-asan build-tsan build-fuzz build-coverage out

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1 \2/p' Makefile | awk '{ printf "%-4s %-11s", $$1, $$2; \
	    $$1 = $$2 = ""; print $$0 }'
