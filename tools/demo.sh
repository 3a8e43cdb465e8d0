#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing, builds syncost and measures what commits cost in the current directory.
#
#	tools/demo.sh [SWEEP-OPTION...]
#
# Arguments go to `syncost sweep`. The report stays in ./syncost-reports/; nothing else is kept.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

say()
{
	printf '\n== %s\n' "$1" >&2
}

quietly()
{
	log=$1
	shift
	"$@" >"$log" 2>&1 </dev/null || {
		tail -n 40 "$log" >&2
		echo "tools/demo.sh: failed: $* (all of it in $log)" >&2
		exit 1
	}
}

"$here/tools/setup.sh" --build

say "building in $here/build"
mkdir -p "$here/build"
if [ ! -e "$here/build/build.ninja" ]; then
	quietly "$here/build/setup.log" meson setup "$here/build" "$here" \
		--buildtype=release -Db_ndebug=false -Dtests=disabled
fi
quietly "$here/build/compile.log" meson compile -C "$here/build"

case $(stat -f -c %T .) in
tmpfs | ramfs)
	say "note: $(pwd) is in memory: a sync there is free and buys nothing"
	echo "   for a disk: cd to a directory on one, then $here/tools/demo.sh" >&2
	;;
esac

say "syncost sweep $*"
exec "$here/build/src/cli/syncost" sweep "$@"
