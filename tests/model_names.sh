#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The subjects are compiled twice. Every name that the model's copy defines must have a name of its
# own: where one is missing, the linker quietly takes the native function, and the model would run
# real atomics at no time.
set -u
lib=$1
if ! command -v nm >/dev/null; then
	echo "ok 1 - names # SKIP nm is not there"
	echo "1..1"
	exit 0
fi
names=$(nm --defined-only "$lib" 2>/dev/null | awk '$2 ~ /^[TDBRVWC]$/ { print $3 }' |
	grep -v -e '^__asan' -e '^__odr' -e '^__tsan' -e '^__ubsan' -e '^asan\.')
[ "$(printf '%s\n' "$names" | grep -c '^model_')" -ge 5 ]
ok=$?
[ $ok = 0 ] && echo "ok 1 - the model has subjects of its own" || echo "not ok 1 - the model has subjects of its own"
wrong=$(printf '%s\n' "$names" | grep -v '^model_')
if [ -z "$wrong" ]; then
	echo "ok 2 - all of their global names are the model's"
else
	echo "not ok 2 - all of their global names are the model's"
	printf '%s\n' "$wrong" | sed 's/^/# not listed in bench\/meson.build: /'
fi
# the other side: what they call that is not libc's must be the model's as well
called=$(nm --undefined-only "$lib" 2>/dev/null | awk '{ print $2 }' | sort -u |
	grep -E '^(env_alloc|env_alloc_worker|cpu_work_ns|experiment_find|experiments)$')
if [ -z "$called" ]; then
	echo "ok 3 - none of them calls the native runner"
else
	echo "not ok 3 - none of them calls the native runner"
	printf '# %s\n' "$called"
fi
echo "1..3"
