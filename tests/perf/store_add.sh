#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The store and pick over many result files: how long adding and picking take (2 s are the bound for
# 1,000 on 2 cores), and how much memory they need at N and at 10 N files. The last line holds the
# seconds of "store add" over N files.
#
#   tests/perf/store_add.sh [N]     default 1000; each file has 24 cases of 10 windows
#
# BUILD names the build folder; one without sanitizers.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build} nr=${1:-1000}
[ -d "$build" ] || meson setup "$build" >/dev/null
ninja -C "$build" cli/chargeline >/dev/null
tool=$(readlink -f "$build/cli/chargeline")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/few" "$dir/many"
"$tool" run page_counter --set batch=8,16,32,64,127,256 --set work_ns=0,250,1000,4000 --workers 1 \
	--window 1ms --blocks 10 -o "$dir/one.json" >/dev/null 2>&1 || [ $? = 3 ]

# the same run, started and seeded otherwise: another run of the same machine
python3 - "$dir" "$nr" <<'END'
import re, sys
folder, nr = sys.argv[1], int(sys.argv[2])
text = open(folder + "/one.json").read()
start = re.search(r'"started": *"([^"]*)"', text).group(1)
for i in range(10 * nr):
    new = text.replace(start, "2026-%02d-%02dT%02d:%02d:00Z" % (1 + i // 40320 % 12, 1 + i // 1440 % 28,
                                                               i // 60 % 24, i % 60), 1)
    open("%s/%s/%06d.json" % (folder, "few" if i < nr else "many", i), "w").write(new)
END

cost() { # cost ARGS: "SECONDS MIB", the time and the largest resident set of one call
	python3 - "$tool" "$@" <<'END'
import resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
seconds = time.monotonic() - start
if status:
    sys.exit("failed: " + " ".join(sys.argv[1:]))
print("%.2f %.1f" % (seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
END
}

row() { # row WHAT FILES SECONDS MIB
	printf '%-10s %6d files  %6.2f s  %7.1f MiB\n' "$@"
}

read -r seconds mib < <(cost store add --store "$dir/few.sqlite" "$dir/few")
row add "$nr" "$seconds" "$mib"
read -r s m < <(cost store add --store "$dir/many.sqlite" "$dir/few" "$dir/many")
row add $((10 * nr)) "$s" "$m"
read -r s m < <(cost store add --store "$dir/many.sqlite" "$dir/few")
row "add again" "$nr" "$s" "$m"
read -r s m < <(cost pick "$dir/few")
row pick "$nr" "$s" "$m"
read -r s m < <(cost pick --store "$dir/many.sqlite")
row pick $((10 * nr)) "$s" "$m"
echo "$seconds"
