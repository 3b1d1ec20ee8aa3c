#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# asm.sh LIBBENCH PROBE SUBJECT... - the machine code does the atomics that the kernel's would. TAP.
#
# A compiler may turn "add and return" whose value it can do without into a plain locked add, merge
# two operations, or drop one. So the instructions of each subject are counted against the
# operations of its source: inlining may repeat them, never lose them.
#
#   kind      x86-64                aarch64: LSE, outlined, LL/SC
#   xadd      lock xadd             ldaddal    __aarch64_ldadd8_acq_rel    stlxr
#   xchg      xchg with memory      swpal      __aarch64_swp8_acq_rel      stlxr
#   cmpxchg   lock cmpxchg          casal      __aarch64_cas8_acq_rel      stlxr
#   add       lock add, sub, inc    ldadd, stadd  __aarch64_ldadd8_relax   stxr
#
# LL/SC has one instruction for the first three: there only their sum is known.
set -u
lib=$1 probe=$2
shift 2
nr=0

ok() { # ok STATUS NAME
	nr=$((nr + 1))
	[ "$1" = 0 ] && echo "ok $nr - $2" || echo "not ok $nr - $2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

command -v objdump >/dev/null || skip_all "objdump is not there"
format=$(objdump -f "$lib" 2>/dev/null | sed -n 's/^architecture: \([^,]*\).*/\1/p' | sort -u)
case $format in
i386:x86-64 | aarch64) ;;
*) skip_all "not known for architecture '$format'" ;;
esac

# "object function kind" for every atomic instruction
atomics() {
	objdump -dr --no-show-raw-insn "$1" 2>/dev/null | awk '
		/file format/ { object = $1; sub(/:$/, "", object); sub(/.*\//, "", object) }
		/^[0-9a-f]+ <.*>:$/ { fn = $2; gsub(/[<>:]/, "", fn); sub(/\..*/, "", fn); print object, fn, "function"; next }
		{ kind = "" }
		/\tlock xadd/ { kind = "xadd" }
		/\tlock cmpxchg/ { kind = "cmpxchg" }
		/\txchg[a-z]? .*\(/ { kind = "xchg" }
		/\tlock (add|sub|inc|dec)/ { kind = "add" }
		/\tldaddal\t|__aarch64_ldadd[0-9]_(acq_rel|sync)/ { kind = "xadd" }
		/\tcasal\t|__aarch64_cas[0-9]_(acq_rel|sync)/ { kind = "cmpxchg" }
		/\tswpal\t|__aarch64_swp[0-9]_(acq_rel|sync)/ { kind = "xchg" }
		/\t(ldadd|stadd)\t|__aarch64_ldadd[0-9]_relax/ { kind = "add" }
		/\tstlxr\t/ { kind = "ordered" }
		/\tstxr\t/ { kind = "add" }
		kind { print object, fn, kind }'
}

found=$(atomics "$lib"; atomics "$probe")
case $found in
*" function"*) ;;
*) skip_all "the objects hold no machine code (link-time optimization?)" ;;
esac
llsc=$(grep -c ' ordered$' <<<"$found")

count() { # count OBJECT FUNCTION KIND; FUNCTION is a pattern
	grep -c -E "^$1\.c\.o ($2) ($3)$" <<<"$found"
}

# need OBJECT FUNCTION [COUNT KIND]...: at least COUNT; "only" before: exactly
need() {
	local object=$1 fn=$2 name="$1 $2" bad='' have exact total=0
	shift 2
	[ "$fn" = any ] && fn='[^ ]*'
	[ "$(count "$object" "$fn" function)" -gt 0 ] || bad=' (no such function)'
	while [ $# -ge 2 ]; do
		exact=
		[ "$1" = only ] && exact=1 && shift
		have=$(count "$object" "$fn" "$2")
		name="$name, ${exact:+exactly }$1 $2"
		if [ "$llsc" -gt 0 ] && [ "$2" != add ]; then
			total=$((total + $1))
		elif [ "$have" -lt "$1" ] || { [ "$exact" ] && [ "$have" -gt "$1" ]; }; then
			bad="$bad (has $have $2)"
		fi
		shift 2
	done
	[ "$(count "$object" "$fn" 'ordered|xadd|xchg|cmpxchg')" -ge $total ] || bad="$bad (too few)"
	[ -z "$bad" ]
	ok $? "$name$bad"
}

covered=
subject() { # what follows is about it
	covered="$covered $1 "
}

# katomic.h by itself: a value of which only the sign, or nothing, is used
need asm_probe probe_sub_and_test 1 xadd only 0 add
need asm_probe probe_add_and_test 1 xadd only 0 add
need asm_probe probe_add_unused 1 xadd only 0 add
need asm_probe probe_fetch_add_and_test 1 xadd only 0 add
need asm_probe probe_add only 0 xadd 1 add
need asm_probe probe_sub only 0 xadd 1 add
need asm_probe probe_xchg_unused 1 xchg
need asm_probe probe_cmpxchg_once 1 cmpxchg

# a level of the loop: usage; min and low by exchange, and what they change in the parent
subject page_counter
for layout in packed_5_19 aligned_2022_test padded_2022 v6_12 v6_15; do
	need page_counter_tree ${layout}_charge_fn 1 xadd 2 xchg 2 add
	need page_counter_tree ${layout}_uncharge_fn 1 xadd 2 xchg 2 add
	# and undone: the failing level, then cancel() of those below it
	need page_counter_tree ${layout}_try_charge_fn 2 xadd 4 xchg 5 add
done

subject contended_line # plain and logged; the two loops
need contended_line cl_run 2 xadd 1 xchg 2 cmpxchg only 1 add

subject false_sharing
need false_sharing fs_run only 0 xadd 1 add

subject core_to_core
need core_to_core c2c_run 1 cmpxchg only 0 add

subject memcg_stock # per-counter stock: take, give, drain; flags: own, and those of another CPU
need memcg_stock any 2 cmpxchg 3 xchg only 0 add

subject vmstats_flush # global unconditional and guarded, hierarchical, cached, cached and guarded
need vmstats_flush any 5 add 1 cmpxchg only 0 xadd

subject sk_forward_alloc # without a reserve: charge, uncharge; with one: both
need sk_forward_alloc any 1 xadd 3 add

subject charge_path # sockets as above, and the statistics
need charge_path any 1 xadd 4 add 1 cmpxchg

for name; do
	[[ $covered == *" $name "* ]]
	ok $? "$name is looked at"
done
echo "1..$nr"
