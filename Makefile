# The front doors. Nothing is needed beforehand but Python 3.11, a C++20 compiler and make; everything goes into .venv.
.PHONY: help quick test bench bench-clock bench-cost fidelity reproduced reasons forms truth scale scale-ranks steady aa gates changes pages docs nas wheels release check fix clean

sources := CMakeLists.txt pyproject.toml docs/groma.1 $(shell find cmake engine reference src requirements -type f -not -path '*/__pycache__/*')

help:
	@echo "make quick   measure this machine, leave a report"
	@echo "make test    run the tests; what needs a test bed that is missing is skipped, and said"
	@echo "make bench   Groma against a bare MPI loop, on every MPI library here (15 minutes)"
	@echo "make bench-clock   the global clock's error, where it is known"
	@echo "make bench-cost   seconds until ±2 % by Groma, IMB and OSU (10 minutes)"
	@echo "make fidelity   profiles against the real programs that they stand for (GROMA_REAL_PROGRAMS, Intel's IMB)"
	@echo "make reproduced   the C programs of groma reproduce against Groma, on every MPI library here (6 minutes)"
	@echo "make reasons   why five programs disagree: what a paper claimed, and what groma explain finds here (25 minutes)"
	@echo "make forms   blocking, nonblocking and persistent collectives on three libraries (10 minutes)"
	@echo "make truth   Groma against simulated networks whose times are known (needs SimGrid)"
	@echo "make scale   what groma show, report and export take with up to a million records (5 minutes)"
	@echo "make scale-ranks   what the set-up of 16 to 256 simulated ranks takes, or of RANKS=64,1024,4096 (needs SimGrid; a minute)"
	@echo "make steady   slow calls planted into every MPI library here: what Groma says of its figures then (10 minutes)"
	@echo "make aa      one plan twenty times: how often what Groma says of its figures holds (4 minutes)"
	@echo "make gates   how often groma gate alarms where nothing changed, and finds what was planted (hours)"
	@echo "make changes how often groma history reports a change that is none, and finds a planted one (10 minutes)"
	@echo "make pages   the pages of all these in docs/, from the rows in docs/data/, without measuring"
	@echo "make docs    the site of docs/, with its links checked, into build/site-docs"
	@echo "make nas     the study of LBW, ATA and STS on 2 and 4 ranks, with its report"
	@echo "make wheels  wheels for x86-64 and aarch64 that need no compiler and glibc 2.28, into dist/"
	@echo "make release   source archive, wheels, SBOM, notes and checksums, into dist/"
	@echo "make check   linters, types, formats, recipes, catalogue, docs/contract.csv, man page"
	@echo "make fix     repair what make check finds, as far as a program can"

quick: .venv/quick.stamp
	.venv/bin/groma quick

test: .venv/test.stamp
	tools/test

bench: .venv/test.stamp
	tools/build-native-engines
	.venv/bin/python -m benchmarks.against_bare_loop --write docs

bench-clock: .venv/test.stamp
	.venv/bin/python benchmarks/clock_residual.py

bench-cost: .venv/test.stamp
	.venv/bin/python -m benchmarks.time_to_precision --write docs

fidelity: .venv/test.stamp
	.venv/bin/python -m benchmarks.fidelity --write docs

reproduced: .venv/test.stamp
	tools/build-native-engines
	.venv/bin/python -m benchmarks.reproduced --write docs

reasons: .venv/test.stamp
	.venv/bin/python -m benchmarks.reasons --write docs
	.venv/bin/python -m benchmarks.reasons.compared --write docs

forms: .venv/test.stamp
	.venv/bin/python -m benchmarks.forms --mpi $(or $(MPI),mpich,intel,openmpi) --write docs

truth: .venv/test.stamp
	tools/build-simulated-engine
	.venv/bin/python -m simulation --write docs

scale: .venv/test.stamp
	.venv/bin/python -m benchmarks.front_end_scale --write docs

scale-ranks: .venv/test.stamp
	tools/build-simulated-engine
	.venv/bin/python -m benchmarks.rank_scale $(if $(RANKS),--ranks $(RANKS)) --write docs

steady: .venv/test.stamp
	tools/build-native-engines
	command -v smpirun >/dev/null && tools/build-simulated-engine || true
	.venv/bin/python -m benchmarks.steady_state --write docs

aa: .venv/test.stamp
	.venv/bin/python -m benchmarks.same_runs --write docs

gates: .venv/test.stamp
	.venv/bin/python -m benchmarks.gates --write docs

changes: .venv/test.stamp
	.venv/bin/python -m benchmarks.changes --write docs

pages: .venv/test.stamp
	.venv/bin/python -m benchmarks.page

docs:
	tools/build-docs

nas: .venv/quick.stamp
	.venv/bin/groma run --profile nas --report

wheels: .venv/quick.stamp
	tools/build-wheels

release: .venv/quick.stamp
	tools/release

check: .venv/test.stamp
	tools/check

fix: .venv/test.stamp
	tools/check --fix

clean:
	rm -rf .venv build

.venv/%.stamp: $(sources)
	tools/prepare-venv $*
	@touch $@
