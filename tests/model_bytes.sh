#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same input gives the same bytes, whatever the compiler's optimization, the addresses, the number
# of threads and what else is in memory; and the layout of a subject alone decides what they are.
#   model_bytes.sh PROGRAM OTHER MOVED CHARGELINE STUCK
#     OTHER       the model and its subjects compiled with another optimization
#     MOVED       max beside usage in page_counter's layout padded_2022 (move_field.sh)
#     STUCK       chargeline with a contended_line that never ends (stuck_subject.c)
set -u
# shellcheck source=tests/steps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/steps.sh"
program=$(readlink -f "$1") other=$(readlink -f "$2") moved=$(readlink -f "$3")
tool=$(readlink -f "$4") stuck=$(readlink -f "$5")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

told() { cut -c 1-300 err 2>/dev/null | head -n 5; }

same() { # same NAME COMMAND...: prints what the first run did
	local name=$1
	shift
	timeout 100 "$@" >now 2>err && cmp first now >>err 2>&1
	ok $? "$name"
}

timeout 100 "$program" one >first 2>err && [ "$(wc -l <first)" -gt 200 ]
ok $? "predictions of all subjects"
"$tool" list experiments | sed -n 's/^\([a-z_]*\): .*/\1/p' >subjects
while read -r subject; do
	grep -q "^$subject " first || echo "$subject is not predicted"
done <subjects >err
[ "$(wc -l <subjects)" -ge 8 ] && [ ! -s err ]
ok $? "none is missing"
same "compiled with another optimization" "$other" one
same "one after another by as many threads as there are CPUs" "$program" sweep
same "memory that is full of other bytes" env MALLOC_PERTURB_=165 "$program" one
same "an environment of another size" env "PAD=$(printf '%08000d' 0)" "$program" one
if cpu=$(taskset -pc $$ 2>/dev/null) && cpu=$(sed 's/.*: //; s/[-,].*//' <<<"$cpu"); then
	same "threads that share one CPU" taskset -c "$cpu" "$program" sweep
else
	skip "threads that share one CPU" "taskset cannot bind here"
fi
if setarch -R true 2>/dev/null; then
	same "addresses that are not random" setarch -R "$program" one
else
	skip "addresses that are not random" "setarch -R is not permitted here"
fi

# ---------------------------------------------------------------------- a field is moved
ps() { # hexadecimal ns
	printf '%.3f' "$1" | tr -d .
}
timeout 100 "$moved" one >now 2>err
ok $? "a page_counter whose max was moved is predicted"
grep -v ' layout=padded_2022 ' first >before
grep -v ' layout=padded_2022 ' now >after
cmp before after >err 2>&1
ok $? "where that layout is not in use, nothing changes"
for machine in icx-8380 milan-2s64c; do
	key="^page_counter layout=padded_2022 $machine: "
	was=$(grep "$key" first | sed 's/.* ns \([^ ]*\) .*/\1/')
	is=$(grep "$key" now | sed 's/.* ns \([^ ]*\) .*/\1/')
	printf 'ns per operation on %s: %s, with max beside usage %s\n' "$machine" "$was" "$is" >err
	[ -n "$was" ] && [ "$(ps "$is")" -ne "$(ps "$was")" ]
	ok $? "max beside usage moves the prediction on $machine, and nothing in sim/ knows"
	grep "$key" now | grep -q '0:usage 0:max'
	ok $? "the blamed line of $machine has the moved field's name"
done

# -------------------------------------------------------------------------- the command
predict() {
	timeout 20 "$tool" predict page_counter contended_line -m clx-2s18c --workers 4 --json
}
predict >first 2>err
ok $? "predict --json"
differing=0
for ((i = 1; i < 100; i++)); do
	predict >now 2>>err
	cmp -s first now || differing=$((differing + 1))
done
echo "$differing of 99 differ from the first" >>err
[ $differing = 0 ]
ok $? "100 times the same bytes"
timeout 100 "$stuck" predict contended_line -m clx-2s18c --workers 2 >out 2>err
status=$?
[ $status = 1 ] && [ ! -s out ] && grep -q 'stuck: no operation ended within [0-9]* accesses' err
ok $? "a subject that never ends: a sentence and status 1"
echo "1..$nr"
