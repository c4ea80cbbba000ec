GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null)
IMAGE ?= k8s-aibom:latest
# What builds the image: the first of these that is installed.
CONTAINER_TOOL ?= $(firstword $(notdir $(foreach tool,docker podman buildah,$(shell command -v $(tool) 2>/dev/null))))
# How long each fuzz target runs, and each benchmark.
FUZZTIME ?= 30s
BENCHTIME ?= 1s
BENCH ?= .

BIN := bin
LDFLAGS := -s -w -buildid= -X k8saibom.dev/k8s-aibom/pkg/version.version=$(VERSION)
# Packages whose tests start a control plane.
E2E := ./test/controlplane/... ./test/e2e/...
UNIT = $(shell $(GO) list ./... | grep -vE '/test/(controlplane|e2e)(/|$$)')
LINT := $(BIN)/golangci-lint

.DEFAULT_GOAL := help

include hack/generate.mk

.PHONY: help build fmt verify-format vet lint test test-e2e test-all corpus fuzz bench \
	demo image cluster-up cluster-down cluster-status clean

help: ## List the targets.
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

build: ## Build the static binaries into bin/.
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...

fmt: $(LINT) ## Format the code and sort the imports.
	$(LINT) fmt

verify-format: ## Fail if a file is not formatted.
	@files="$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go'))"; \
	if [ -n "$$files" ]; then printf 'not formatted (make fmt):\n%s\n' "$$files"; exit 1; fi

vet: ## Run go vet.
	$(GO) vet ./...

lint: $(LINT) ## Run the linters of .golangci.yml.
	$(LINT) run

$(LINT): hack/tools/go.mod hack/tools/go.sum
	cd hack/tools && $(GO) build -o $(abspath $(LINT)) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

test: ## Run the tests that need no control plane, with the race detector.
	$(GO) test -race $(UNIT)

test-e2e: ## Run the tests against a real control plane; the first run builds it.
	$(GO) run ./test/controlplane/cmd/cluster build
	$(GO) test -race -count=1 -timeout 30m $(E2E)

test-all: test test-e2e ## Run all tests.

corpus: ## Compare a folder of real manifests ($AIBOM_CORPUS) with the right answers beside them.
	$(GO) run ./test/corpus

fuzz: ## Run each fuzz target for FUZZTIME.
	@grep -rl --include='*_test.go' '^func Fuzz' apis pkg cmd test | xargs -r -n1 dirname | sort -u | while read -r dir; do \
		for name in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$$dir"/*_test.go | cut -d' ' -f2); do \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "./$$dir" || exit 1; \
		done; \
	done

bench: ## Run the benchmarks that match BENCH.
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem $(UNIT)

demo: build ## Serve ./examples without a cluster and print the inventory.
	$(GO) run ./hack/demo

image: ## Build the image IMAGE with docker, podman or buildah.
	$(CONTAINER_TOOL) build --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) -t $(IMAGE) .

cluster-up: ## Start a control plane that stays, for trying things out.
	$(GO) run ./test/controlplane/cmd/cluster up

cluster-down: ## Stop that control plane and remove its data.
	$(GO) run ./test/controlplane/cmd/cluster down

cluster-status: ## Say whether that control plane runs.
	$(GO) run ./test/controlplane/cmd/cluster status

clean: ## Remove what was built here.
	rm -rf $(BIN)
