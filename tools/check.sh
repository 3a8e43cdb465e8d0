#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing, builds and tests. The last line is "N passed, N failed, N skipped".
#
#	tools/check.sh [--all] [--werror]
#
# The fast tier: unit, vfs, cli, fault and tools, plain and under ASan and UBSan. --all adds the
# suites real and slow, TSan, valgrind on the units, a build with clang, clang-format, clang-tidy
# and shellcheck. Needs no terminal. Everything it makes is below build/.
set -u

usage='usage: tools/check.sh [--all] [--werror]
  --all     the slow tiers too
  --werror  warnings are errors (implied by --all, and by CI in the environment)'

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
cd "$root" || exit 1

all=false
werror=${CI:+true}
for argument in "$@"; do
	case $argument in
	--all) all=true werror=true ;;
	--werror) werror=true ;;
	-h | --help)
		echo "$usage"
		exit 0
		;;
	*)
		echo "tools/check.sh: unknown argument '$argument'" >&2
		echo "$usage" >&2
		exit 2
		;;
	esac
done

exec </dev/null
export LC_ALL=C.UTF-8
logs=build/check-logs
stages=$logs/stages
mkdir -p "$logs" || exit 1
: >"$stages"

say()
{
	printf '\n== %s\n' "$1"
}

# record KIND LABEL [REST...]: a line for tests/run-count.py
record()
{
	(IFS='	' && printf '%s\n' "$*") >>"$stages"
}

# What a failed step's log says: its errors, or its end.
show_failure()
{
	grep -E '^FAILED|error:|undefined reference' "$1" | head -n 20 | grep . || tail -n 20 "$1"
}

# step LABEL COMMAND...: counts only where it fails
step()
{
	label=$1
	log=$logs/$(echo "$label" | tr -c 'a-z0-9\n' '-').log
	shift
	"$@" >"$log" 2>&1 && return
	show_failure "$log"
	record fail "$label" "$log"
	return 1
}

# analyse LABEL COMMAND...: one case, passed or failed
analyse()
{
	step "$@" && record pass "$1"
}

# configure DIRECTORY OPTION...: anew, or what is there with these options
configure()
{
	directory=$1
	shift
	if [ -e "$directory/build.ninja" ]; then
		meson configure "$directory" "$@" && ninja -C "$directory" build.ninja && return
		echo "starting $directory anew"
	fi
	rm -rf "$directory"
	meson setup "$directory" "$@"
}

configure_and_compile()
{
	configure "$@" && ninja -C "$1"
}

# build LABEL DIRECTORY OPTION...
build()
{
	label=$1
	shift
	say "build: $label"
	step "build $label" configure_and_compile "$@" -Dtests=enabled \
		-Dwerror="${werror:-false}"
}

# run_tests LABEL DIRECTORY LOG ARGUMENT...: LOG is what meson calls the result with these arguments
run_tests()
{
	label=$1 directory=$2 log=$3
	shift 3
	say "tests: $label"
	if [ -z "$(meson test -C "$directory" --list "$@" 2>/dev/null)" ]; then
		echo 'none'
		return
	fi
	rm -f "$directory/meson-logs/$log".*
	meson test -C "$directory" --no-rebuild --print-errorlogs "$@" || true # run-count.py judges
	record tests "$label" "$directory" "$log"
}

fast_suites='--suite unit --suite vfs --suite cli --suite fault'

fast_tier()
{
	# The suites are words: split on purpose.
	# shellcheck disable=SC2086
	build plain build/check &&
		run_tests plain build/check testlog -t 4 $fast_suites --suite tools
	# shellcheck disable=SC2086
	build 'asan+ubsan' build/check-asan -Db_sanitize=address,undefined &&
		run_tests 'asan+ubsan' build/check-asan testlog-asan --setup asan $fast_suites --no-suite walk
}

sources()
{
	find include src vfs tests -name '*.c' -o -name '*.h'
}

# Of the product: tests do on purpose what it warns of. It knows each file's flags from the build
# directory of the same compiler.
tidy()
{
	find src vfs -name '*.c' -print0 |
		xargs -0 -n 1 -P 2 clang-tidy --quiet --warnings-as-errors='*' -p build/check-clang
}

slow_tiers()
{
	run_tests 'real and slow' build/check testlog -t 10 --suite real --suite slow
	run_tests valgrind build/check testlog-valgrind --setup valgrind
	build tsan build/check-tsan -Db_sanitize=thread &&
		run_tests tsan build/check-tsan testlog-tsan --setup tsan --suite vfs
	CC=clang build clang build/check-clang &&
		run_tests clang build/check-clang testlog -t 4 --suite unit
	say 'analysis'
	# shellcheck disable=SC2046
	analyse clang-format clang-format --dry-run -Werror $(sources)
	analyse clang-tidy tidy
	analyse shellcheck shellcheck tools/*.sh .ci/run
}

say 'packages'
if $all; then
	step setup tools/setup.sh --all
else
	step setup tools/setup.sh
fi
fast_tier
if $all; then
	slow_tiers
fi
say 'result'
exec python3 tests/run-count.py "$stages"
