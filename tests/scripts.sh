#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# scripts.sh - tests of scripts/: each runs a copy in an invented machine. TAP.
#
# In that machine the package managers, compilers and meson are stand-ins that write down how they
# were called, and the dependency list names packages that exist nowhere. Nothing is installed.
#
# The stand-ins' text is for them to expand:
# shellcheck disable=SC2016

set -euo pipefail

root=$(readlink -f -- "${1:-$(dirname -- "$0")/..}")
top=$(mktemp -d)
trap 'rm -rf -- "$top"' EXIT
export TMPDIR=$top # a check holds a lock there, and we may run inside one
unset CC CXX CI

# ------------------------------------------------------------------ the machine

# an executable in the machine's PATH
stub() {
	printf '#!/usr/bin/env bash\n%s\n' "$2" >"$bin/$1"
	chmod +x "$bin/$1"
}

# an invented machine of a distribution: the checkout's path holds a space, the user is root
machine() {
	home=$(mktemp -d "$top/m.XXXXXX")
	export HOME=$home
	bin=$home/bin tree="$home/a tree" log=$home/log
	mkdir -p "$bin" "$tree/scripts" "$tree/.ci" "$home/elsewhere"
	cp "$root"/scripts/{quickstart,check,setup.sh,tools.sh,count_tests} "$tree/scripts/"
	cp "$root/.ci/run" "$tree/.ci/"
	cat >"$tree/scripts/deps" <<-'END'
	# for   debian      fedora       minimum  found by    needed by
	build   deb-tool    fed-tool     2.0      the-tool    everything
	build   deb-lib     fed-lib      1.5      lib:thing   all of it
	feature deb-extra   fed-extra    -        -           something
	check   deb-check   -            -        -           tests
	check   -           fed-check    -        -           tests
	END
	export CHARGELINE_OS_RELEASE=$home/os-release FAKE=$home
	printf 'ID=%s\nPRETTY_NAME="An Invented One"\n' "$1" >"$home/os-release"
	echo 0 >"$home/uid"
	: >"$log"
	mkdir "$home/installed"

	stub id 'cat "$FAKE/uid"'
	stub sudo 'exit 1'
	stub dpkg-query '[[ -e $FAKE/installed/${*: -1} ]] && printf installed'
	stub rpm '[[ -e $FAKE/installed/${*: -1} ]]'
	local manager='
		echo "${0##*/} $*" >>"$FAKE/log"
		[[ $1 == install ]] || exit 0
		[[ ! -e $FAKE/no-network ]] || exit 100
		for word; do [[ $word == -* || $word == install ]] || touch "$FAKE/installed/$word"; done'
	stub apt-get "$manager"
	stub dnf "$manager"
	stub pkg-config '
		[[ -e $FAKE/installed/deb-lib || -e $FAKE/installed/fed-lib || -e $FAKE/lib ]] || exit 1
		cat "$FAKE/lib" 2>/dev/null || echo 1.6'
	# meson and ninja leave what the scripts look for
	stub meson '
		echo "meson $*" >>"$FAKE/log"
		case $1 in
		setup)
			mkdir -p "$2/meson-info" "$2/meson-private" "$2/meson-logs"
			echo "{\"directories\": {\"source\": \"$3\"}}" >"$2/meson-info/meson-info.json"
			[[ ! -e $FAKE/no-setup ]] || { echo "the setup error"; exit 1; }
			[[ -e $FAKE/no-database ]] ||
				printf "[{\"directory\": \"%s\", \"file\": \"%s/x.c\"}]" "$2" "$3" \
					>"$2/compile_commands.json"
			touch "$2/build.ninja" ;;
		test)
			dir=$3 name=${3##*/}
			if [[ "$*" == *memcheck* ]]; then
				sed s/unit/memcheck/ "$FAKE/tests.json" >"$dir/meson-info/intro-tests.json"
				sed s/unit/memcheck/ "$FAKE/log.json" >"$dir/meson-logs/testlog-memcheck.json"
				exit
			fi
			cp "$FAKE/tests.json" "$dir/meson-info/intro-tests.json"
			if [[ -e $FAKE/$name.json ]]; then
				cp "$FAKE/$name.json" "$dir/meson-logs/testlog.json"
			else
				cp "$FAKE/log.json" "$dir/meson-logs/testlog.json"
			fi ;;
		esac'
	stub ninja '
		echo "ninja $*" >>"$FAKE/log"
		[[ $2 != */$(cat "$FAKE/no-build" 2>/dev/null) ]] || { echo "the compile error"; exit 1; }
		mkdir -p "$2/cli"
		printf "#!/bin/sh\npwd\nfor word; do echo \"<\$word>\"; done\n" >"$2/cli/chargeline"
		chmod +x "$2/cli/chargeline"'
	local compiler='while [[ $1 != -o ]]; do shift; done; printf "#!/bin/sh\n" >"$2"; chmod +x "$2"'
	stub gcc "$compiler"
	stub clang "$compiler"
	stub clang-format 'case $1 in --version) echo "clang-format version 14.0.6" ;; esac'
	stub clang-format-14 'case $1 in --version) echo "clang-format version 14.0.6" ;; esac'
	stub shellcheck 'exit 0'
	stub run-clang-tidy 'echo "run-clang-tidy $*" >>"$FAKE/log"; [[ ! -e $FAKE/finding ]]'
	stub cppcheck 'echo "cppcheck $*" >>"$FAKE/log"'
	stub valgrind 'exit 0'
	echo 'int x;' >"$tree/x.c"
	mkdir "$tree/tests"
	printf 'echo "ok 1 - built"\ncat "$FAKE/package" 2>/dev/null || echo 1..1\n' >"$tree/tests/package.sh"

	echo '[{"name": "a", "suite": ["chargeline:unit"], "protocol": "tap"}]' >"$home/tests.json"
	cat >"$home/log.json" <<-'END'
	{"name": "chargeline:unit / a", "stdout": "1..1\nok 1 - one\n", "result": "OK", "returncode": 0}
	END
}

# in the machine: output in $out, exit status in $status
run() {
	status=0
	out=$(cd "$home/elsewhere" && PATH=$bin:$PATH "$@" 2>&1 </dev/null) || status=$?
}

# assertions: the text that $out or the log of calls must (not) hold
fails() {
	printf '# %s\n' "$1" "exit status: $status" "${out//$'\n'/$'\n# '}" "calls:"
	sed 's/^/#   /' "$log"
	exit 1
}
ended() {
	[[ $status == "$1" ]] || fails "exit status is not $1"
}
shows() {
	[[ $out == *"$1"* ]] || fails "not shown: $1"
}
called() {
	grep -qxF -- "$1" "$log" || fails "not called: $1"
}
not_called() {
	! grep -q -- "$1" "$log" || fails "called: $1"
}
last_line() {
	[[ ${out##*$'\n'} == "$1" ]] || fails "the last line is not: $1"
}

# ------------------------------------------------------------------- the tests

deps_are_complete() {
	local kind debian fedora minimum probe why names='' status=0 out='' log=/dev/null
	while read -r kind debian fedora minimum probe why; do
		[[ -n $kind && $kind != '#'* ]] || continue
		out="$kind $debian $fedora $minimum $probe $why"
		[[ $kind =~ ^(build|feature|check)$ ]] || fails 'unknown kind'
		[[ -n $why ]] || fails 'too few columns'
		[[ $debian$fedora != -- ]] || fails 'no package at all'
		[[ $minimum =~ ^(-|[0-9.]+)$ ]] || fails 'not a version'
		[[ $minimum == - || $probe != - ]] || fails 'a version that nothing can tell'
		names+="debian:$debian"$'\n'"fedora:$fedora"$'\n'
	done <"$root/scripts/deps"
	out=$(grep -v ':-$' <<<"$names" | sort | uniq -d)
	[[ -z $out ]] || fails 'named twice'
}

deps_agree_with_meson() {
	local status=0 out log=/dev/null name
	out=$(<"$root/scripts/deps")
	while read -r name; do
		[[ $name == threads ]] || grep -q " lib:$name " <<<"$out" || fails "lacks $name"
	done < <(sed -n "s/.* = dependency('\([a-z0-9]*\)'.*/\1/p" "$root/meson.build")
	grep -q "meson_version: '>= 1.0'" "$root/meson.build" || fails 'minimum of meson'
	grep -q "('hwloc', version: '>= 2.9')" "$root/meson.build" || fails 'minimum of hwloc'
	grep -qE '^build +meson .* 1\.0 ' <<<"$out" || fails 'minimum of meson'
	grep -qE '^build +libhwloc-dev .* 2\.9 ' <<<"$out" || fails 'minimum of hwloc'
}

headers_are_listed() {
	local header status=0 out log=/dev/null
	out=$(<"$root/tests/meson.build")
	for header in "$root"/include/*.h; do
		sed -n '/^public_headers/,/]/p' <<<"$out" | grep -q "'${header##*/}'" ||
			fails "public_headers lacks ${header##*/}"
	done
	while read -r header; do
		[[ ! -e $root/include/$header ]] ||
			sed -n '/^cpp_headers/,/]/p' <<<"$out" | grep -q "'$header'" ||
			fails "cpp_headers lacks $header"
	done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$root"/bench/gbench.{cc,h} 2>/dev/null)
}

debian_installs_once() {
	machine debian
	run "$tree/scripts/quickstart" --budget '30 s'
	ended 0
	called 'apt-get update'
	called 'apt-get install -y --no-install-recommends deb-tool deb-lib deb-extra'
	[[ $(grep -c update "$log") == 1 ]] || fails 'not one update'
	called "meson setup $tree/build $tree"
	# the report runs where the user is, with the arguments as they were given
	[[ $out == *"$home/elsewhere"$'\n<report>\n<--budget>\n<30 s>' ]] || fails 'wrong report'
	: >"$log"
	run "$tree/scripts/quickstart"
	ended 0
	not_called apt-get
	not_called 'meson setup'
	shows '<report>'
}

fedora_has_other_names() {
	machine fedora
	run "$tree/scripts/quickstart"
	ended 0
	called 'dnf install -y --setopt=install_weak_deps=False fed-tool fed-lib fed-extra'
	not_called apt-get
	: >"$log"
	run "$tree/scripts/quickstart"
	ended 0
	not_called dnf
}

relatives_are_known() {
	machine ubuntu
	echo 'ID_LIKE="debian"' >>"$home/os-release"
	run "$tree/scripts/quickstart"
	ended 0
	called 'apt-get update'
}

sudo_installs() {
	machine debian
	echo 1000 >"$home/uid"
	stub sudo 'echo "sudo $*" >>"$FAKE/log"; shift; "$@"'
	run "$tree/scripts/quickstart"
	ended 0
	called 'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update'
	called 'apt-get install -y --no-install-recommends deb-tool deb-lib deb-extra'
}

without_root_it_says_how() {
	machine debian
	echo 1000 >"$home/uid"
	touch "$home/installed/deb-tool"
	run "$tree/scripts/quickstart"
	ended 1
	shows '    sudo apt-get update
    sudo apt-get install -y --no-install-recommends deb-lib deb-extra
'
	not_called .
	[[ ! -e $tree/build ]] || fails 'went on'
	run "$tree/scripts/check"
	ended 1
	shows 'deb-lib deb-extra deb-check'
}

nothing_missing_needs_no_root() {
	machine debian
	echo 1000 >"$home/uid"
	touch "$home"/installed/deb-{tool,lib,extra}
	run "$tree/scripts/quickstart"
	ended 0
	shows '<report>'
}

no_network_is_a_sentence() {
	machine debian
	touch "$home/no-network"
	run "$tree/scripts/quickstart"
	ended 1
	shows 'quickstart: this failed: apt-get install -y'
	not_called meson
}

found_without_a_package() {
	machine debian
	touch "$home/installed/deb-extra"
	echo 1.5 >"$home/lib"
	stub the-tool 'echo "The Tool (made by hand) 2.10.1"'
	run "$tree/scripts/quickstart"
	ended 0
	not_called apt-get
}

too_old_is_a_sentence() {
	machine debian
	touch "$home"/installed/deb-{tool,lib,extra}
	echo 1.4.9 >"$home/lib"
	run "$tree/scripts/quickstart"
	ended 1
	shows 'thing 1.4.9 is too old, 1.5 or newer is needed'
}

other_distro_goes_on() {
	machine slackware
	run "$tree/scripts/quickstart"
	ended 1
	shows 'neither Debian nor Fedora'
	shows 'nothing works without: the-tool thing'
	echo 1.6 >"$home/lib"
	run "$tree/scripts/quickstart"
	ended 1
	shows 'nothing works without: the-tool'
	stub the-tool 'echo 2.0.0'
	run "$tree/scripts/quickstart"
	ended 0
	shows '<report>'
	not_called apt-get
}

build_failures_show_why() {
	machine debian
	touch "$home/no-setup"
	run "$tree/scripts/quickstart"
	ended 1
	shows 'the setup error'
	rm "$home/no-setup"
	echo build >"$home/no-build"
	run "$tree/scripts/quickstart"
	ended 1
	shows 'the compile error'
}

copied_checkout_builds_itself() {
	machine debian
	run "$tree/scripts/quickstart"
	ended 0
	cp -r "$tree" "$home/copy"
	: >"$log"
	run "$home/copy/scripts/quickstart"
	ended 0
	called "meson setup $home/copy/build $home/copy"
}

check_passes() {
	machine debian
	run env CI=true bash "$tree/.ci/run"
	ended 0
	called 'apt-get install -y --no-install-recommends deb-tool deb-lib deb-extra deb-check'
	# 5 configurations of one case; the format of C and of shell; four tools; the stand-ins build
	# no fuzzer
	last_line '11 passed, 0 failed, 1 skipped'
	[[ $(grep -c '^meson setup' "$log") == 5 ]] || fails 'not 5 configurations'
	: >"$log"
	run "$tree/scripts/check" --quick --builds "$home/b"
	ended 0
	not_called apt-get
	[[ $(grep -c '^meson setup' "$log") == 1 ]] || fails 'not 1 configuration'
}

check_fails_with_a_tool() {
	machine debian
	touch "$home/finding"
	echo 'not ok 2 - lintian' >"$home/package"
	run "$tree/scripts/check"
	ended 1
	shows 'findings (clang-tidy)'
	shows 'lintian (package)'
	last_line '9 passed, 2 failed, 1 skipped'
	# a tool that was shown no file, a package that was not made
	rm "$home/finding"
	: >"$home/package"
	touch "$home/no-database"
	run "$tree/scripts/check"
	ended 1
	shows 'findings (clang-tidy)'
	shows 'findings (cppcheck)'
	shows 'everything (package): ran nothing'
}

check_survives_a_broken_build() {
	machine debian
	echo clang >"$home/no-build"
	run "$tree/scripts/check"
	ended 1
	shows 'the compile error'
	shows 'the build (clang): compiling failed'
	[[ $out == *' passed, 1 failed, '* ]] || fails 'not one failure'
	[[ $(grep -c '^meson setup' "$log") == 5 ]] || fails 'did not go on'
	touch "$home/no-setup"
	run "$tree/scripts/check" --quick
	ended 1
	shows 'the build (gcc): meson setup failed'
}

check_fails_with_one_configuration() {
	machine debian
	cat >"$home/thread-sanitizer.json" <<-'END'
	{"name": "chargeline:unit / a", "stdout": "1..0\n", "result": "SKIP", "returncode": 0}
	END
	run "$tree/scripts/check"
	ended 1
	shows 'unit/a (thread-sanitizer): ran nothing'
}

check_tells_what_it_left_out() {
	machine debian
	stub clang-format-14 'exit 127'
	stub clang-format 'echo "clang-format version 19.1.0"'
	# compiles, but what it made does not run
	stub gcc 'while [[ $1 != -o ]]; do shift; done; echo "exit 1" >"$2"; chmod +x "$2"'
	run "$tree/scripts/check"
	ended 0
	last_line '9 passed, 0 failed, 3 skipped'
	shows 'C and C++ sources (format): clang-format 14 is not there'
	shows 'everything (address-sanitizer): a program with the address,undefined sanitizer does not'
}

check_waits_for_another() {
	machine debian
	local ready=$home/ready
	flock "$TMPDIR/chargeline-check.lock" sh -c "touch '$ready'; sleep 1" &
	until [[ -e $ready ]]; do sleep 0.05; done
	run "$tree/scripts/check" --quick
	ended 0
	shows 'another check runs on this machine'
	wait
}

check_refuses() {
	machine debian
	run "$tree/scripts/check" --quik
	ended 1
	shows 'unknown argument --quik'
	not_called .
}

# counts PROTOCOL RESULT RETURNCODE STDOUT [STDERR]: $out is what count_tests makes of one program
counts() {
	local build=$top/count
	mkdir -p "$build/meson-info" "$build/meson-logs"
	python3 - "$build" "$@" <<-'END'
	import json, sys
	build, protocol, result, status, out = sys.argv[1:6]
	test = {'name': 'p', 'suite': ['chargeline:unit'], 'protocol': protocol}
	record = {'name': 'chargeline:unit / p', 'result': result, 'returncode': int(status), 'stdout': out,
	          'stderr': ''.join(sys.argv[6:])}
	json.dump([test], open(build + '/meson-info/intro-tests.json', 'w'))
	json.dump(record, open(build + '/meson-logs/testlog.json', 'w'))
	END
	status=0 log=/dev/null
	out=$("$root/scripts/count_tests" read gcc "$build" | cut -f 2- | tr '\t' '|') || status=$?
	[[ $status == 0 ]] || fails 'count_tests failed'
}
gives() {
	[[ $out == "$1" ]] || fails "not counted as: $1"
}

run_='[==========] Running 2 test(s).
[ RUN      ] one
[       OK ] one
[ RUN      ] two
'
counts_cmocka() {
	counts exitcode OK 0 "${run_}[       OK ] two"
	gives $'pass|unit/p: one|\npass|unit/p: two|'
	counts exitcode FAIL 1 "${run_}[  FAILED  ] two
[==========] 2 test(s) run." '[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] two'
	gives $'pass|unit/p: one|\nfail|unit/p: two|'
	# output of a test without a newline before the mark
	counts exitcode OK 0 "${run_}42[       OK ] two"
	gives $'pass|unit/p: one|\npass|unit/p: two|'
	counts exitcode FAIL 1 "${run_}[       OK ] two" '[  FAILED  ] GROUP TEARDOWN'
	gives $'pass|unit/p: one|\npass|unit/p: two|\nfail|unit/p|its group teardown failed'
}

counts_deaths() {
	counts exitcode FAIL -11 "$run_"
	gives $'pass|unit/p: one|\nfail|unit/p: two|killed by SIGSEGV'
	counts exitcode TIMEOUT -15 "$run_"
	gives $'pass|unit/p: one|\nfail|unit/p: two|timed out'
	# every case passed, then a sanitizer spoke
	counts exitcode FAIL 66 "${run_}[       OK ] two"
	gives $'pass|unit/p: one|\npass|unit/p: two|\nfail|unit/p|exit status 66 after its tests'
	# a process that ended in the middle, without an error
	counts exitcode OK 0 '[==========] Running 2 test(s).
[ RUN      ] one
[       OK ] one'
	gives $'pass|unit/p: one|\nfail|unit/p|2 cases announced, 1 ran'
	counts tap FAIL 3 $'1..1\nok 1 - one'
	gives $'pass|unit/p: one|\nfail|unit/p|exit status 3 after its tests'
}

counts_nothing_as_failure() {
	counts exitcode OK 0 ''
	gives 'fail|unit/p|ran nothing'
	counts exitcode OK 0 '[==========] Running 0 test(s).'
	gives 'fail|unit/p|ran nothing'
	counts tap SKIP 0 ''
	gives 'fail|unit/p|ran nothing'
	counts tap SKIP 0 '1..0'
	gives 'fail|unit/p|ran nothing'
	counts tap SKIP 0 'Bail out! no'
	gives 'fail|unit/p|Bail out! no'
	counts exitcode SKIP 77 ''
	gives 'fail|unit/p|skipped without a reason'
}

counts_skips() {
	counts exitcode OK 0 "${run_}[  REASON  ] one CPU
[  SKIPPED ] two"
	gives $'pass|unit/p: one|\nskip|unit/p: two|one CPU'
	counts exitcode OK 0 "${run_}[  SKIPPED ] two"
	gives $'pass|unit/p: one|\nfail|unit/p: two|skipped without a reason'
	counts exitcode SKIP 77 'needs two CPUs'
	gives 'skip|unit/p|needs two CPUs'
	counts tap SKIP 0 '1..0 # SKIP no qemu'
	gives 'skip|unit/p|no qemu'
}

counts_tap() {
	counts tap FAIL 0 $'ok 1 - one\n# note\nnot ok 2 - two\nok 3 - three # SKIP why\n1..3'
	gives $'pass|unit/p: one|\nfail|unit/p: two|\nskip|unit/p: three|why'
	counts tap FAIL 0 $'1..3\nok 1 - one'
	gives $'pass|unit/p: one|\nfail|unit/p|3 cases planned, 1 ran'
	counts tap OK 0 'ok 1 - one'
	gives $'pass|unit/p: one|\nfail|unit/p|printed no plan'
}

counts_what_never_started() {
	counts exitcode OK 0 "${run_}[       OK ] two"
	echo '' >"$top/count/meson-logs/testlog.json"
	out=$("$root/scripts/count_tests" read gcc "$top/count" | cut -f 2- | tr '\t' '|')
	gives 'fail|unit/p|was not started'
	out=$("$root/scripts/count_tests" read gcc "$top/count" smoke | cut -f 2- | tr '\t' '|')
	gives 'fail|smoke|there is no test program'
}

total_of() {
	status=0 log=/dev/null
	printf '%b' "$1" >"$top/lines"
	out=$("$root/scripts/count_tests" total "$top/lines") || status=$?
}
totals() {
	total_of 'gcc\tpass\ta\t\ngcc\tskip\tb\twhy\ngcc\tseconds\t7\t\nclang\tpass\ta\t\nclang\tskip\tb\twhy\n'
	ended 0
	last_line '2 passed, 0 failed, 2 skipped'
	shows '  b (gcc, clang): why'
	total_of 'gcc\tpass\ta\t\nclang\tfail\ta\t\n'
	ended 1
	last_line '1 passed, 1 failed, 0 skipped'
	# skips alone are no success, and neither is a configuration that left nothing but its time
	total_of 'gcc\tskip\ta\twhy\n'
	ended 1
	last_line '0 passed, 0 failed, 1 skipped'
	total_of 'gcc\tpass\ta\t\nclang\tseconds\t3\t\n'
	ended 1
	shows 'everything (clang): ran nothing'
}

# ------------------------------------------------- programs that meson would call skipped

# tap EXIT-STATUS PART TEXT: how tests/tap ends, and what it says, about a program that prints TEXT
tap() {
	local want=$1 part=$2
	status=0
	out=$("$root/tests/tap" printf '%b' "$3") || status=$?
	ended "$want"
	shows "$part"
}

tap_wants_something_to_run() {
	log=/dev/null
	tap 0 'ok 1 - one' 'ok 1 - one\n1..1\n'
	tap 0 'not ok 1' '1..2\nnot ok 1 - one\nok 2 - two # SKIP why\n'
	tap 0 'no qemu' '1..0 # SKIP no qemu\n'
	tap 1 'Bail out! printf printed no plan' ''
	tap 1 'Bail out! printf printed no plan' 'ok 1 - one\n'
	tap 1 'Bail out! printf ran nothing' '1..0\n'
	tap 1 'Bail out! printf ran nothing' '1..0 # SKIP\n'
	tap 1 'planned 2 cases and ran 1' '1..2\nok 1 - one\n'
	tap 1 'skips without a reason: ok 1 - one # SKIP' 'ok 1 - one # SKIP\n1..1\n'
	tap 1 'Bail out! no' 'Bail out! no\n'
	status=0
	out=$("$root/tests/tap" bash -c 'echo 1..1; echo ok 1; exit 3') || status=$?
	ended 3
}

# by the text of the tests: TAP goes through tests/tap, cmocka through the macros that refuse an
# empty list
programs_fail_when_they_ran_nothing() {
	log=/dev/null status=0
	out=$(awk 'BEGIN { RS = "(^|\n) *(test|benchmark)\\(" }
		/protocol: .tap./ && !/^[^,]*, tap,/' "$root"/tests/meson.build)
	[[ -z $out ]] || fails "TAP without tests/tap"
	out=$(grep -LE '\<run_(result_)?(tests|group)\(' "$root"/tests/test_*.c) || true
	[[ -z $out ]] || fails "cmocka without the macros of tests/test.h"
}

# ---------------------------------------------------------------------- run them

number=0
for name in deps_are_complete deps_agree_with_meson headers_are_listed \
	debian_installs_once fedora_has_other_names relatives_are_known sudo_installs \
	without_root_it_says_how nothing_missing_needs_no_root no_network_is_a_sentence \
	found_without_a_package too_old_is_a_sentence other_distro_goes_on build_failures_show_why \
	copied_checkout_builds_itself check_passes check_survives_a_broken_build \
	check_fails_with_one_configuration check_fails_with_a_tool check_tells_what_it_left_out \
	check_waits_for_another check_refuses \
	counts_cmocka counts_deaths counts_nothing_as_failure counts_skips counts_tap \
	counts_what_never_started totals tap_wants_something_to_run \
	programs_fail_when_they_ran_nothing; do
	number=$((number + 1))
	# a process of its own, so that set -e holds in it and its variables end with it
	if ("$name") >"$top/said" 2>&1 & wait $!; then
		echo "ok $number - ${name//_/ }"
	else
		echo "not ok $number - ${name//_/ }"
		sed 's/^#* */# /' "$top/said"
	fi
done
echo "1..$number"
