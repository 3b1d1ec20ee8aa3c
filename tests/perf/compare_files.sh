#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compare and pick over many result files, and what they need: seconds (within 2 on 2 idle cores),
# processor seconds, which others on the machine do not change, and peak memory, for a tenth of the
# files and for all. The last line is the slowest of the three with all of them, in seconds.
#
#   tests/perf/compare_files.sh [FILES]      default 1000: half of them are A, half are B
#
# The files are one short run of this machine, its rates drawn anew, 28 cases of 10 windows.
set -euo pipefail
files=${1:-1000}
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
[ -d "$build" ] || meson setup "$build" --buildtype=release >/dev/null
ninja -C "$build" cli/chargeline >/dev/null
tool=$(readlink -f "$build/cli/chargeline")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$tool" run page_counter --set batch=8,16,32,64,127,128,256 --set work_ns=0,250,1000,4000 --workers 1 \
	--window 1ms --blocks 1 --target 0 -o "$dir/seed.json" >/dev/null 2>&1 || [ $? = 3 ]
python3 - "$dir" "$files" <<'END'
import copy, json, os, random, sys

top, files = sys.argv[1], int(sys.argv[2])
record = json.load(open(top + "/seed.json"))
random.seed(1)

def draw(cases, windows, when, path):
    record["started"] = "2026-%02d-%02dT%02d:%02d:%02dZ" % (
        1 + when // 2419200, 1 + when // 86400 % 28, when // 3600 % 24, when // 60 % 60, when % 60)
    drift = random.gauss(1, 0.02)
    for case in cases:
        window = case["samples"][0]
        window["marks"] = []
        rate = 1e9 / (case["params"]["work_ns"] + 3 + 200 / case["params"]["batch"])
        case["samples"] = [dict(window, block=b, rate=rate * drift * random.gauss(1, 0.01))
                           for b in range(windows)]
    record["cases"] = cases
    with open(path, "w") as out:
        json.dump(record, out)

cases = record["cases"]
for part, nr in (("tenth", files // 10), ("all", files)):
    for side in "ab":
        os.makedirs("%s/%s/%s" % (top, part, side))
    for i in range(nr):
        draw(cases, 10, 60 * i, "%s/%s/%s/%05d.json" % (top, part, "ab"[i % 2], i))
wide = []
for depth in range(36):
    for case in cases:
        wide.append(copy.deepcopy(case))
        wide[-1]["params"]["base_offset"] = 1000 + depth
for i, side in enumerate("ab"):
    draw(wide[:1000], 20, 100 + i, "%s/wide-%s.json" % (top, side))
END

# needs NAME COMMAND...: its seconds and peak memory
needs() {
	local name=$1
	shift
	python3 - "$name" "$@" <<'END'
import resource, subprocess, sys, time

begin = time.monotonic()
status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode
took = time.monotonic() - begin
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
if status not in (0, 3):
    sys.exit("%s: exit status %d" % (sys.argv[1], status))
print("%-36s %6.2f s %6.2f s of CPU %8.1f MiB" % (
    sys.argv[1], took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
END
}

needs "compare, a tenth of $files files" "$tool" compare "$dir/tenth/a" "$dir/tenth/b"
needs "pick, a tenth of $files files" "$tool" pick "$dir"/tenth/*/*.json
needs "compare, $files files" "$tool" compare "$dir/all/a" "$dir/all/b" | tee -a "$dir/rows"
needs "pick, $files files" "$tool" pick "$dir"/all/*/*.json | tee -a "$dir/rows"
needs "compare, 2 files of 1,000 cases" "$tool" compare "$dir/wide-a.json" "$dir/wide-b.json" |
	tee -a "$dir/rows"
awk '{ for (i = 2; i <= NF && $i != "s"; i++) ; if ($(i - 1) > most) most = $(i - 1) }
	END { print most }' "$dir/rows"
