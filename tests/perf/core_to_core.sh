#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# core_to_core against a peer on the same two CPUs, in turn. The last line is the ratio of the
# medians, chargeline / peer (to be within 5% of 1).
#
#   tests/perf/core_to_core.sh cas  PATH-OF-pingpong   multichase: compare-exchange, -l -r 0
#   tests/perf/core_to_core.sh read PATH-OF-c2clat     a line each way, polled
#
# Neither peer is packaged by Debian: build it yourself. CPUs: the first two of cores-first, or set
# CPUS=a,b. The peers print the least of their samples, chargeline the median of its windows: on a
# busy machine they part.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 2; }
protocol=$1 peer=$(readlink -f "$2") rounds=${3:-9}
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
[ -d "$build" ] || meson setup "$build" >/dev/null
ninja -C "$build" cli/chargeline >/dev/null
tool=$build/cli/chargeline
cpus=${CPUS:-$("$tool" topo --json | python3 -c 'import json, sys
seen = {}
for c in json.load(sys.stdin)["cpus"]:
    seen.setdefault(c["core"], c["os"])
print(",".join(str(c) for c in sorted(seen.values())[:2]))')}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

ours() {
	"$tool" run core_to_core --set "protocol=$protocol" --placement "$cpus" --blocks 25 --target 0 \
		-o "$dir/$1.json" >/dev/null 2>&1 || [ $? = 3 ]
	python3 -c 'import json, statistics, sys
rates = [s["rate"] for c in json.load(open(sys.argv[1]))["cases"] for s in c["samples"]
         if not s["marks"]]
print(1e9 / statistics.median(rates))' "$dir/$1.json"
}

# the one number of a 2 x 2 table: in both programs the largest number of the line of the first CPU
theirs() {
	case $protocol in
	cas) taskset -c "$cpus" "$peer" -l -r 0 ;;
	read) taskset -c "$cpus" "$peer" ;;
	esac | awk -v first="${cpus%,*}" '$1 == first || $1 == first ":" { print $NF; exit }'
}

printf 'round  chargeline ns  %s ns\n' "$(basename "$peer")"
for ((i = 1; i <= rounds; i++)); do
	a=$(ours "$i")
	b=$(theirs)
	printf '%5d  %13.1f  %s\n' "$i" "$a" "$b"
	echo "$a $b" >>"$dir/rows"
done
python3 -c 'import statistics, sys
rows = [list(map(float, line.split())) for line in open(sys.argv[1])]
ours, theirs = (statistics.median(column) for column in zip(*rows))
print("medians: chargeline %.1f ns, peer %.1f ns" % (ours, theirs))
print("%.3f" % (ours / theirs))' "$dir/rows"
