#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The result store and the inputs of pick and report from the command line: files, folders, the
# store; what cannot be used is said and left out. TAP.
set -u
# shellcheck source=tests/steps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/steps.sh"
tool=$(readlink -f "$1")
dir=$(mktemp -d)
trap 'umount "$dir/full" "$dir/ro" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export XDG_DATA_HOME=$dir/data HOME=$dir/home

run() { # run ARGS: status in $status, output in out and err
	timeout 100 "$tool" "$@" >out 2>err </dev/null
	status=$?
}

# refused STATUS PART ARGS...: that exit status, one sentence with PART on stderr
refused() {
	local want=$1 part=$2
	shift 2
	run "$@"
	[ $status = "$want" ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$part" err
	ok $? "refused: chargeline $*"
}

# ------------------------------------------------------------------------------ records
# made up, not measured: three classes, 12 runs; each has four batches at two demands
python3 - <<'END'
import json, os, random
def window(block, rate):
    return {"block": block, "ops": int(rate / 50), "window_ns": 2e7, "rate": rate, "slowest": rate / 2,
            "fastest": rate / 2, "jain": 1.0, "overlap": 1.0, "marks": [], "metrics": []}
def case(rng, batch, work):
    rates = [2e9 / (work + 3 + 200 / batch) * rng.gauss(1, 0.002) for _ in range(12)]
    return {"experiment": "page_counter", "params": {"batch": batch, "work_ns": work,
            "layout": {"value": 4, "text": "v6_15"}}, "workers": 2, "placement": "cores-first",
            "cpus": "0-1", "home": "local", "home_node": 0, "relation": None, "metrics": [],
            "samples": [window(b, r) for b, r in enumerate(rates)]}
def record(i):
    rng = random.Random(i)
    return {"schema": "chargeline-result", "version": 1, "complete": True,
        "started": "2026-%02d-01T00:00:00Z" % (i + 1), "command": "chargeline run", "elapsed_ns": 1,
        "settings": {"window_ns": 20000000, "warmup_ns": 2000000, "budget_ns": 0, "min_blocks": 5,
            "max_blocks": 12, "target": 0.01, "seed": str(i), "thinned": "", "note": ""},
        "machine": {"class": "icx-%ds40c2t-2n" % (1 + i % 3), "model": "a CPU", "arch": "x86_64",
            "uarch": "icx", "hypervisor": None, "hostname": "h", "kernel": "6.%d.0" % (12 + i % 2),
            "packages": 1, "numa_nodes": 1, "cores": 80, "pus": 160, "smt_max": 2, "l3_caches": 1,
            "l3_bytes": 1 << 20, "restricted": False, "page_bytes": 4096},
        "build": {"version": "0", "compiler": "c", "flags": "f", "hwloc": "2", "libbenchmark": None},
        "context": None, "warnings": [], "findings": None, "nr_pairs": None,
        "cases": [case(rng, b, w) for w in (250, 1000) for b in (16, 32, 64, 127)]}
os.mkdir("runs")
for i in range(12):
    json.dump(record(i), open("runs/r%02d.json" % i, "w"))
END

# ----------------------------------------------------------- without a store: files, folders
run pick runs
[ $status = 0 ] && [ "$(grep -c '^Batch for icx' out)" = 3 ]
ok $? "pick FOLDER: a block for each class in it"
mkdir bad
cp runs/r00.json bad/good.json
sed 's/"version": 1/"version": 99/' runs/r03.json >bad/future.json
sed '0,/"rate": [0-9.e+]*/s//"rate": NaN/' runs/r03.json >bad/nan.json
run pick bad
[ $status = 1 ] && [ "$(wc -l <err)" = 2 ] && grep -q "future.json.*version is 99" err &&
	grep -q "nan.json" err && grep -q "^Batch for icx-1s" out && [ "$(grep -c "^- Left out: " out)" = 2 ]
ok $? "pick uses what can be used, and says in its output what was left out"
run pick bad --json
[ $status = 1 ] && python3 -c 'import json
p = json.load(open("out"))
assert len(p) == 1 and len(p[0]["left_out"]) == 2, p' 2>>err
ok $? "the same in JSON"
run report bad
[ $status = 1 ] && [ "$(grep -c "^- Left out: " out)" = 2 ]
ok $? "report too"
run pick runs --predict clx-2s18c --predict icx-8380 --format commit
[ $status = 0 ] && [ "$(grep -c '^  icx-' out)" = 6 ] && [ "$(grep -c '^  ~clx-2s18c2t-2n ' out)" = 3 ] &&
	grep -q "~ predicted by a model, not measured" out && [ "$(awk 'length > 100' out | wc -l)" = 0 ] &&
	[ "$(wc -l <err)" = 1 ] && grep -q "icx-8380 is not predicted: its class icx-2s40c2t-2n was measured" err
ok $? "pick --predict beside measured classes, as a table for a commit message"
run pick --predict clx-2s18c --json
[ $status = 0 ] && [ "$(grep -c '"kind": "predicted"' out)" = 1 ]
ok $? "pick of a machine without results, marked as predicted"
refused 2 "unknown format 'comit': nearest is 'commit'" pick runs --format comit
refused 2 "unknown machine 'icx-8830': nearest is 'icx-8380'" pick --predict icx-8830
mkdir none
refused 1 "the folder 'none' has no *.json file" pick none
refused 2 "pick needs at least one result file, or --class or --predict" pick

# --------------------------------------------------------------------------------- the store
run store list
if grep -q "built without libsqlite3" err; then
	[ $status = 1 ] && [ "$(wc -l <err)" = 1 ]
	ok $? "without libsqlite3 the store says so"
	skip "everything else" "built without libsqlite3"
	echo "1..$nr"
	exit
fi
[ $status = 1 ] && grep -q "there is no store '$XDG_DATA_HOME/chargeline/store.sqlite'" err &&
	[ ! -e data ]
ok $? "no store yet: where it would be, and nothing is made"
run store add runs
[ $status = 0 ] && grep -q "^12 runs added, 0 were there already, 0 files left out" out &&
	[ -s data/chargeline/store.sqlite ]
ok $? "store add FOLDER, into the XDG data folder"
run store add runs/r01.json absent.json
[ $status = 1 ] && grep -q "^0 runs added, 1 was there already, 1 file left out" out &&
	grep -q "'absent.json'" err
ok $? "the same run twice changes nothing; a file that is not there is left out"
run store list
[ $status = 0 ] && [ "$(grep -c '^  [0-9a-f]\{12\} ' out)" = 12 ] &&
	[ "$(awk 'length > 100' out | wc -l)" = 0 ]
ok $? "store list: a row for each run, in 100 columns"
run store list --json
python3 -c 'import hashlib, json, glob
found = {r["digest"] for r in json.load(open("out"))}
assert found == {hashlib.sha256(open(f, "rb").read()).hexdigest() for f in glob.glob("runs/*")}' 2>>err
ok $? "store list --json: the digests are SHA-256 of the files"
run store export again
[ $status = 0 ] && cmp -s <(sha256sum again/* | cut -c1-64 | sort) \
	<(sha256sum runs/* | cut -c1-64 | sort)
ok $? "store export gives the files back byte for byte"
run pick --class 'icx-2s*'
cp out from-store
run pick runs/r01.json runs/r04.json runs/r07.json runs/r10.json
[ $status = 0 ] && cmp -s out from-store
ok $? "pick --class says what pick says of the files"
run pick --since 2026-12-01 --json
[ $status = 0 ] && [ "$(grep -c '"class"' out)" = 1 ]
ok $? "pick --since DATE"
run report --class icx-1s40c2t-2n --kernel '6.12.*'
[ $status = 0 ] && grep -q "icx-1s40c2t-2n" out
ok $? "report --class --kernel, without measuring"
run compare --class icx-1s40c2t-2n --kernel 6.12.0,6.13.0
tr -s " \n" " " <out >joined
grep -q "A store run [0-9a-f]* and 1 more run: icx-1s40c2t-2n, Linux 6.12.0," joined &&
	grep -q "B store run [0-9a-f]* and 1 more run: icx-1s40c2t-2n, Linux 6.13.0," joined &&
	grep -q "Of 8 cases on both sides" out
ok $? "compare --class --kernel A,B: two kernels of one class"
cp out from-store
was=$status
mkdir a b
ln -s ../runs/r00.json ../runs/r06.json a
ln -s ../runs/r03.json ../runs/r09.json b
run compare a b
[ $status = $was ] && diff <(sed -n "/^Cases/,\$p" out) <(sed -n "/^Cases/,\$p" from-store) >err && grep -q "^Cases" out
ok $? "and that says what compare says of the files"
run compare --class 'icx-1s*,icx-2s*' --since 2026-06-15
grep -q "^A .*icx-1s40c2t-2n" out && grep -q "^B .*icx-2s40c2t-2n" out
ok $? "compare --class A,B: two classes side by side"
refused 1 "side A has results of two machine classes" compare --kernel 6.12.0,6.13.0
refused 1 "it has 12, the newest" compare --class 'icx-1s*' --kernel 6.12.0,9.9
refused 1 "it has 12, the newest of 2026-12-01, of class icx-1s40c2t-2n (4), icx-2s40c2t-2n (4)" \
	pick --class skx
refused 2 "'yesterday' is neither a date such as 2026-11-30 nor an age" pick --since yesterday
refused 2 "'2026-02-30' is neither a date" pick --since 2026-02-30
refused 2 "take the place of files: 'runs/r00.json'" pick --class 'icx*' runs/r00.json
refused 2 "unknown action of store 'ad': nearest is 'add'" store ad
refused 2 "what to do: add, list or export" store
refused 2 "store add needs at least one result file" store add
refused 2 "store export needs one folder" store export
refused 1 "is a directory" store list --store .
refused 1 "no SQLite database" store list --store runs/r00.json

# ------------------------------------------------------------------------- several at once
pids=()
for i in 1 2 3 4; do
	timeout 100 "$tool" store add --store many.sqlite runs >"out.$i" 2>"err.$i" &
	pids+=($!)
done
failed=0
for pid in "${pids[@]}"; do
	wait "$pid" || failed=1
done
cat err.* >err
cat out.* >out
run store list --store many.sqlite --json
[ $failed = 0 ] && [ "$(grep -c '"digest"' out)" = 12 ] &&
	[ "$(cat out.* | awk '{ n += $1 } END { print n }')" = 12 ]
ok $? "four processes add the same files at once: each run is there once"

# ------------------------------------------------------------------------------ full, read-only
mkdir full ro
if mount -t tmpfs -o size=300k none full 2>/dev/null; then
	run store add --store full/s.sqlite runs/r00.json
	was=$status
	head -c 1M /dev/zero >full/fill 2>/dev/null
	run store add --store full/s.sqlite runs
	[ $was = 0 ] && [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "no space left" err &&
		timeout 10 "$tool" store list --store full/s.sqlite --json | grep -q '"digest"'
	ok $? "a full disk: one sentence, and what was there is still there"
	umount full
	mount -t tmpfs none ro
	run store add --store ro/s.sqlite runs
	mount -o remount,ro ro
	run store add --store ro/s.sqlite bad/good.json
	[ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "Read-only file system" err
	ok $? "a read-only disk: nothing can be added"
	run pick --store ro/s.sqlite
	[ $status = 0 ] && [ "$(grep -c '^Batch for icx' out)" = 3 ]
	ok $? "a read-only disk: a store on it is read"
	run store add --store ro/new.sqlite bad/good.json
	[ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "ro/new.sqlite" err
	ok $? "a read-only disk: no store can be made"
	umount ro
else
	skip "a full and a read-only disk" "cannot mount a tmpfs here"
fi

echo "1..$nr"
