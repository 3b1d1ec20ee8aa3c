#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# faults.sh TOOL SHIM: what the system may refuse or take away during a run. Each fault ends in one
# sentence and the right exit status, or in a measurement that is marked; never in a hang, a crash,
# a wrong number or a lost record. TAP. FAULTS_SIGNALS=200 is the long form.
# the single quotes are for another shell, or for python
# shellcheck disable=SC2016
set -u
# shellcheck source=tests/steps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/steps.sh"
tool=$(readlink -f "$1")
kills=$(readlink -f "$(dirname "$0")/kills.py")
dir=$(mktemp -d)
shim=$dir/shim.so # LD_PRELOAD takes a space for the end of a name
cp -- "$2" "$shim" || exit 1
trap 'umount "$dir/full" "$dir/ro" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1

told() {
	sed 's/^/out: /' out 2>/dev/null | tail -n 5
	sed 's/^/err: /' err 2>/dev/null | head -n 5
}

plan="--set batch=32,64 --workers 1,2 --window 2ms --blocks 3 --target 0"
middle=30 # the allocation of shared lines when half of that is measured
[ "$(nproc)" -gt 1 ] || {
	plan="--set batch=32,64 --workers 1 --window 2ms --blocks 3 --target 0"
	middle=20
}

# measure COMMAND...: a small run below a command; what is wrong with this machine is not the point
measure() {
	rm -f x.json
	# shellcheck disable=SC2086
	timeout -k 5 60 "$@" "$tool" run $plan -o x.json </dev/null >out 2>err.all
	status=$?
	grep -v 'chargeline: fault: ' err.all >err
}

with() { measure env LD_PRELOAD="$shim" "$@"; }

# says STATUS PART: that exit status, and one sentence on stderr with PART
says() { [ $status = "$1" ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$2" err; }
measured() { [ $status = 0 ] || [ $status = 3 ]; }

# record CODE: python that looks at r, the record, and f, its findings by name
record() {
	python3 -c 'import json, sys
def bad(c): raise ValueError(c)
r = json.load(open("x.json"), parse_constant=bad)
f = {x["name"]: x for x in r["findings"]}
samples = [s for c in r["cases"] for s in c["samples"]]
exec(sys.argv[1])' "$1" 2>>err
}
no_temp() { [ -z "$(find . -maxdepth 1 -name '*.tmp')" ]; }
nothing_left() { [ -z "$(find . -name '*x.json*')" ]; }
whole='assert r["complete"] and samples and all(s["rate"] > 0 or s["marks"] for s in samples)'

# ------------------------------------------------------------------------- signals
mkdir kills
(cd kills && timeout 3000 python3 "$kills" "$tool" "${FAULTS_SIGNALS:-20}") >out 2>err
status=$?
sed 's/^/# /' out
ok $status "SIGINT, SIGTERM and SIGKILL at random moments: nothing is lost, nothing measured twice"

# ------------------------------------------------------------------ memory and affinity
policy=mbind,set_mempolicy,get_mempolicy,move_pages
with FAULT_SYSCALLS=$policy
if [ $status = 77 ]; then
	for name in policy move_pages mbind get_mempolicy setaffinity getaffinity; do
		skip "a container that refuses: $name" "no seccomp filter here"
	done
else
	measured && record "$whole
assert r['context']['memory_verified'] is False and f['mempolicy']['state'] != 'ok'
assert 'Operation not permitted' in r['context']['memory_note'] or 'libnuma' in r['context']['memory_note']"
	ok $? "no memory policy calls: measured, and marked as not verified"
	with FAULT_SYSCALLS=move_pages
	measured && record "$whole
assert r['context']['memory_verified'] is False"
	ok $? "no move_pages: where memory lies is not verified"
	with FAULT_SYSCALLS=mbind
	measured && record "$whole
assert f['mempolicy']['state'] == 'warning' and 'mbind' in f['mempolicy']['value']"
	ok $? "no mbind: first touch, and a warning in the record"
	with FAULT_SYSCALLS=get_mempolicy
	measured && record "$whole
assert f['mempolicy']['state'] == 'warning' and 'get_mempolicy' in f['mempolicy']['value']"
	ok $? "no get_mempolicy: a warning in the record"
	with FAULT_SYSCALLS=sched_setaffinity
	says 1 "cannot bind a thread to CPU" && nothing_left
	ok $? "no affinity: one sentence, 1"
	with FAULT_SYSCALLS=sched_getaffinity
	says 1 "cannot read the CPU affinity: Operation not permitted" && nothing_left
	ok $? "the affinity cannot be read: one sentence, 1"
fi
with FAULT_CALLS=sched_getcpu=38
says 1 "cannot bind a thread to CPU" && nothing_left
ok $? "nobody knows on which CPU it runs: one sentence, 1"

# ------------------------------------------------------------------- threads and memory
for n in 1 2; do
	[ "$n" -le "$(nproc)" ] || continue
	with FAULT_CALLS=pthread_create=11@$n
	says 1 "cannot make a thread for each of" && nothing_left
	ok $? "thread $n cannot be made: one sentence, 1"
done
with FAULT_CALLS=mmap=12
says 1 "out of memory" && nothing_left
ok $? "no memory for the shared lines: one sentence, 1"
with FAULT_CALLS=mmap=12@$middle
says 1 "out of memory" && record 'assert samples and not r["complete"]'
ok $? "no memory in the middle: one sentence, 1, and what was measured is kept"
# from what the loader and the libraries need to start at all up to what a run needs
crashed=
refusals=0
for kb in $(seq 7000 500 14000); do
	(ulimit -v "$kb" && "$tool" --version) >/dev/null 2>&1 || continue
	measure bash -c 'ulimit -v $0 && exec "$@"' "$kb"
	measured && continue
	refusals=$((refusals + 1))
	{ [ $status = 1 ] && [ -s err ]; } || crashed="$crashed $kb KiB: $status;"
done
echo "# $refusals refusals"
echo "$crashed" >err
[ -z "$crashed" ] && [ "$refusals" -gt 0 ]
ok $? "ulimit -v at every step between nothing and enough: a sentence, 1"

# ------------------------------------------------------------------- files and disks
with FAULT_CALLS=write=28
says 1 "cannot write 'x.json': No space left on device" && nothing_left
ok $? "a full disk from the start: one sentence, 1, nothing left"
with FAULT_CALLS=write=28@2
says 1 "No space left on device" && record 'assert not r["complete"]'
ok $? "a full disk later: one sentence, 1, the record before it is whole"
with FAULT_CALLS=fsync=5@3
says 1 "Input/output error" && record 'assert not r["complete"]'
ok $? "an error of the disk at sync: one sentence, 1, the record before it is whole"
with FAULT_CALLS=rename=30@2
says 1 "Read-only file system" && record 'assert not r["complete"]' && no_temp
ok $? "a file system gone read-only: one sentence, 1, no temporary file"
if python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' 2>err; then
	with FAULT_CALLS=fsync=-9@3
	[ $status = 137 ] && record 'assert not r["complete"]' && no_temp
	ok $? "SIGKILL in the middle of a save: the record before it is whole, no temporary file"
	with FAULT_CALLS=linkat=1
	measured && record "$whole" && no_temp
	ok $? "a file without a name may not get one: measured whole"
else
	skip "a file without a name may not get one" "no files without a name here"
	skip "SIGKILL in the middle of a save" "no files without a name here: $(tail -n 1 err)"
fi
measure bash -c 'ulimit -f 4 && exec "$@"' limit
says 1 "File too large" && { nothing_left || record 'assert not r["complete"]'; }
ok $? "ulimit -f: one sentence, 1, no half a record"
timeout -k 5 60 bash -c 'ulimit -f 0; exec "$0" list params >big 2>small' "$tool"
[ $? = 1 ] && [ ! -s big ]
ok $? "ulimit -f 0 on stdout: an exit status, not SIGXFSZ"
for n in 4 5; do
	measure bash -c 'ulimit -n $0 && exec "$@"' $n
	if measured; then record "$whole"; else says 1 "Too many open files" && nothing_left; fi
	ok $? "$n file descriptors: measured whole, or one sentence"
done
mkdir full ro
if mount -t tmpfs -o size=64k none full 2>/dev/null; then
	(cd full && head -c 60K /dev/zero >fill)
	rm -f full/x.json
	# shellcheck disable=SC2086
	timeout -k 5 60 "$tool" run $plan -o full/x.json </dev/null >out 2>err.all
	status=$?
	grep -v 'chargeline: fault: ' err.all >err
	says 1 "No space left on device" && [ -z "$(find full -name '*x.json*' -size -1k)" ]
	ok $? "a full tmpfs: one sentence, 1"
	umount full
else
	skip "a full tmpfs: one sentence, 1" "cannot mount here"
fi
if mount -t tmpfs -o ro none ro 2>/dev/null; then
	# shellcheck disable=SC2086
	timeout -k 5 60 "$tool" run $plan -o ro/x.json </dev/null >out 2>err.all
	status=$?
	grep -v 'chargeline: fault: ' err.all >err
	says 1 "Read-only file system"
	ok $? "a read-only folder: one sentence, 1"
	umount ro
else
	skip "a read-only folder: one sentence, 1" "cannot mount here"
fi

# --------------------------------------------------------------------------- the clock
with FAULT_CLOCK=1
measured && record "$whole
took = [s['window_ns'] for s in samples if not s['marks']]
assert 0 < r['elapsed_ns'] < 60e9 and all(1.9e6 < t < 6e7 for t in took)"
ok $? "the wall clock steps back at every look: no window knows of it"

# --------------------------------------------------------------------------- containers
if unshare -m true 2>/dev/null; then
	hidden() { # hidden NAME MOUNTS CODE
		measure unshare -m bash -c "$2"' || exit 99; exec "$@"' hidden
		measured && record "$whole
$3"
		ok $? "$1: measured, and the record says what is unknown"
	}
	hidden "/proc hidden" "mount -t tmpfs none /proc" \
		"assert f['steal']['state'] == f['cpu_quota']['state'] == 'unknown'"
	hidden "/sys hidden" "mount -t tmpfs none /sys" \
		"assert f['hidden_nodes']['state'] == f['thp']['state'] == 'unknown'"
	hidden "/proc and /sys hidden" "mount -t tmpfs none /proc; mount -t tmpfs none /sys" \
		"assert f['hidden_nodes']['state'] == f['steal']['state'] == 'unknown'"
	hidden "/sys and /proc read-only" \
		"mount -o remount,ro,bind /sys && mount -o remount,ro,bind /proc" \
		"assert f['cpuset']['state'] != 'unknown'"
else
	for name in "/proc hidden" "/sys hidden" "/proc and /sys hidden" "/sys and /proc read-only"; do
		skip "$name" "no mount namespace of its own here"
	done
fi

quota() { # a group with 5 ms of CPU time in 50 ms: its folder
	local v1=/sys/fs/cgroup/cpu/chargeline-faults-$$ v2=/sys/fs/cgroup/chargeline-faults-$$
	if mkdir $v1 2>/dev/null; then
		echo 50000 >$v1/cpu.cfs_period_us && echo 5000 >$v1/cpu.cfs_quota_us && echo $v1
	elif mkdir $v2 2>/dev/null; then
		if echo "5000 50000" >$v2/cpu.max; then echo $v2; else rmdir $v2; fi
	fi
}
group=$(quota 2>/dev/null)
if [ -n "$group" ]; then
	measure bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group"
	grep -q "chargeline: fault: cpu_quota" err.all && measured && record "$whole
assert f['cpu_quota']['state'] == 'fault' and any('throttled' in s['marks'] for s in samples)"
	ok $? "a CPU quota: said before the run, and its windows are marked throttled"
	rmdir "$group"
else
	skip "a CPU quota: said before the run" "no cgroup can be made here"
fi

# ------------------------------------------------------------------- files of strangers
strange() { # strange NAME PYTHON: writes s.json by o, an open file; each command in its bound
	python3 -c "o = open('s.json', 'w'); r = open('x.json').read()
$2" 2>err && python3 - "$tool" >out 2>>err <<'END'
import os, resource, subprocess, sys
bound = 32 * os.path.getsize("s.json") + (128 << 20)
for args in (["report"], ["pick", "--json"], ["compare", "s.json"], ["compare", "--json", "s.json"]):
    p = subprocess.run([sys.argv[1]] + args + ["s.json"], capture_output=True, timeout=100)
    assert p.returncode in (0, 1, 3), (args, p.returncode)
    for text in (p.stdout, p.stderr):
        assert not any(c < 32 and c != 10 or c == 127 for c in text), (args, text)
        assert b"\xc2\x9b" not in text, args
    assert p.returncode != 1 or p.stderr.count(b"\n") <= 2, p.stderr
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
assert peak < bound, "%d bytes, bound %d" % (peak, bound)
END
	ok $? "a stranger's file, $1"
}
measure env
strange "lists of nothing" 'o.write("[" + "[]," * 8000000 + "[]]")'
strange "numbers" 'o.write("[" + "1," * 4000000 + "1]")'
strange "a deep nest" 'o.write("[" * 4000000)'
strange "one long text" 'o.write("{\"schema\":\"" + "x" * 8000000 + "\"}")'
strange "one name twice" 'o.write(r.replace("\"complete\":", "\"complete\":true,\"complete\":", 1))'
strange "huge numbers" 'import re; o.write(re.sub(r"\"ops\":\d+", "\"ops\":9223372036854775807", r))'
strange "a table without end" '
import json
j = json.loads(r); c = j["cases"][0]; j["cases"] = []
for i in range(3000):
    d = dict(c); d["params"] = dict(c["params"], batch=i + 1, work_ns=3 * i, layout=i); j["cases"].append(d)
json.dump(j, o)'
strange "escape sequences in every text" '
import json
def evil(v):
    if isinstance(v, dict): return {k: evil(x) for k, x in v.items()}
    if isinstance(v, list): return [evil(x) for x in v]
    return v + "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\r" if isinstance(v, str) else v
j = json.loads(r)
for part in ("machine", "build", "warnings", "findings", "command"): j[part] = evil(j[part])
for c in j["cases"]: c["placement"] = evil(c["placement"]); c["home"] = evil(c["home"])
for f, g in zip(j["findings"], json.loads(r)["findings"]): f["state"] = g["state"]
json.dump(j, o)'
strange "names of files and commands" '
import json
j = json.loads(r); j["command"] = "chargeline run -o /etc/passwd; touch owned; $(touch owned)"
j["machine"]["class"] = "../../owned"; j["machine"]["hostname"] = "`touch owned`|touch owned"
for c in j["cases"]: c["experiment"] = "/etc/shadow"; c["placement"] = "@owned"
json.dump(j, o)'
[ ! -e owned ] && [ ! -e ../owned ]
ok $? "nothing of it was run or opened"

echo "1..$nr"
