#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# gbench.sh - "chargeline bench" for real, with tiny windows. TAP.
# usage: gbench.sh CHARGELINE
#
# A window may be disturbed on a busy machine; its run is then an entry of "errors". So runs are
# counted in both lists, and no time is asserted.

set -uo pipefail

tool=$1
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
unset "${!BENCHMARK_@}"
compare=/usr/share/benchmark/compare.py
nr=0

# ok NAME COMMAND...: the command decides
ok() {
	local name=$1
	shift
	nr=$((nr + 1))
	if "$@" >"$dir/why" 2>&1; then
		echo "ok $nr - $name"
	else
		echo "not ok $nr - $name"
		sed 's/^/# /' "$dir/why" "$dir/out" "$dir/err" | head -60
	fi
}

skip() {
	nr=$((nr + 1))
	echo "ok $nr - $1 # SKIP $2"
}

# one worker: the same cases wherever one CPU may be used. Sets $status, $dir/out, $dir/err
bench() {
	timeout 60 "$tool" bench --workers 1 --set layout=packed_5_19,v6_15 --set batch=32,64 \
		"$@" >"$dir/out" 2>"$dir/err"
	status=$?
}

# strict FILE EXPRESSION: FILE is JSON, all of it and without NaN, and the expression on j holds;
# runs() are what was asked for, with or without a number
strict() {
	/usr/bin/python3 - "$@" <<-'END'
	import json, math, sys

	def refuse(word):
	    raise ValueError(word + ' is not JSON')

	def unique(pairs):
	    assert len(dict(pairs)) == len(pairs), 'a key twice'
	    return dict(pairs)

	with open(sys.argv[1], encoding='utf-8') as f:
	    j = json.loads(f.read(), parse_constant=refuse, object_pairs_hook=unique)

	def runs():
	    good = [b for b in j['benchmarks'] if b['run_type'] == 'iteration']
	    for b in good:
	        assert b['real_time'] > 0 and b['real_time'] == b['cpu_time'], b
	    for b in j['errors']:
	        assert b['real_time'] is None and b['error_message'], b
	    return good + j['errors']

	def aggregates():
	    return [b for b in j['benchmarks'] if b['run_type'] == 'aggregate']

	value = eval('(' + sys.argv[2] + ')')
	print(sys.argv[2], '=', value)
	sys.exit(not value)
	END
}

# refused STATUS PART...: nothing on standard output, one sentence with the parts
refused() {
	local want=$1 part
	shift
	[[ $status == "$want" && ! -s $dir/out && $(wc -l <"$dir/err") == 1 ]] || return 1
	for part; do grep -qF -- "$part" "$dir/err" || return 1; done
}

clean() {
	[[ $status == 0 ]] && ! grep -qiwE 'nan|inf|infinity|debug|manual_time|threads:' "$dir/out" "$dir/err"
}

quick=(--benchmark_min_time=0.002 --benchmark_min_warmup_time=0.0005)

bench --benchmark_list_tests
ok 'list: four cases by name' test "$(cat "$dir/out")" == \
	"page_counter/layout=packed_5_19/batch=32/workers:1
page_counter/layout=packed_5_19/batch=64/workers:1
page_counter/layout=v6_15/batch=32/workers:1
page_counter/layout=v6_15/batch=64/workers:1"

bench --benchmark_list_tests --benchmark_filter='v6_15.*=64'
ok 'filter: a part of them' test "$(cat "$dir/out")" == page_counter/layout=v6_15/batch=64/workers:1
bench --benchmark_list_tests --benchmark_filter=-v6_15
ok 'filter: a minus inverts' test "$(grep -c packed "$dir/out")/$(wc -l <"$dir/out")" == 2/2

bench "${quick[@]}"
ok 'console: a table of four, neither NaN nor the blame of DEBUG' clean
ok 'console: says what the time is' grep -q 'wall time of one operation of one worker' "$dir/err"
ok 'console: every case is there' test "$(grep -c ^page_counter/ "$dir/out")" == 4

bench "${quick[@]}" --benchmark_format=json
ok 'json: standard output is JSON and nothing else' strict "$dir/out" 'len(runs()) == 4'
ok 'json: nothing is said beside it' clean
ok 'json: unknown frequency scaling is null' strict "$dir/out" \
	"(j['context']['cpu_scaling_enabled'] is None) == (not __import__('glob').glob(
	'/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor'))"
ok 'json: says which quantity each number is' strict "$dir/out" \
	"'one worker' in j['context']['quantities']['real_time']"

for form in 0.01 0.01s 10ms; do
	bench --benchmark_min_time=$form --benchmark_format=json --benchmark_filter=v6_15/batch=64
	ok "min_time=$form is the window" strict "$dir/out" \
		"len(runs()) == 1 and j['context']['window_ns'] == 10000000"
done
bench --benchmark_min_time=10x
ok 'min_time=10x is refused' refused 2 'is a count'

for n in 1 2; do
	bench "${quick[@]}" --benchmark_repetitions=6 --benchmark_enable_random_interleaving=true \
		--benchmark_display_aggregates_only --benchmark_out="$dir/$n.json" \
		--benchmark_filter=packed --benchmark_context=run=$n
done
ok 'repetitions: the console shows the aggregates' clean
ok 'repetitions: interleaved, each has its place in the file' strict "$dir/2.json" \
	"sorted((r['family_index'], r['repetition_index']) for r in runs()) ==
	[(f, r) for f in (0, 1) for r in range(6)]"
ok 'repetitions: mean, median, stddev, cv of those with numbers' strict "$dir/2.json" \
	"all([a['aggregate_name'] for a in aggregates() if a['family_index'] == f] ==
	['mean', 'median', 'stddev', 'cv'] for f in (0, 1)
	if sum(r['family_index'] == f and r['real_time'] is not None for r in runs()) > 1)"
ok 'the file is complete' test ! -e "$dir/2.json.part"

bench --benchmark_fliter=x
ok 'unknown option: the nearest name' refused 2 "'--benchmark_fliter'" "'--benchmark_filter'"
bench --benchmark_filter='a(b'
ok 'filter: a bad expression is a sentence' refused 2 'not a regular expression'
bench --benchmark_filter=zzz
ok 'filter: no match is a sentence' refused 2 'none of the 4 cases'
bench --benchmark_format=csv
ok 'csv is refused' refused 2 csv
bench "${quick[@]}" --benchmark_out="$dir/no/such/file"
ok 'a file that cannot be written is named' refused 1 "$dir/no/such/file" 'No such file'

# the library reads these by itself, before main
V=9 BENCHMARK_COLOR=true BENCHMARK_DRY_RUN=true bench "${quick[@]}" --benchmark_format=json \
	--benchmark_color=false --benchmark_repetitions=2 --benchmark_filter=v6_15/batch=64
ok "the library's own variables do not reach the output" strict "$dir/out" 'len(runs()) == 2'
BENCHMARK_OUT=$dir/no/such/file bench "${quick[@]}"
ok 'BENCHMARK_OUT is an option too, and refused like one' refused 1 "$dir/no/such/file"
BENCHMARK_REPETITIONS=many bench
# the library has its say about it on standard error, before main
ok 'a bad variable is named' test "$status$(grep -c '^chargeline: .*BENCHMARK_REPETITIONS' "$dir/err")" == 21

timeout 60 "$tool" bench --workers 1 --benchmark_format=json "${quick[@]}" 2>"$dir/err" |
	head -c 1 >"$dir/out"
ok 'a reader who leaves ends it quietly' test "${PIPESTATUS[0]}$(cat "$dir/err")" == 0

timeout 60 "$tool" bench --workers 1 --benchmark_out="$dir/kept.json" "${quick[@]}" \
	--benchmark_repetitions=2 2>"$dir/err" | head -c 1 >"$dir/out"
ok 'and the file is written all the same' strict "$dir/kept.json" 'len(runs()) == 2'

# far too short to be timed: runs without numbers
bench --benchmark_min_time=1us --benchmark_min_warmup_time=0 --benchmark_out="$dir/short.json"
ok 'runs without numbers are a file too' strict "$dir/short.json" 'len(runs()) == 4'

if [[ ! -e $compare ]]; then
	skip "compare.py reads the files" "$compare is absent (libbenchmark-tools)"
elif ! /usr/bin/python3 -c 'import scipy' 2>/dev/null; then
	skip "compare.py reads the files" "python3-scipy is absent"
elif ! strict "$dir/1.json" 'len(aggregates()) == 8' >"$dir/why" 2>&1 ||
	! strict "$dir/2.json" 'len(aggregates()) == 8' >"$dir/why" 2>&1; then
	skip "compare.py reads the files" "the machine is too busy: too few undisturbed windows"
else
	/usr/bin/python3 $compare --no-color benchmarks "$dir/1.json" "$dir/2.json" \
		>"$dir/out" 2>"$dir/err"
	status=$?
	ok 'compare.py reads two files' grep -q '^page_counter/.*batch=64/workers:1_median ' "$dir/out"
	ok 'compare.py is content' test "$status$(grep -c -i traceback "$dir/err")" == 00
	/usr/bin/python3 $compare --no-color filters "$dir/1.json" batch=32 batch=64 \
		>"$dir/out" 2>"$dir/err"
	ok 'compare.py sets batch 64 against 32 of one file' grep -q 'batch=32 vs. batch=64' "$dir/out"
	/usr/bin/python3 $compare benchmarks "$dir/1.json" "$dir/short.json" >"$dir/out" 2>"$dir/err"
	ok 'compare.py takes a file with errors' test "$?$(cat "$dir/err")" == 0
fi
echo "1..$nr"
