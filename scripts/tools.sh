# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# tools.sh - what looks at the code without, or beside, running its tests: sourced by check
#
# Each tool is one case, passed when it finds nothing. Uses builds, root, jobs, record and the
# builds of the configurations gcc and clang.

: "${builds:?}" "${root:?}" "${jobs:?}" "${records:?}"

# tool NAME NEEDED COMMAND...: the case; what the command said is shown when it fails
tool() {
	local name=$1 needed=$2 log=$builds/$1.log start=$SECONDS
	shift 2
	printf '\n== %s\n' "$name"
	if ! command -v "$needed" >/dev/null; then
		record "$name" skip everything "$needed is not there"
	elif "$@" >"$log" 2>&1; then
		record "$name" pass 'no finding'
	else
		record "$name" fail 'findings' "see $log"
		# a finding is told once for each file that includes its header
		sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -E '(warning|error|portability|style): ' |
			sort -u | head -n 60 || true
		tail -n 5 -- "$log"
	fi
	record "$name" seconds $((SECONDS - start))
}

# compile_database CONFIGURATION: prints a folder with that build's database, each file of ours
# once (a subject is compiled for the model as well, the command for its tests); fails when there
# is none, so that a tool that was shown nothing does not pass
compile_database() {
	local dir=$builds/database-$1
	mkdir -p -- "$dir"
	python3 - "$builds/$1/compile_commands.json" "$dir/compile_commands.json" <<-'END' || return 1
	import json, os, sys
	seen = {}
	for entry in json.load(open(sys.argv[1])):
	    path = os.path.realpath(os.path.join(entry['directory'], entry['file']))
	    if not path.startswith(os.path.realpath(entry['directory']) + os.sep):
	        seen.setdefault(path, entry)
	json.dump(list(seen.values()), open(sys.argv[2], 'w'), indent=1)
	sys.exit(not seen)
	END
	printf '%s\n' "$dir"
}

run_clang_tidy() {
	local dir
	dir=$(compile_database clang) || { echo 'no file to look at'; return 1; }
	run-clang-tidy -j "$jobs" -quiet -p "$dir"
}

# Its own idea of a platform is enough: it needs no system headers, but for jansson's loops.
run_cppcheck() {
	local dir
	dir=$(compile_database gcc) || { echo 'no file to look at'; return 1; }
	cppcheck -j "$jobs" --project="$dir/compile_commands.json" --quiet --error-exitcode=1 \
		--enable=warning,portability --inline-suppr \
		--library="$root/scripts/cppcheck.xml" \
		--suppressions-list="$root/scripts/cppcheck.suppressions"
}

check_tools() {
	tool clang-tidy run-clang-tidy run_clang_tidy
	tool cppcheck cppcheck run_cppcheck
	check_memcheck
	check_package
}

# the unit tests of the gcc build, each program a case; tests/meson.build says which and why not
check_memcheck() {
	local dir=$builds/gcc start=$SECONDS status=0
	printf '\n== memcheck\n'
	if ! command -v valgrind >/dev/null; then
		record memcheck skip everything 'valgrind is not there'
		return
	fi
	rm -f -- "$dir/meson-logs/testlog-memcheck.json"
	meson test -C "$dir" --no-rebuild --print-errorlogs --setup memcheck --suite memcheck 9>&- ||
		status=$?
	# count_tests reads the log of a run without a setup; that of the configuration was counted
	mv -f -- "$dir/meson-logs/testlog-memcheck.json" "$dir/meson-logs/testlog.json"
	"$root/scripts/count_tests" read memcheck "$dir" memcheck >"$builds/memcheck.records" ||
		record memcheck fail 'the count' 'count_tests failed'
	cat -- "$builds/memcheck.records" >>"$records"
	if ((status)) && ! grep -q $'\tfail\t' "$builds/memcheck.records"; then
		record memcheck fail 'meson test' "exit status $status"
	fi
	record memcheck seconds $((SECONDS - start))
}

check_package() {
	local log=$builds/package.log start=$SECONDS
	printf '\n== package\n'
	if bash "$root/tests/package.sh" "$root" >"$log" 2>&1 && grep -q '^1\.\.[1-9]' "$log"; then
		record package pass 'meson dist, dpkg-buildpackage, lintian'
	elif grep -q '^1\.\.0 # SKIP ' "$log"; then
		record package skip everything "$(sed -n 's/^1\.\.0 # SKIP //p' "$log")"
	fi
	grep '^not ok' "$log" | while read -r line; do
		record package fail "${line#not ok * - }" "see $log"
	done || true
	record package seconds $((SECONDS - start))
}
