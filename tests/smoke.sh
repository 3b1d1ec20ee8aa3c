#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every command of the CLI, briefly and for real: what it prints, how it ends, what it leaves behind.
# A run on a busy machine may end with 3 (no undisturbed window); that is not a fault of the CLI.
set -u
# shellcheck source=tests/steps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/steps.sh"
tool=$(readlink -f "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

run() { # run ARGS: status in $status, output in out and err
	timeout 100 "$tool" "$@" >out 2>err </dev/null
	status=$?
}

# refused STATUS PART ARGS...: that exit status, one sentence with PART on stderr, nothing written
refused() {
	local want=$1 part=$2
	shift 2
	rm -rf work && mkdir work && cd work || exit 1
	timeout 100 "$tool" "$@" >../out 2>../err </dev/null
	status=$?
	cd ..
	[ $status = "$want" ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$part" err &&
		[ -z "$(ls -A work)" ]
	ok $? "refused: chargeline $*"
}

finished() { [ $status = 0 ] || [ $status = 3 ]; }
valid_json() { python3 -c 'import json,sys
def bad(c): raise ValueError(c)
json.load(open(sys.argv[1]), parse_constant=bad)' "$1" 2>>err; }
nr_samples() { python3 -c 'import json,sys
print(sum(len(c["samples"]) for c in json.load(open(sys.argv[1]))["cases"]))' "$1"; }
complete() { python3 -c 'import json,sys
sys.exit(not json.load(open(sys.argv[1]))["complete"])' "$1"; }
small="--set batch=32,64 --workers 1 --window 2ms"

# ------------------------------------------------------------------------ help and lists
run --help
[ $status = 0 ] && grep -q "report" out
ok $? "chargeline --help"
for c in report run pick store compare predict reproduce topo doctor list bench; do
	run $c --help
	[ $status = 0 ] && grep -q "^usage: chargeline $c" out && [ ! -s err ]
	ok $? "chargeline $c --help"
done
run
[ $status = 2 ] && grep -q usage err
ok $? "no command: usage, 2"
for l in experiments params cases placements counters; do
	run list $l
	[ $status = 0 ] && [ -s out ]
	ok $? "chargeline list $l"
done
run list params
grep -q "packed_5_19, aligned_2022_test, padded_2022, v6_12, v6_15; default v6_15" out
ok $? "list params shows choices and default"
run list counters
LC_ALL=C awk 'length > 100 { bad = 1 } END { exit bad }' out && [ ! -s err ] &&
	[ "$(grep -cE '^  [a-z0-9_]+ +(counted|<not supported> \([0-9]+\)|<not counted> \([0-9]+\))$' out)" -ge 15 ] &&
	! grep -E '^  [a-z0-9_]+ +<' out | grep -vqE '\([0-9]+\)$'
ok $? "list counters: a state for each metric, a reason for each that is not counted"
run --version
[ $status = 0 ] && grep -q '^chargeline [0-9]' out
ok $? "chargeline --version"
run topo --json
[ $status = 0 ] && valid_json out
ok $? "chargeline topo --json is JSON"
run topo
[ $status = 0 ] && [ "$(awk 'length > 100' out | wc -l)" = 0 ]
ok $? "chargeline topo fits 100 columns"

run doctor --json
[ $status = 0 ] && valid_json out
ok $? "chargeline doctor --json is JSON"
run doctor
[ $status = 0 ] && [ "$(awk 'length > 100' out | wc -l)" = 0 ] && grep -q "unknown" out
ok $? "chargeline doctor fits 100 columns, and says unknown of what it cannot read"

# ------------------------------------------------------------------------------ refusals
refused 2 "unknown command 'reprot': nearest is 'report'" reprot
refused 2 "unknown option '--bugdet': nearest is '--budget'" report --bugdet 3s
refused 2 "option --budget: '3' is not a duration" report --budget 3
refused 2 "option --budget needs a value" report --budget
refused 2 "unknown experiment 'page_conter': nearest is 'page_counter'" run page_conter
refused 2 "unknown parameter 'bacth': nearest is 'batch'" run --set bacth=3
refused 2 "batch=4096 is outside 1..1024 pages" run --set batch=4096
refused 2 "unknown layout 'padded': nearest is 'padded_2022'" run --set layout=padded
refused 2 "unknown placement 'compat': nearest is 'compact'" run --placement compat
refused 2 "CPU 65000" run --placement 0,65000
refused 2 "names CPU 0 twice" run --placement 0,0
refused 1 "every worker needs its own" run --workers 60000 --placement compact
refused 2 "unknown list 'parms': nearest is 'params'" list parms
refused 2 "option --counters: unknown counter 'cyclse': nearest is 'cycles'" run --counters cyclse
refused 2 "'none' cannot be chosen with other counters" report --counters none,core
refused 2 "--counters and --multiplex choose what is measured" report --counters core absent.json
refused 2 "pick needs at least one result file" pick
refused 2 "compare needs two result files or folders of them, not 1" compare a.json
refused 2 "option --fail-over: '3x'" compare --fail-over 3x a.json b.json
refused 1 "'absent.json'" compare absent.json absent.json
refused 1 "the folder '.' has no *.json file" compare . .
refused 2 "--resume needs -o FILE" run --resume
refused 1 "'absent.json'" report absent.json
refused 1 "'.'" pick .

# ------------------------------------------------------------------------------ measuring
# shellcheck disable=SC2086
run run $small --blocks 3 -o a.json
finished && valid_json a.json && complete a.json && grep -q "page_counter" out
ok $? "run writes a complete record and a report"
# shellcheck disable=SC2086
run run $small --blocks 3 --counters none -o none.json
finished && ! grep -q '^Counters$' out && grep -q '"counters":null' none.json &&
	! grep -q '"block".*"counters"' none.json
ok $? "--counters none: no section, null in the record"
# shellcheck disable=SC2086
run run $small --blocks 3 --counters core,lines,nonsense::FOO,r1234 -o c.json
finished && valid_json c.json && grep -q '^Counters$' out && grep -q "nonsense::FOO" out &&
	python3 -c 'import json
r = json.load(open("c.json"))
columns = r["counters"]["columns"]
by_name = {c["name"]: c for c in columns}
assert by_name["nonsense::FOO"]["state"] != "counted" and by_name["nonsense::FOO"]["reason"]
for c in columns:
    assert c["state"] in ("counted", "<not supported>", "<not counted>"), c
    assert c["state"] == "counted" or len(c["reason"]) > 20, c
for case in r["cases"]:
    for s in case["samples"]:
        assert len(s["counters"]) == len(columns)
        for c, v in zip(columns, s["counters"]):
            assert c["state"] == "counted" or v is None, (c, v)
            assert v is None or v >= 0, (c, v)
        clock = s["counters"][0]
        if columns[0]["state"] == "counted":
            # no worker had its CPU for longer than the window, however busy the machine is
            assert 0 < clock * s["ops"] < 1.5 * case["workers"] * s["window_ns"], s' 2>>err
ok $? "--counters: each column counts or says why not, in the record and in the report"
# shellcheck disable=SC2086
run run $small --blocks 3 --counters software --multiplex -o m.json
finished && valid_json m.json && grep -q '"multiplexed":true' m.json
ok $? "--multiplex is in the record"
run run --set batch=32,64 --workers 1 --window 2ms --blocks 4 --counters software -o none.json --resume
[ $status = 1 ] || grep -q "complete" err
ok $? "a record with other counters is not gone on with"
cp a.json before.json
# shellcheck disable=SC2086
run run $small --blocks 3 -o a.json
[ $status = 1 ] && grep -q "exists: go on with it by --resume" err && cmp -s a.json before.json
ok $? "an existing record is not overwritten"
# shellcheck disable=SC2086
run run $small --blocks 3 -o a.json --resume
[ $status = 0 ] && grep -q "complete: nothing to go on with" err && cmp -s a.json before.json
ok $? "a complete record has nothing to resume"
# shellcheck disable=SC2086
run run --set batch=32,128 --workers 1 --window 2ms --blocks 3 -o a.json --resume
[ $status = 1 ] && grep -q "'a.json'\|case" err && cmp -s a.json before.json
ok $? "resume refuses another plan"

if [ $(($(nproc) % 2)) = 0 ]; then
	run run s2 --window 2ms --blocks 3 -o s2.json
	finished && complete s2.json && grep -q "Published case s2: ratio between rows" out &&
		grep -q "^  aligned, batch 64 .*-14.0%" out
	ok $? "a published case: its rows, published beside measured"
else
	skip "a published case: its rows, published beside measured" "an odd number of CPUs"
fi

run report --budget 2s -o r.json
finished && valid_json r.json && [ -s r.html ] && grep -qi "batch" out
ok $? "report --budget 2s: record, text and page"
LC_ALL=C awk 'length > 100 { bad = 1 } /[^ -~\t]/ { bad = 1 } END { exit bad }' out
ok $? "the text is ASCII and at most 100 columns wide"
! grep -qiE '(^|[^a-z])-?(nan|inf)([^a-z]|$)' out r.html
ok $? "no nan or inf in text and page"
run report r.json
finished && [ -s out ]
ok $? "report FILE"
run pick r.json --json
finished && valid_json out
ok $? "pick --json is JSON"
run pick r.json r.json --margin 5% --max-batch 64 --max-stranded 64MiB
finished && [ -s out ]
ok $? "pick with limits over two files"

# -------------------------------------------------------------------------- comparisons
# slower FROM TO FACTOR MINUTE: a copy of a record, its rates times FACTOR, started at that minute
slower() { python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
r["started"] = "2026-01-01T00:%02d:00Z" % int(sys.argv[4])
for c in r["cases"]:
    for i, s in enumerate(c["samples"]):
        s["rate"] = 1e6 * (1 + (7 * i + int(sys.argv[4])) % 11 / 1000) * float(sys.argv[3])
        s["marks"] = []
json.dump(r, open(sys.argv[2], "w"))' "$@"; }
# shellcheck disable=SC2086
run run $small --blocks 20 --target 0 -o real.json
slower real.json old.json 1 1
slower real.json new.json 0.9 2
run compare old.json new.json
[ $status = 3 ] && grep -q "^Regression: B is slower than A by more than 3% in 2 of 2 cases" out &&
	grep -q "^- page_counter batch=32, 1 worker: -10.0%" out
ok $? "compare: a loss of 10% is a regression, 3"
LC_ALL=C awk 'length > 100 { bad = 1 } /[^ -~]/ { bad = 1 } END { exit bad }' out
ok $? "compare: ASCII and at most 100 columns"
run compare --fail-over 20% old.json new.json
[ $status = 0 ] && grep -q "^No regression over 20%" out
ok $? "compare --fail-over 20%: a loss of 10% is none"
run compare new.json old.json
[ $status = 0 ] && grep -q "+11.1%" out
ok $? "compare: a gain is no regression"
run compare --json old.json new.json
[ $status = 3 ] && valid_json out && grep -q '"regression": true' out
ok $? "compare --json is JSON"
run compare --format markdown old.json new.json
[ $status = 3 ] && grep -q "^| batch | .* |$" out
ok $? "compare --format markdown has tables"
refused 2 "unknown format 'xml'" compare --format xml old.json new.json
refused 2 "take the place of files: 'old.json'" compare --kernel 5,6 old.json new.json
refused 2 "two sides of the store are chosen by" compare --class x
refused 2 "option --kernel: 'a,b,c' is not one side, or two as A,B" compare --kernel a,b,c
LC_ALL=de_DE.UTF-8 timeout 100 "$tool" compare --fail-over 2.5 old.json new.json >out 2>err </dev/null
status=$?
[ $status = 3 ] && grep -q "by more than 2.5%" out
ok $? "compare in a locale with decimal commas"
run compare real.json real.json
finished && grep -q "1 run is on both sides" out
ok $? "compare a run with itself"
mkdir runs-a runs-b
for i in 0 1 2 3 4 5 6 7; do
	slower real.json runs-a/$i.json 1 $((2 * i))
	slower real.json runs-b/$i.json 0.9 $((2 * i + 1))
done
echo '{"schema": "chargeline-result", "version": 99}' >runs-b/future.json
run compare runs-a runs-b
[ $status = 3 ] && grep -q "The 8 runs of A and of B pair" out && grep -q "version is 99" out
ok $? "compare two folders of runs taken in turn, one file left out"
run compare runs-a runs-a
finished && run compare runs-b runs-b
[ $status = 1 ] && grep -q "^No regression" out && grep -q "version is 99" err
ok $? "compare: no regression, but a file was left out: 1"
sed 's/"class": *"[^"]*"/"class": "another-1s1c1t"/' real.json >runs-b/class.json
run compare runs-a runs-b
[ $status = 1 ] && grep -q "side B has results of two machine classes" err
ok $? "compare refuses two machine classes on one side"
python3 -c 'import json
r = json.load(open("old.json"))
for c in r["cases"]: c["params"]["depth"] = 5
json.dump(r, open("deep.json", "w"))'
run compare old.json deep.json
[ $status = 1 ] && grep -q "Nothing can be compared" out && grep -q "there is no answer" err
ok $? "compare without a common case is no answer, 1"
mkdir bad && echo x >bad/x.json
run compare old.json bad
[ $status = 1 ] && grep -q "file 'bad/x.json': not JSON" err && [ ! -s out ]
ok $? "compare with a folder of nothing usable"

# ---------------------------------------------------------------------------- predictions
run predict -m icx-8380 --set batch=32,64 --workers 1,80
[ $status = 0 ] && grep -q "0:usage" out && grep -qi "prediction" out &&
	[ "$(awk 'length > 100' out | wc -l)" = 0 ]
ok $? "predict names the lines that are waited for, and says that it predicts"
run predict -m icx-8380 --set batch=32 --workers 4 --json
[ $status = 0 ] && valid_json out && grep -q '"kind": "predicted"' out
ok $? "predict --json is JSON, each figure marked"
cp out first.json
run predict -m icx-8380 --set batch=32 --workers 4 --json
cmp -s out first.json
ok $? "the same prediction is the same bytes"
run predict -m list
[ $status = 0 ] && grep -q "cpx-5318h" out
ok $? "predict -m list"
refused 2 "unknown machine 'icx-8830': nearest is 'icx-8380'" predict -m icx-8830
refused 1 "every worker needs its own" predict -m icx-8380 --workers 161
refused 2 "name a machine with --machine" predict
printf ',\n40\n' >two.csv
run predict --input "Package:1 [NUMANode(memory=1GiB)] Core:2 PU:1" --latency two.csv --set batch=8
[ $status = 0 ]
ok $? "predict from a topology and a matrix"
run predict --input "Package:1 [NUMANode(memory=1GiB)] Core:3 PU:1" --latency two.csv
[ $status = 2 ] && grep -q "'two.csv' has 2 rows, the machine has 3 CPUs" err
ok $? "a matrix of another size than the topology"
# what is wrong with a cell, and where it is
bad_matrix() {
	printf '%b' "$1" >bad.csv
	refused 2 "$2" predict --input "Package:1 [NUMANode(memory=1GiB)] Core:3 PU:1" \
		--latency ../bad.csv
}
bad_matrix ',,\n40,,\n50,,\n' "'../bad.csv': row 2, column 1: '' is missing"
bad_matrix ',,\n40,,\n,60,\n' "row 2, column 0: '' is missing"
bad_matrix ',,\n-40,,\n50,60,\n' "row 1, column 0: '-40' is not a latency in ns"
bad_matrix ',,\n0,,\n50,60,\n' "row 1, column 0: '0' is not above 0"
bad_matrix ',,\nNaN,,\n50,60,\n' "row 1, column 0: 'NaN' is not a latency in ns"
bad_matrix ',,\n40,,\n50\n' "row 2 has 1 cells, and needs one for each of the 2 CPUs"
bad_matrix ',,\n40,,\n50,0.0001,\n' "row 2, column 1: '0.0001' is not above 0"
bad_matrix ',,\n40,,\n50,60\r70,\n' "row 2, column 1: '60?70' is not a latency in ns"
bad_matrix ',,\n40,,\n50,far,\n' "row 2, column 1: 'far' is not a latency in ns"
bad_matrix 'CPU;0;1;2\n' "row 0, column 0: 'CPU;0;1;2' is not a latency in ns"
bad_matrix '0,40,50\n90,0,60\n50,60,0\n' "CPUs 1 and 0 are 90 ns apart one way and 40 the other"
bad_matrix '0,40,50,60\n' "row 0 has more than 3 cells, the machine has 3 CPUs"
bad_matrix ',,\n40,,\n50,60,\n1,2,3\n' "has more than 3 rows, the machine has 3 CPUs"
bad_matrix '' "has 0 rows, the machine has 3 CPUs"
refused 1 "'nowhere.csv': No such file" predict -m icx-8380 --latency nowhere.csv
refused 2 "'../two.csv' has 2 rows, the machine has 160 CPUs" predict -m icx-8380 --latency ../two.csv

run predict --from a.json
[ $status = 2 ] && grep -q "'a.json': the record has no contended_line" err
ok $? "predict --from names what the record lacks"

# ------------------------------------------------------------------------- published cases
rows_are() { # rows_are CODE: python that looks at rows, a list, and cases, by name
	python3 -c 'import json,sys
o = json.load(open("out"))
assert o["schema"] == "chargeline-reproduce" and o["version"] == 1
rows, cases = o["rows"], {c["case"]: c for c in o["cases"]}
names = ["case", "row", "published", "predicted", "kind", "error_points", "measured"]
for r in rows:
    for n in names:
        assert (r[n] is None) == (n + "_reason" in r), (r, n)
    assert set(r) == set(names) | {n + "_reason" for n in names if r[n] is None}, r
    assert r["kind"] in ("fit", "predicted")
exec(sys.argv[1])' "$1" 2>>err
}
run reproduce s1 --no-measure
[ $status = 0 ] && grep -q "no measurement" out && grep -q "^  trim: share .*predicted" out &&
	[ "$(awk 'length > 100' out | wc -l)" = 0 ]
ok $? "reproduce: the table of a case, marked as predictions"
run reproduce s1 s3 s1 --no-measure --json
[ $status = 0 ] && valid_json out && rows_are '
assert list(cases) == ["s1", "s3"]
assert {r["case"] for r in rows} == {"s1", "s3"}
assert all(r["measured_reason"] == "not asked for" for r in rows)
assert all(r["predicted"] is not None for r in rows)
f = cases["s3"]["fitted"][0]
assert f["unit"] == "ns" and f["rows"] == ["unguarded"] and f["refit"] is None'
ok $? "reproduce --json: exactly the fields, each null with its reason"
cp out first.json
run reproduce s1 s3 --no-measure --json
cmp -s out first.json
ok $? "reproduce: the same bytes again"
run reproduce s3 --no-measure --refit --json
[ $status = 0 ] && rows_are '
f = cases["s3"]["fitted"][0]
assert not f["differs"] and abs(f["refit"] - f["value"]) <= 0.05 * f["value"]'
ok $? "reproduce --refit finds the stored number again"
run reproduce s1 --budget 500ms -o p.json --json
finished && complete p.json && rows_are '
assert cases["s1"]["measured_cpus"] > 0
assert any(r["measured"] is not None for r in rows) or "disturbed" in rows[0]["measured_reason"]'
ok $? "reproduce measures here and keeps the record"
run report p.json
grep -q "Published case s1: ratio between rows" out
ok $? "that record is one of 'run s1'"
run report p.json --html p.html
finished && grep -q "The column &#39;model&#39; is predicted on\|takes longer than a report may" p.html &&
	grep -q "Case s1: published, predicted on .*, measured here\|chargeline reproduce s1 --no-measure" p.html &&
	grep -q "^<pre><code>chargeline reproduce s1</code></pre>" p.html
ok $? "its page has the three columns, or says why not, and how to repeat them"
grep -q '^<pre class="drawing" tabindex="0">size  ' p.html
ok $? "and the map of the machine"
rm -rf work && mkdir work
(cd work && timeout 100 "$tool" reproduce s1 --budget 200ms >../out 2>../err </dev/null)
[ -s out ] && [ -z "$(ls -A work)" ]
ok $? "without -o reproduce leaves nothing behind"
"$tool" reproduce s1 s0 --json >out 2>err </dev/null &
pid=$!
sleep 4
kill -INT $pid
wait $pid
status=$?
[ $status = 130 ] && valid_json out && rows_are 'assert rows'
ok $? "SIGINT: reproduce prints what is done"
refused 2 "unknown case 's9'" reproduce s9
refused 2 "unknown case 'charge_path'" reproduce charge_path --no-measure
refused 2 "not with --no-measure" reproduce s1 --no-measure -o x.json

# ------------------------------------------------------------------------------ bad files
head -c 300 a.json >cut.json
run report cut.json
[ $status = 1 ] && grep -q "cut.json" err && [ "$(wc -l <err)" = 1 ]
ok $? "a truncated record: one sentence, 1"
sed 's/"version": *1/"version": 99/' a.json >future.json
run pick future.json
[ $status = 1 ] && grep -q "future.json" err && grep -q "version" err
ok $? "a record of another schema version"
sed 's/"complete": *true/"complete": "yes"/' a.json >typed.json
run report typed.json
[ $status = 1 ] && grep -q "typed.json" err && grep -q "complete" err
ok $? "a record with a wrong type names the field"
: >empty.json
run report empty.json
[ $status = 1 ] && grep -q "empty.json" err
ok $? "an empty record"

# ------------------------------------------------------------------- interrupts and resuming
"$tool" run --set batch=8,16,32,64 --workers 1 --window 5ms --blocks 150 --target 0 -o i.json \
	>out 2>err </dev/null &
pid=$!
sleep 1.5
kill -INT $pid
wait $pid
status=$?
[ $status = 130 ] && valid_json i.json && ! complete i.json && grep -q -- "-o i.json --resume" err
ok $? "SIGINT: the record is kept and the message says how to resume"
had=$(nr_samples i.json)
run run --set batch=8,16,32,64 --workers 1 --window 5ms --blocks 150 --target 0 -o i.json --resume
finished && complete i.json && [ "$(nr_samples i.json)" -gt "$had" ]
ok $? "resume completes it"
python3 -c 'import json
for c in json.load(open("i.json"))["cases"]:
    last = {}
    for s in c["samples"]:
        # a block has more than one window only while they are marked
        assert s["block"] not in last or last[s["block"]], (c["params"], s["block"])
        last[s["block"]] = s["marks"]
    assert sorted(last) == list(range(150)), sorted(last)' 2>err
ok $? "nothing was measured twice, nothing left out"

"$tool" run --set batch=8,16,32,64 --workers 1 --window 5ms --blocks 200 --target 0 -o k.json \
	>out 2>err </dev/null &
pid=$!
sleep 2.7
kill -KILL $pid
wait $pid 2>/dev/null
valid_json k.json && ! complete k.json && [ "$(nr_samples k.json)" -gt 0 ] &&
	[ -z "$(find . -name 'k.json?*')" ]
ok $? "SIGKILL: the record is valid JSON and holds windows"

# ------------------------------------------------------------------------- output and disk
(set -o pipefail; "$tool" list params 2>err | head -n 1 >out)
[ ! -s err ]
ok $? "a closed pipe ends quietly"
if [ -w /dev/full ]; then
	"$tool" list params >/dev/full 2>err # more than a buffer, and less
	[ $? = 1 ] && grep -q "cannot write" err && "$tool" --version >/dev/full 2>err
	[ $? = 1 ] && grep -q "cannot write the output: No space left" err
	ok $? "a full disk on stdout is said"
else
	skip "a full disk on stdout is said" "no /dev/full"
fi
mkdir full
if mount -t tmpfs -o size=256k none full 2>/dev/null; then
	run run --set batch=8,16,32,64 --workers 1 --window 1ms --blocks 2 -o full/d.json
	cp full/d.json d-before.json
	head -c 1M /dev/zero >full/fill 2>/dev/null
	run run --set batch=1,2,3,4,5,6,7,8,9 --workers 1 --window 1ms --blocks 2 -o full/e.json
	[ $status = 1 ] && grep -qi "no space" err && cmp -s full/d.json d-before.json
	ok $? "a full disk: message, 1, earlier results intact"
	umount full
else
	skip "a full disk: message, 1, earlier results intact" "cannot mount a tmpfs here"
fi
# shellcheck disable=SC2086
run run $small --blocks 1 -o /proc/nowhere.json
[ $status = 1 ] && grep -q "/proc/nowhere.json" err
ok $? "a place where nothing can be written"

# ---------------------------------------------------------------------------- one CPU
first=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
timeout 100 taskset -c "$first" "$tool" report --budget 2s -o one.json >out 2>err </dev/null
status=$?
finished && grep -qi "contention cannot be measured" out
ok $? "one CPU: says that contention cannot be measured, and ends well"
python3 -c 'import json,sys
r = json.load(open("one.json"))
assert {c["cpus"] for c in r["cases"]} == {sys.argv[1]}, "other CPUs"' "$first" 2>err
ok $? "one CPU: no other was used"
LC_ALL=de_DE.UTF-8 timeout 100 "$tool" run --set batch=32,64 --workers 1 --window 2ms --blocks 2 \
	-o de.json >out 2>err </dev/null
status=$?
finished && valid_json de.json
ok $? "a locale with decimal commas changes nothing"

echo "1..$nr"
