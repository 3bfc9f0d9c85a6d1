# make: build and test. make run: build, and answer from your own logs.
# CONTRIBUTING.md says what each target is for.
TAGS := duckdb_arrow
GO   := go
comma := ,
# gold links a test with DuckDB in half the time; without it, the usual linker does.
GOLD := $(if $(shell command -v ld.gold 2>/dev/null),-ldflags=-extldflags=-fuse-ld=gold)
# duckdb-go exports all of DuckDB's symbols, 7 MB, and the loader then looks up 1,400 of
# them at the start: 6 % of hindsql version. DuckDB's extensions bring their own symbols.
HIDE := $(if $(filter Linux,$(shell uname -s)),-ldflags=-extldflags=-Wl$(comma)--no-export-dynamic)
TEST := $(GO) test -tags $(TAGS) $(GOLD)
TOOL := $(GO) tool -modfile=tools/go.mod

.PHONY: all build lake lake-test install run check test test-all race types lint stability update docs fuzz torture bench bench-pair bench-mcp bench-web dist dist-all drift e2e e2e-extension e2e-engines e2e-mcp e2e-web e2e-install e2e-plugin e2e-windows e2e-arm64 e2e-install-all

all: build test

build:
	$(GO) build -tags $(TAGS) $(HIDE) -o bin/hindsql ./cmd/hindsql

# The committer of a company's lake, a module of its own: its first build takes
# two minutes of a processor.
lake:
	$(GO) -C cmd/hindsql-lake build -o $(CURDIR)/bin/hindsql-lake .

install:
	$(GO) install -tags $(TAGS) $(HIDE) ./cmd/hindsql

run: build
	@bin/hindsql run overview --sample=auto

check:
	.ci/check

# Tests that parse the same log thousands of times spent a quarter of their processor
# time on garbage.
test test-all race: export GOGC := 400

# The quick tests of the program: what each leaves out is named by package whole.
test:
	$(TEST) -short -timeout 20m ./...

# All tests, each once: the quick ones, and kills, real logs, long walks, half a minute of
# torture; the tools, the lake's committer, and the race detector. make lint has vetted.
test-all:
	$(TEST) -vet off -timeout 40m ./...
	$(GO) -C tools test -vet off ./...
	$(GO) -C cmd/hindsql-lake test -vet off ./...
	$(MAKE) race

# Readers side by side, and the engine's tests of what runs side by side: under
# the detector all of them would take an hour of processor time.
RACING := TestMany|TestALong|TestOnePath|TestHeld|TestCancel|TestFilesComeGrow
race:
	$(TEST) -vet off -race -short -timeout 20m -run '^Test(Reader|Kin|Toy)$$/^samples$$/^/^$$' ./readers/...
	$(TEST) -vet off -race -timeout 20m -run '$(RACING)' ./engine

# Checks code for the systems that no test here runs on. tools/types says how.
types:
	$(GO) -C tools run ./types -C $(CURDIR)

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt these: $$unformatted"; exit 1; }
	$(TOOL) golangci-lint run ./...
	cd tools && $(GO) tool golangci-lint run ./...
	cd cmd/hindsql-lake && $(GO) tool -modfile=../../tools/go.mod golangci-lint run ./...

# Notes what a release promises: docs/stability.md.
stability:
	$(TEST) ./cmd/hindsql -count 1 -run '^TestStability$$' -release

# Rewrites what tests compare with: look at the difference before you commit it.
# The schema's hash comes first, because all other tests are built with it. Fields come
# next, because rows count those that are unknown; versions of readers last, because they
# stand for the rows.
update:
	$(TEST) ./tables -run '^TestSchemaHash$$' -update
	$(TEST) ./readers/readertest $(AGENTS) -run '^TestFields(OfKin)?$$' -update-fields
	$(TEST) ./readers/readertest $(AGENTS) -run '^Test(Reader|Kin|Toy|ToyRows)$$/^(samples|version)$$/^/^$$' -update
	$(TEST) ./tables ./engine/redact ./cmd/hindsql/prompt -run '^TestDocs$$' -update
	$(TEST) ./engine ./engine/load -run '^Test(Session|Links)$$' -update
	$(TEST) ./cmd/hindsql ./cmd/hindsql/term ./cmd/hindsql/web -run '^Test($(GOLDEN))$$' -update
	$(TEST) ./internal/lint -run '^TestHouse$$' -update
	@git status --short
GOLDEN := BuiltInCharts|BuiltInQueries|BuiltInReports|Charts|EventPages|LongScripts|Pages|Picture|Plugin|Scripts|ShownExamples|Transcripts
AGENTS = $(dir $(wildcard ./readers/*/FORMAT.md))

# What pages show of real runs: the picture, and the examples.
docs:
	$(TEST) ./cmd/hindsql -run '^Test(Picture|ShownExamples|Pages)$$' -update

# One fuzz test at a time is all that go test runs.
FUZZTIME := 30s
fuzz:
	@set -e; for pkg in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	  for name in $$(grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' $$pkg | cut -c6- | sort -u); do \
	    echo "$$pkg $$name"; $(TEST) -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg; \
	  done; done

# Attacks, for as long as $FOR says. SEED=n repeats a run, KILLS=n has so many at least.
FOR := 10m
torture:
	HINDSQL_TORTURE=$(FOR) HINDSQL_SEED=$(SEED) HINDSQL_KILLS=$(KILLS) $(TEST) -count 1 -v -timeout 2h ./internal/torture
	HINDSQL_TORTURE=$(FOR) HINDSQL_SEED=$(SEED) $(TEST) -count 1 -v -timeout 2h -run 'TestWalk$$' ./cmd/hindsql

# RECORD=1 keeps the figures, COUNT=6 is how often each is measured.
bench: build
	.ci/bench

# The commit BASE and this tree, alternately, as docs/bench.md says: medians of ratios.
# PAIRS=9, ROWS=names, BIG=1 for ten gigabytes, TRY=1 on tiny logs.
PAIRS := 9
bench-pair: build
	@$(GO) -C tools run ./benchpair -C $(CURDIR) -base "$(BASE)" -pairs $(PAIRS) -rows "$(ROWS)" $(if $(BIG),-big) $(if $(TRY),-try)

# Packages for this machine's platform, in dist: docs/install.md. VERSION=1.2.3 is
# a release, else git describe tells. tools/pack says how they are made.
dist:
	$(GO) -C tools run ./pack -C $(CURDIR) -o $(CURDIR)/dist -version "$(VERSION)"

# Packages for all platforms, in dist, from one Linux machine: docs/install.md. fetch gets
# the compilers, once; that needs root. Each platform takes three to four minutes of
# processor time the first time. SIGN=program signs programs: tools/pack/sign does.
PLATFORMS := linux/amd64,linux/arm64,windows/amd64,darwin/arm64,darwin/amd64
dist-all:
	tools/pack/cross/fetch $(CURDIR)/bin/cross
	$(GO) -C tools run ./pack -C $(CURDIR) -o $(CURDIR)/dist -version "$(VERSION)" -platforms $(PLATFORMS) -sign "$(SIGN)"

# Runs the agents of today with a mock model, from npm, and compares what hindsql makes
# of their logs: docs/drift.md. Never part of .ci/run. AGENT and SCENARIO choose some,
# KEEP=folder keeps recordings, FROM=folder compares kept ones.
drift: build
	@$(GO) -C tools run ./drift -C $(CURDIR) -agent "$(AGENT)" -scenario "$(SCENARIO)" $(if $(KEEP),-keep "$(abspath $(KEEP))") $(if $(FROM),-from "$(abspath $(FROM))")

# What needs other registries, root, or minutes; never part of .ci/run.
e2e: e2e-extension e2e-engines e2e-mcp e2e-web e2e-install e2e-plugin e2e-windows e2e-arm64

# Claude Code and Gemini CLI, from npm, check and load the plugin. No model is asked.
e2e-plugin: build
	tools/e2e-plugin

# DuckDB's extensions come from PyPI. They need a C++ library of the system's, where
# the packed program has its own.
e2e-extension: build dist
	python3 -m pip install --quiet --no-deps --target bin/extensions duckdb-extension-httpfs==1.5.5
	HINDSQL_EXTENSIONS=$(CURDIR)/bin/extensions $(TEST) -count 1 -v -run '^TestExtensionsLoad$$' ./engine
	bin/hindsql --no-sync "LOAD '$$(echo bin/extensions/duckdb_extension_*/extensions/*/*.duckdb_extension)'"
	tar -xf dist/hindsql-*.tar.gz -C bin --strip-components=2 --wildcards '*/bin/hindsql' --transform 's/hindsql$$/packed/'
	bin/packed --no-sync "LOAD '$$(echo bin/extensions/duckdb_extension_*/extensions/*/*.duckdb_extension)'"

# Other engines count in an export what hindsql counts.
e2e-engines: bin/engines/done
	HINDSQL_ENGINES=$(CURDIR)/bin/engines $(TEST) -count 1 -v -run '^TestEnginesRead' ./engine/export ./engine/fleet

# Two DuckDBs don't go into one environment.
bin/engines/done: engine/export/testdata/engines.txt
	python3 -m venv bin/engines/many
	bin/engines/many/bin/python -m pip install --quiet -r engine/export/testdata/engines.txt
	python3 -m venv bin/engines/next
	bin/engines/next/bin/python -m pip install --quiet duckdb==2.0.0
	touch $@

# Clients that aren't ours ask hindsql mcp, over stdio and HTTP. CLIENT='Python 2.3.0'
# runs only the clients with that in their names.
e2e-mcp: build bin/mcp/done
	HINDSQL_MCP_CLIENTS=$(CURDIR)/bin/mcp HINDSQL_BINARY=$(CURDIR)/bin/hindsql HINDSQL_MCP_CLIENT='$(CLIENT)' \
	  $(TEST) -count 1 -v -timeout 30m -run '^Test$(if $(CLIENT),Clients,(Clients|Conversation))' ./cmd/hindsql/mcp

CLIENTS := cmd/hindsql/mcp/testdata/clients
bin/mcp/done: $(CLIENTS)/python.txt $(CLIENTS)/package.json
	python3 -m venv bin/mcp/python
	bin/mcp/python/bin/python -m pip install --quiet -r $(CLIENTS)/python.txt
	mkdir -p bin/mcp/node
	cp $(CLIENTS)/package.json bin/mcp/node
	cd bin/mcp/node && npm install --silent --no-audit --no-fund
	touch $@

# Eight clients for a minute, while logs grow. TREE is a folder with the folder
# projects; make bench-pair makes one.
TREE := $(CURDIR)/bin/trees/tree211
bench-mcp: build
	HINDSQL_MCP_LOAD=$(TREE) HINDSQL_BINARY=$(CURDIR)/bin/hindsql $(TEST) -count 1 -v -run '^TestLoad$$' ./cmd/hindsql/mcp

# A browser opens the pages of hindsql web: Debian's Chromium, driven from npm.
# SHOTS=folder keeps pictures. ONLY='pages open' runs the checks whose titles match the
# regular expression; one that matches none fails, and lists the titles.
e2e-web: build bin/web/done
	HINDSQL_WEB_E2E=$(CURDIR)/bin/web HINDSQL_BINARY=$(CURDIR)/bin/hindsql HINDSQL_SHOTS=$(SHOTS) HINDSQL_E2E_ONLY='$(ONLY)' \
	  $(TEST) -count 1 -v -timeout 30m -run '^Test(Hostile|Foreign)?Browser$$' ./cmd/hindsql/web

BROWSING := cmd/hindsql/web/testdata/e2e
bin/web/done: $(BROWSING)/package.json
	mkdir -p bin/web
	cp $(BROWSING)/package.json bin/web
	cd bin/web && npm install --silent --no-audit --no-fund
	touch $@

# How long pages take, alone and with eight clients for a minute while logs grow; and
# what an open page costs.
bench-web: build
	HINDSQL_WEB_LOAD=$(TREE) HINDSQL_BINARY=$(CURDIR)/bin/hindsql $(TEST) -count 1 -v -timeout 30m -run '^TestPagesUnderLoad$$' ./cmd/hindsql/web

# Each package in a Debian that has nothing else, made by debootstrap.
e2e-install: dist
	HINDSQL_E2E=$(CURDIR)/dist $(GO) -C tools test -count 1 -v -timeout 1h -run '^TestInstall$$' ./pack

# What make dist-all has made, and may have signed: packages for Linux on arm64 in a
# Debian for it, under qemu; those for Windows under wine; those for macOS looked at.
e2e-install-all:
	HINDSQL_E2E=$(CURDIR)/dist $(GO) -C tools test -count 1 -v -timeout 3h -run '^TestInstall$$' ./pack

# The program for Windows under wine 10, beside this machine's: tools/platforms. ONLY=beside
# runs the scenarios whose names match the regular expression.
e2e-windows: build
	tools/pack/cross/fetch $(CURDIR)/bin/cross
	HINDSQL_PLATFORMS=$(CURDIR)/bin/platforms HINDSQL_CROSS=$(CURDIR)/bin/cross HINDSQL_BINARY=$(CURDIR)/bin/hindsql \
	  $(GO) -C tools test -count 1 -v -timeout 2h -run '^TestWindows$$$(if $(ONLY),/$(ONLY))' ./platforms

# The program for Linux on arm64 under qemu, beside this machine's.
e2e-arm64: build
	command -v qemu-aarch64-static > /dev/null && command -v aarch64-linux-gnu-g++ > /dev/null || \
	  apt-get install -y -qq --no-install-recommends qemu-user-static gcc-aarch64-linux-gnu g++-aarch64-linux-gnu
	HINDSQL_PLATFORMS=$(CURDIR)/bin/platforms HINDSQL_BINARY=$(CURDIR)/bin/hindsql $(GO) -C tools test -count 1 -v -timeout 2h -run '^TestArm64$$' ./platforms

# Engines on a lake, through Iceberg's own REST catalog, from PyPI and Maven; needs
# Java 17 and Maven, and for Trino Java 24 or newer besides. Spark has a folder of
# jars of its own: the catalog's others would get in its way. Of Trino's 1.5 GB only
# what reads Iceberg is kept.
LAKED := cmd/hindsql-lake/testdata
TRINO := 476
TRINO_JAVA = $(firstword $(foreach java,$(wildcard $(JAVA_HOME)/bin/java /usr/lib/jvm/*/bin/java),$(shell "$(java)" -version 2>&1 | grep -qE 'version "(2[4-9]|[3-9][0-9])' && dirname "$$(dirname "$(java)")")))
lake-test: build lake bin/lake/done $(if $(TRINO_JAVA),bin/lake/trino/done)
	cp bin/hindsql bin/hindsql-lake bin/lake
	HINDSQL_LAKE_TEST=$(CURDIR)/bin/lake HINDSQL_TRINO_JAVA=$(TRINO_JAVA) HINDSQL_SPARK_JARS=$$(echo $(CURDIR)/bin/lake/spark/*.jar | tr ' ' ,) \
	  $(GO) -C cmd/hindsql-lake test -count 1 -v -timeout 30m -run '^Test(Engines|Compaction)$$' .

bin/lake/done: $(LAKED)/engines.txt $(LAKED)/pom.xml
	python3 -m venv bin/lake/python
	bin/lake/python/bin/python -m pip install --quiet -r $(LAKED)/engines.txt
	mvn --quiet -f $(LAKED)/pom.xml dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/bin/lake/jars
	mkdir -p bin/lake/spark
	mv bin/lake/jars/iceberg-spark-runtime-*.jar bin/lake/spark
	cp bin/lake/jars/iceberg-aws-bundle-*.jar bin/lake/spark
	touch $@

bin/lake/trino/done:
	mvn --quiet dependency:copy -Dartifact=io.trino:trino-server:$(TRINO):tar.gz -DoutputDirectory=$(CURDIR)/bin/lake/trino
	cd bin/lake/trino && tar xzf trino-server-$(TRINO).tar.gz && rm trino-server-$(TRINO).tar.gz
	find bin/lake/trino/trino-server-$(TRINO)/plugin -mindepth 1 -maxdepth 1 ! -name iceberg -exec rm -r {} +
	touch $@
