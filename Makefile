# livehost. `make` prints this help.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BIN      := bin/livehost
PKG      ?= ./...
# make demo ROOM=… SPEED=… FROM=… FOR=… CATALOG=… FOCUS=… PROFILE=… ARGS="--json"
DEMO_ARGS := $(if $(ROOM),--room $(ROOM)) $(if $(CATALOG),--catalog $(CATALOG)) $(if $(FOCUS),--focus $(FOCUS)) \
             $(if $(SPEED),--speed $(SPEED)) $(if $(FROM),--from $(FROM)) $(if $(FOR),--for $(FOR)) \
             $(if $(PROFILE),--profile $(PROFILE)) $(ARGS)

.PHONY: help build engine demo test bench lint fmt golden fuzz clean services services-down test-real faults soak-dispatch FORCE

help: ## print this help
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: $(BIN) ## build bin/livehost

$(BIN): FORCE
	go build -trimpath -o $(BIN) ./cmd/livehost

engine: build ## fetch the embedded ClickHouse engine through npm (178 MB, once)
	@./$(BIN) engine install

demo: build ## an AI host answers a live room: ROOM= SPEED= FROM= FOR= CATALOG= FOCUS= PROFILE= ARGS=
	@./$(BIN) engine install || echo "going on without ClickHouse"
	./$(BIN) demo $(DEMO_ARGS)

test: engine ## all tests, race detector on, in random order
	go vet $(PKG)
	go test -race -shuffle=on -timeout 14m $(PKG)

services: build ## start real Kafka (BROKERS=1 or 3), Redis and ClickHouse engine on loopback, without Docker
	go run ./internal/services/servicesctl up --livehost $(BIN) $(if $(BROKERS),--brokers $(BROKERS)) $(ARGS)

services-down: ## end them and remove their data
	go run ./internal/services/servicesctl down

# The packages with a suite or test for real servers.
REAL = $(sort $(dir $(shell grep -rl --include='*_test.go' --exclude-dir=eval 'testkit[.]RealServer' .))) ./analytics/...

test-real: services ## conformance suites and room scripts on the servers of `make services`, nothing is skipped; RUN= a part of the tests, without the soak, ROOMS= scripts
	env $$(go run ./internal/services/servicesctl env) REQUIRE_REAL=1 go test -count=1 -timeout 10m -run '$(or $(RUN),.)' $(REAL)
	env $$(go run ./internal/services/servicesctl env) REQUIRE_REAL=1 LIVEHOST=$(abspath $(BIN)) go test -count=1 -timeout 10m -run 'TestRoomScriptOnRealServers/$(ROOMS)' ./eval/faults
	$(if $(RUN),,LIVEHOST=$(abspath $(BIN)) REQUIRE_REAL=1 go test -count=1 -timeout 3m -run 'TestSoak$$' ./eval/soak)

faults: build ## break things under load on real servers, at most 30 minutes; QUICK=1: three minutes, ONLY= names, SEED=
	go run ./eval/faults -livehost $(BIN) $(if $(QUICK),-quick) $(if $(ONLY),-only $(ONLY)) $(if $(SEED),-seed $(SEED)) $(ARGS)

soak-dispatch: build ## 4 dispatchers speak in 50 rooms for 20 minutes and are killed 100 times: MINUTES= KILLS= PAUSES= SEED=
	go run ./eval/soak -livehost $(BIN) $(if $(MINUTES),-minutes $(MINUTES)) $(if $(KILLS),-kills $(KILLS)) $(if $(PAUSES),-pauses $(PAUSES)) $(if $(SEED),-seed $(SEED)) $(ARGS)

bench: ## Go benchmarks; ratios go to bench.json
	go test -run '^$$' -bench . -benchmem $(PKG)

lint: ## golangci-lint with the rules of .golangci.yml (built from its module)
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run

fmt: ## gofmt
	gofmt -w $$(git ls-files '*.go')

golden: ## rewrite the generated references and golden files, for review as a diff
	go test $$(grep -rl --include=*_test.go 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update

fuzz: ## thirty seconds of each fuzz target
	@for f in $$(grep -rl --include=*_test.go '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	  for t in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$f/*_test.go | sed 's/func //'); do \
	    echo "$$f $$t"; go test $$f -run '^$$' -fuzz "^$$t$$" -fuzztime 30s || exit 1; done; done

clean: ## remove what was built
	rm -rf bin
