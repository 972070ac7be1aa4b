# make help lists what there is.
GO ?= go
FUZZTIME ?= 10s

.DEFAULT_GOAL := help
.PHONY: run build crawl kills test race bench bench-peers cover lint fuzz hostile morph help

run: bin/scrape ## build bin/scrape, and scrape the built-in council sites into try.sqlite
	bin/scrape --fixtures

build: bin/scrape bin/crawl bin/stream bin/browse ## build bin/scrape, bin/crawl, bin/stream and bin/browse

.PHONY: bin/scrape bin/crawl bin/stream bin/browse
bin/scrape bin/crawl bin/stream bin/browse:
	$(GO) build -o $@ ./cmd/$(@F)

crawl: bin/crawl ## build, and fetch the built-in web of stories into crawl/warc
	bin/crawl --fixtures --retry-after 1s --down 1s
	bin/crawl status

kills: ## kill crawls as often and in as large a queue as they promise to bear, one process and several
	MULTISCRAPER_KILLS=full $(GO) test -count 1 -timeout 30m -v -run "Killed|Faults|Polite|Cluster" ./cmd/internal/crawlcmd

.PHONY: browse browse-soak
browse: bin/browse ## build, and print the requests of a built-in page
	bin/browse --fixtures

SOAK ?= 1h
SOAK_SEED ?= 14
browse-soak: ## a worker killed with 14 pages open; then pages for SOAK in a real browser for a real broker, with a fault every two minutes by SOAK_SEED: bin/soak
	mkdir -p bin/soak
	BROWSE=full $(GO) test -count 1 -timeout 30m -run Killed ./cmd/internal/browsecmd
	BROWSE_SOAK=$(SOAK) BROWSE_SOAK_SEED=$(SOAK_SEED) BROWSE_SOAK_OUT=$(CURDIR)/bin/soak $(GO) test -count 1 -timeout 0 -v -run '^TestSoak$$' ./cmd/internal/browsecmd

.PHONY: serve-soak
serve-soak: ## a server whose runs of the built-in sites follow each other for SOAK, with a page of a real browser open: bin/soak/serve.csv
	mkdir -p bin/soak
	SERVE_SOAK=$(SOAK) SERVE_SOAK_OUT=$(CURDIR)/bin/soak $(GO) test -count 1 -timeout 0 -v -run '^TestServeSoak$$' ./cmd/family

VIEWERS ?= 200
.PHONY: serve-viewers
serve-viewers: ## how long runs of the built-in sites take with nobody and with VIEWERS looking on, in turns: two minutes
	SERVE_VIEWERS=$(VIEWERS) $(GO) test -count 1 -timeout 30m -v -run '^TestServeViewers$$' ./cmd/family

.PHONY: streams
streams: ## streams with as many records, kills and faults as they promise to bear, on two servers of npm
	STREAM=full $(GO) test -count 1 -timeout 60m -v ./cmd/internal/streamcmd ./scraperutils/stream/...

# Databases of tests are kept in memory where there is room for them, for tests wait for each commit: a process that is killed loses
# nothing there either. race has them on the disk. Garbage waits, but for processes whose memory a test measures.
MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 4000000 { print "/dev/shm" }')

# Packages whose tests take longest are begun first, all at once, so that none is left to run alone at the end.
SLOW := ./cmd/family ./cmd/internal/crawlcmd ./cmd/internal/browsecmd ./scraperutils/browser ./scraperutils/browser/umbra ./scraperutils/run/report \
	./cmd/internal/streamcmd ./db/frontier/postgres ./scraperutils/amqp ./cmd/internal/scaffold ./scraperutils/stream/kinesis

# Each way is taken once here, and all of a long series in race: docs/testing.md has the rule. Many tests wait, so more packages run
# at once than there are cores, and each of their programs has one for itself: with more, they spend a tenth of their time on sharing
# them. race has all cores for each. vet is left to lint.
test: ## all tests, each way through the code once: 50 to 85 seconds
	GOMAXPROCS=1 GOGC=400 TMPDIR=$(or $(MEMORY),$(TMPDIR)) $(GO) test -vet=off -p 6 $(SLOW) ./...

race: ## all tests, all of each series, with the race detector
	MULTISCRAPER_TESTS=full $(GO) test -race -p 1 ./...
	@# With the detector, a process takes more memory than this test allows.
	MULTISCRAPER_TESTS=full $(GO) test -run '^TestAllMisbehavingSitesAtOnce$$' ./cmd/family

bench: ## all benchmarks, for benchstat
	$(GO) test -run '^$$' -bench . -benchmem ./...

PEERS ?= ../shared/bench
bench-peers: ## cmd/bench beside other scrapers, on the same sites (PEERS: the folder with their run script)
	@test -x $(PEERS)/run || { echo "bench-peers: no $(PEERS)/run: give the folder of the peers, PEERS=…"; exit 1; }
	$(GO) build -o bin/bench ./cmd/bench
	rm -f bin/bench.sqlite*
	$(PEERS)/run 200 50ms 20 -- $(CURDIR)/bin/bench --sites 200 --no-delay
	NO_SCRAPY=1 $(PEERS)/run 200 50ms 20 -- $(CURDIR)/bin/bench --sites 200 --no-delay --db $(CURDIR)/bin/bench.sqlite
	NO_SCRAPY=1 $(PEERS)/run 200 50ms 20 -- $(CURDIR)/bin/bench --sites 200 --max-load 50
	NO_SCRAPY=1 $(PEERS)/run 500 0s 40 -- $(CURDIR)/bin/bench --sites 500 --no-delay

cover: ## test coverage by package, and coverage.out
	$(GO) test -coverprofile=coverage.out ./...
	$(GO) tool cover -func=coverage.out | tail -1

lint: ## formatting, vet, staticcheck
	test -z "$$(gofmt -l .)"
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

.PHONY: growth
growth: ## what a URL and a page cost in a frontier of 10,000 to 10,000,000 URLs, and how much disk and memory that is
	GROWTH=10000000 $(GO) test -timeout 60m -run '^$$' -bench Growth -benchtime 1x ./db/frontier

.PHONY: contract
contract: ## hold the frontiers to their contract with longer walks, more kills and faults, and larger hosts
	FRONTIER_CONTRACT=full $(GO) test -count 1 -timeout 30m ./db/frontier/... ./scraperutils/crawl/frontiertest

.PHONY: judged
judged: ## crawl synthetic webs of ../shared/web, which know what a correct crawl asks for: twenty seeds and more
	CRAWL_JUDGED=all $(GO) test -count 1 -timeout 60m -v -run '^TestJudged(Crawls|Depth)$$' ./cmd/internal/crawlcmd

SEEDS ?= 10000
.PHONY: simulate
simulate: ## whole crews of crawl workers that die, sleep and leave, in simulated time, SEEDS of them
	SIMULATION_SEEDS=$(SEEDS) $(GO) test -run '^TestSimulation$$' -timeout 0 ./scraperutils/crawl

.PHONY: week
WEEK ?= 1
week: ## a simulated week of 500,000 stories a day from 5,000 hosts, WEEK of it: some minutes
	SIMULATION_WEEK=$(WEEK) $(GO) test -count 1 -timeout 0 -v -run '^TestWeek$$' ./scraperutils/crawl

.PHONY: conformance-mutants
conformance-mutants: ## change every expected value of ../shared/conformance in turn: each must make a test fail
	CONFORMANCE_MUTANTS=1 $(GO) test -count=1 -timeout 30m -run '^TestMutants$$' -v ./scraperutils/conformance

.PHONY: browse-full browse-bench
browse-full: ## ten times each kind of page in a real browser against the server's log, with both cores busy for a while
	BROWSE=full $(GO) test -count 1 -timeout 30m -v -run '^(TestRequests|TestBusyMachine)$$' ./scraperutils/browser

browse-bench: ## pages a minute in a browser beside a process a page, and when pages are done beside fixed waits: six minutes
	BROWSE_BENCH=1 $(GO) test -count 1 -timeout 30m -v -run '^TestDoneRule$$' -bench '^BenchmarkPages$$' -benchtime 1x ./scraperutils/browser

fuzz: ## every fuzz target for FUZZTIME each
	@for package in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "$$package $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
	  done; \
	done

hostile: ## what pages that are made to cost dear take of memory and time
	MULTISCRAPER_HOSTILE=all $(GO) test -count 1 -timeout 20m -v -run TestHostilePages ./cmd/family

# A binary that needs nothing of the machine that it runs on. The same sources and the same Go and C compilers make the same bytes.
STATIC = CGO_ENABLED=1 $(GO) build -trimpath -tags netgo,osusergo,sqlite_omit_load_extension
STATIC_FLAGS = -s -w -buildid= -linkmode external -extldflags "-static -Wl,--build-id=none"

morph: ## a folder for platforms that run scrapers: bin/morph
	rm -rf bin/morph && mkdir -p bin/morph
	cp cmd/scrape/morph/* bin/morph/
	GOOS=linux GOARCH=amd64 $(STATIC) -ldflags '$(STATIC_FLAGS)' -o bin/morph/scrape ./cmd/scrape
	@echo "bin/morph is ready: push it to a repository of its own"

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
.PHONY: release
release: ## static binaries with their version, and their sums: bin/release (VERSION: that of git)
	rm -rf bin/release && mkdir -p bin/release
	$(STATIC) -buildvcs=auto -ldflags '$(STATIC_FLAGS) -X main.version=$(VERSION)' -o bin/release/ ./cmd/scrape ./cmd/crawl ./cmd/browse ./cmd/stream
	cd bin/release && sha256sum * > SHA256SUMS && cat SHA256SUMS

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
