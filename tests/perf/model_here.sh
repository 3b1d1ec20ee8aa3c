#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The model against this machine: core_to_core and contended_line are measured, the model's profile
# is made from them, then page_counter and memcg_stock with 2 workers over their layouts and batches
# are measured in the same run and predicted. The last line is the median and the worst error.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build} budget=${2:-120s}
[ -d "$build" ] || meson setup "$build" >/dev/null
ninja -C "$build" cli/chargeline >/dev/null
tool=$(readlink -f "$build/cli/chargeline")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sets=(--set "layout=packed_5_19,aligned_2022_test,padded_2022,v6_12,v6_15" --set "batch=8,16,32,64,127"
	--set "slot_layout=single,seven_8bit,seven_wide" --set "overflow=drain,trim")

"$tool" run core_to_core contended_line page_counter memcg_stock "${sets[@]}" --set op=fetch_add --set log=0,1 \
	--workers 1,2 --window 10ms --budget "$budget" -o "$dir/r.json" >/dev/null || [ $? = 3 ]
"$tool" predict page_counter memcg_stock --from "$dir/r.json" "${sets[@]}" --workers 2 --json >"$dir/p.json"
python3 - "$dir/r.json" "$dir/p.json" <<'END'
import json, statistics, sys

def key(experiment, params):
    return experiment, tuple(sorted((k, str(v["text"] if isinstance(v, dict) else v))
                                    for k, v in params.items()))

record, predicted = (json.load(open(path)) for path in sys.argv[1:])
measured = {}
for case in record["cases"]:
    rates = [s["rate"] for s in case["samples"] if not s["marks"]]
    if case["workers"] == 2 and rates:
        measured[key(case["experiment"], case["params"])] = statistics.median(rates)
errors = {}
for p in predicted["predictions"]:
    rate = measured.get(key(p["experiment"], p["params"]))
    if rate:
        errors.setdefault(p["experiment"], []).append(p["rate"] / rate - 1)
everything = []
for experiment, e in errors.items():
    size = sorted(map(abs, e))
    everything += size
    print("%-14s %3d rows: median error %5.1f%%, worst %5.1f%%, mean %+5.1f%%" %
          (experiment, len(e), 100 * statistics.median(size), 100 * size[-1],
           100 * statistics.mean(e)))
if not everything:
    sys.exit("no row has an undisturbed window")
print("%.3f %.3f" % (statistics.median(everything), max(everything)))
END
