#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# fuzz_long - every fuzz target for an hour, from the corpora of the source tree
#
#   CC=clang CXX=clang++ meson setup build-fuzz -Dfuzz=true
#   tests/fuzz_long.sh --build build-fuzz [--seconds 3600] [--jobs 1] [TARGET...]
#
# Builds the targets where that is needed. What grows, the logs and the findings are in
# BUILD/fuzz; the last lines are the inputs tried. Exits 1 when there was a finding: the input is in
# BUILD/fuzz/TARGET-*, and "BUILD/tests/fuzz_TARGET FILE" shows it again.

set -euo pipefail

here=$(dirname -- "$(readlink -f -- "$0")")
build='' seconds=3600 jobs=1 targets=()
while (($#)); do
	case $1 in
	--build) build=${2-} && shift ;;
	--seconds) seconds=${2-} && shift ;;
	--jobs) jobs=${2-} && shift ;;
	-*)
		sed -n 's/^#   //p' "$0" >&2
		exit 2
		;;
	*) targets+=("$1") ;;
	esac
	shift
done
((${#targets[@]})) || targets=(results csv topo args)
[[ -f $build/build.ninja ]] || {
	echo "fuzz_long: '$build' is no build folder: name one with --build" >&2
	exit 2
}
build=$(readlink -f -- "$build")
ninja -C "$build" "${targets[@]/#/tests/fuzz_}" >/dev/null
mkdir -p -- "$build/fuzz"

fuzz() { # TARGET
	local seeds=$here/corpus/$1 out=$build/fuzz
	local options=(-max_total_time="$seconds" -timeout=20 -detect_leaks=0 -print_final_stats=1
		-max_len=16384 -artifact_prefix="$out/$1-")
	[[ $1 != topo ]] || seeds=$here/topologies
	[[ ! -f $here/corpus/$1.dict ]] || options+=(-dict="$here/corpus/$1.dict")
	rm -f -- "$out/$1.passed"
	mkdir -p -- "$out/$1"
	if (cd -- "$out" && "$build/tests/fuzz_$1" "${options[@]}" "$out/$1" "$seeds") \
		>"$out/$1.log" 2>&1; then
		touch -- "$out/$1.passed"
	else
		tail -n 40 -- "$out/$1.log"
	fi
}

for target in "${targets[@]}"; do
	while (($(jobs -rp | wc -l) >= jobs)); do
		wait -n || true
	done
	fuzz "$target" &
done
wait

failed=0
for target in "${targets[@]}"; do
	tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz/$target.log")
	if [[ -e $build/fuzz/$target.passed ]]; then
		echo "$target: ${tried:-?} inputs tried, no finding"
	else
		echo "$target: ${tried:-?} inputs tried, a FINDING: $build/fuzz/$target-*"
		failed=1
	fi
done
exit $failed
