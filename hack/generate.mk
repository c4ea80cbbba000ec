# Code and manifests that are derived from the API types. The Makefile includes this file; alone,
# it runs from the module's directory: make -f hack/generate.mk generate

GO ?= go

.PHONY: generate verify-generated

generate: ## Regenerate everything that is derived from the API types.
	$(GO) run ./hack/codegen

verify-generated: ## Fail if anything that is generated is stale.
	$(GO) test -count=1 -run '^TestGenerated' ./hack/codegen
