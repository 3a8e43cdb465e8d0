#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that syncost needs, and only those that are missing.
#
#	tools/setup.sh [--build | --all] [--dry-run]
#
# Quiet and without effect where nothing is missing. Asks nothing.
set -eu

usage='usage: tools/setup.sh [--build | --all] [--dry-run]
  --build    what building syncost needs
             (default: that, and what the fast tier of tools/check.sh needs)
  --all      also what tools/check.sh --all needs
  --dry-run  say what would be installed, install nothing'

build_packages='gcc libc6-dev libcjson-dev liburing-dev libsqlite3-dev libssl-dev meson
	ninja-build pkg-config python3'
test_packages='binutils libcmocka-dev sqlite3 strace'
slow_packages='clang clang-format clang-tidy shellcheck valgrind'

fail()
{
	echo "tools/setup.sh: $1" >&2
	exit 1
}

# The packages of "$@" that dpkg does not know as installed.
missing_of()
{
	installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
		sed -n 's/ installed$//p')
	for package in "$@"; do
		echo "$installed" | grep -qx "$package" || echo "$package"
	done
}

# How to become root: nothing, sudo, or one clear line.
root_prefix()
{
	if [ "$(id -u)" -eq 0 ]; then
		return
	fi
	command -v sudo >/dev/null ||
		fail "not root and no sudo here: as root, run apt-get install $*"
	if [ -t 0 ]; then
		echo sudo
	elif sudo -n true 2>/dev/null; then
		echo sudo -n
	else
		fail "sudo needs a password and there is no terminal: as root, run apt-get install $*"
	fi
}

# apt_get ROOT-PREFIX ARGUMENT...: shows apt's output only where it fails.
apt_get()
{
	prefix=$1
	shift
	# The prefix is empty or a command with its option: split on purpose.
	# shellcheck disable=SC2086
	$prefix env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
		-o Dpkg::Use-Pty=0 -q "$@" >"$log" 2>&1 </dev/null || {
		tail -n 20 "$log" >&2
		return 1
	}
}

packages="$build_packages $test_packages"
dry_run=false
for argument in "$@"; do
	case $argument in
	--build) packages=$build_packages ;;
	--all) packages="$build_packages $test_packages $slow_packages" ;;
	--dry-run) dry_run=true ;;
	-h | --help)
		echo "$usage"
		exit 0
		;;
	*)
		echo "tools/setup.sh: unknown argument '$argument'" >&2
		echo "$usage" >&2
		exit 2
		;;
	esac
done

# Lists of words from here on: split on purpose.
# shellcheck disable=SC2086
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "tools/setup.sh: no apt here; what Debian calls" $packages "must be there" >&2
	exit 0
fi

# shellcheck disable=SC2086
missing=$(missing_of $packages)
if [ -z "$missing" ]; then
	exit 0
fi

# shellcheck disable=SC2086
set -- $missing
if $dry_run; then
	echo "would install $# packages: $*"
	exit 0
fi

prefix=$(root_prefix "$@")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "installing $# packages and what they depend on: $*" >&2
apt_get "$prefix" update ||
	echo "tools/setup.sh: apt-get update failed; trying the package lists that are here" >&2
apt_get "$prefix" install -y --no-install-recommends "$@" || fail "apt-get install failed"
echo "installed" >&2
