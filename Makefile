# make: build and test. make run: build, and answer from your own logs.
TAGS := duckdb_arrow
GO   := go

.PHONY: all build install run test race lint fuzz bench docs

all: build test

build:
	$(GO) build -tags $(TAGS) -o bin/hindsql ./cmd/hindsql

install:
	$(GO) install -tags $(TAGS) ./cmd/hindsql

run: build
	@bin/hindsql run overview --sample=auto

test:
	$(GO) vet -tags $(TAGS) ./...
	$(GO) test -tags $(TAGS) -timeout 20m ./...

race:
	$(GO) test -tags $(TAGS) -race -timeout 40m ./...

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt these: $$unformatted"; exit 1; }
	$(GO) vet -tags $(TAGS) ./...

# One fuzz test at a time is all that go test runs.
FUZZTIME := 30s
fuzz:
	@set -e; for pkg in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	  for name in $$(grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' $$pkg | cut -c6- | sort -u); do \
	    echo "$$pkg $$name"; $(GO) test -tags $(TAGS) -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg; \
	  done; done

bench:
	$(GO) test -tags $(TAGS) -run '^$$' -bench . -benchmem -timeout 60m ./...

# Rewrites what tests compare with: golden results and generated pages.
docs:
	$(GO) test -tags $(TAGS) ./tables ./cmd/hindsql -update
