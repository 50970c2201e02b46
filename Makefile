# make run       install what is missing, build, run a three-dimensional case
# make test      the tests, of long lists of cases a part (TEST_SEED=n says which); make test-all takes all cases
# make build     bin/convect
# make build-cuda  the same for GPUs, with any nvcc from 11.8 to 13: where there is no driver or no GPU, it still runs on the processor
#                Kernels are compiled again where they have changed, with machine code for ARCHITECTURES="80 90" and PTX for all others
# make release   what users install without compilers, of the commit that is checked out, in bin/release: see docs/release.md
# make releasecheck  try that in bare roots of Debian 12 and Ubuntu 22.04 (installs debootstrap and lintian, needs root); REPRODUCE=1: make it
#                anew in a clone too, and compare the bytes
# make test-gpu  kernels, restarts, published numbers and sanitizers on this machine's GPU. For the GPU of another machine: make gpu-tests
#                here, carry bin, runs and scripts/test-gpu.sh there and run sh test-gpu.sh bin. It needs no Go, and of CUDA the driver alone.
# make validate  computed against published values; VALIDATE=--quick: without the slow ones
# make lint      gofmt, go vet, staticcheck
# make sanitize  the kernels in C and, in emulation, in CUDA C++ under AddressSanitizer, several GPUs under Go's race detector
# make fuzz      every fuzz test, FUZZTIME each
# make soak      runs disturbed at random for a time SOAK: killed, with faults and full disks, stopped and resumed (installs strace); SEED=n draws as
#                an earlier one did, ROUND=n one round of it
# make readcheck open written files with ParaView
# make pythoncheck  open written files with xarray, and run the recipes of docs/python.md
# make benchmarks  every benchmark at full size, into docs/benchmarks
# make bench-peers  time hypre and convect on the same problem in turns: CELLS=64,128 REPETITIONS=3 PRECISION=float64 STENCIL=27
# make figures   the pictures of docs/figures, anew

FUZZTIME ?= 1m
SHORT ?= -short
# The longest first, so that they do not end alone.
PACKAGES ?= ./cmd/convect ./physics ./...
# Packages tested at once: one more than there are cores, since some wait for disks.
PARALLEL ?= $(shell expr $$(nproc) + 1)
SOAK ?= 2m
CELLS ?= 256
REPETITIONS ?= 5
PRECISION ?= mixed
STENCIL ?= 7
EXPERIMENTS := giles islam jaugey mueller
# Without a readable repository there is no version to stamp.
VCS := $(shell git status --porcelain >/dev/null 2>&1 || echo -buildvcs=false)

.PHONY: build build-cuda release releasecheck gpu-tests test-gpu run test test-all lint validate sanitize fuzz soak readcheck pythoncheck figures benchmarks bench-peers clean

build:
	@sh scripts/setup.sh
	go build $(VCS) -o bin/convect ./cmd/convect

build-cuda:
	@sh scripts/setup.sh cuda
	sh scripts/kernels.sh
	sh scripts/cuda.sh go build $(VCS) -tags cuda -o bin/convect ./cmd/convect

release:
	@sh scripts/release.sh

releasecheck:
	@sh scripts/setup.sh roots
	@sh scripts/releasecheck.sh $(SUITES)
	@[ -z "$(REPRODUCE)" ] || sh scripts/releasecheck.sh reproduce

gpu-tests: build-cuda
	sh scripts/cuda.sh go test -c -tags cuda -o bin/driver.test ./kernels/cuda/driver
	sh scripts/cuda.sh go test -c -tags cuda -o bin/cuda.test ./kernels/cuda
	for name in $(EXPERIMENTS); do sh scripts/cuda.sh go test -c -tags cuda -o bin/lab-$$name.test ./lab/$$name || exit; done
	sh scripts/cuda.sh go test -c -tags cuda -o bin/convect.test ./cmd/convect

test-gpu: gpu-tests
	sh scripts/test-gpu.sh bin $(STAGES)

run:
	@sh scripts/demo.sh

test:
	@sh scripts/setup.sh
	go test $(SHORT) -p $(PARALLEL) -timeout 45m $(PACKAGES)

test-all:
	@$(MAKE) --no-print-directory test SHORT=

lint:
	@sh scripts/lint.sh

validate: build
	bin/convect validate $(VALIDATE)

sanitize:
	@sh scripts/setup.sh
	@sh scripts/sanitize.sh

fuzz:
	@sh scripts/fuzz.sh $(FUZZTIME)

soak: build
	@sh scripts/setup.sh soak
	go build $(VCS) -o bin/soak ./cmd/soak
	bin/soak -time $(SOAK) $(if $(SEED),-seed $(SEED)) $(if $(ROUND),-round $(ROUND))

pythoncheck: build
	@sh scripts/setup.sh python
	sh tools/pythoncheck.sh

readcheck: build
	@sh scripts/setup.sh paraview
	sh tools/readcheck.sh

bench-peers:
	@sh scripts/setup.sh peers
	@mkdir -p bin
	mpicc -O3 -Wall -I/usr/include/hypre tools/peers/pfmg.c -o bin/pfmg -lHYPRE -lm
	go build $(VCS) -o bin/peers ./cmd/peers
	bin/peers --cells $(CELLS) --repetitions $(REPETITIONS) --precision $(PRECISION) --stencil $(STENCIL)

figures: build
	@sh scripts/figures.sh

benchmarks: build
	@sh scripts/benchmarks.sh

clean:
	rm -rf bin *.out kernels/cuda/modules/built lab/modules/built
