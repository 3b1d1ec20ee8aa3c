# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# changes.sh - what must hold in a guest whose machine changes, before a run or under it; sourced by
# init.sh after checks.sh

# shellcheck disable=SC2034,SC2086,SC2154
cgroup=/sys/fs/cgroup

# the last windows of b.json lack the mark, so the run has recovered
recovered() { grep '^{"block"' b.json | tail -n 2 | grep -qv "\"$1\""; }

# under_a_run NAME MARK CHANGE BACK EXPERIMENT ARGS...: a run whose machine changes and changes back
under_a_run() {
	local name=$1 mark=$2 change=$3 back=$4 before marked after=1
	shift 4
	start "$@" --window 5ms
	before=$(nr_windows b.json "$mark")
	eval "$change"
	wait_for "[ \"\$(nr_windows b.json $mark)\" -ge 2 ]"
	marked=$?
	eval "$back"
	wait_for "recovered $mark"
	after=$?
	stop
	echo "$before windows marked $mark before, $(nr_windows b.json "$mark") of $(nr_windows b.json) at the end" >why
	[ "$before" = 0 ] && [ $marked = 0 ] && stopped
	ok $? "$name: windows before it are kept, those under it are marked $mark"
	[ $after = 0 ]
	ok $? "$name: when it is over, windows are not marked $mark any more"
	grep -q '"complete":false' b.json && run report b.json && finished
	ok $? "$name: the record can be reported on"
}

check_crowd() {
	local i=0 pids=''
	while [ $i -lt $nr_cpus ]; do
		while :; do :; done &
		pids="$pids $!"
		i=$((i + 1))
	done
	rm -f c.json
	run run --set batch=32 --workers all --window 5ms --blocks 2 -o c.json
	# shellcheck disable=SC2086
	kill $pids
	# shellcheck disable=SC2086
	wait $pids 2>/dev/null
	finished && is_complete c.json && [ "$(nr_windows c.json switched)" -gt 0 ]
	ok $? "crowd: a worker and another program on every CPU: ends, windows are marked switched"
}

check_offline() {
	local cpu
	for cpu in 0 3; do
		if [ ! -e $cpu_dir/cpu$cpu/online ]; then
			echo "# CPU $cpu cannot be taken offline by this kernel"
			continue
		fi
		echo 0 >$cpu_dir/cpu$cpu/online
		run topo --json
		cp out t.json
		[ "$(scalar cpus_offline)" = $cpu ] && [ "$(scalar pus)" = $((nr_cpus - 1)) ] &&
			! flat | grep -q "^cpus os=$cpu "
		ok $? "offline: topo without CPU $cpu"
		refused 2 "CPU $cpu is offline" run --placement 0-$((nr_cpus - 1))
		rm -f o.json
		run run --set batch=32 --workers all --window 1ms --blocks 1 -o o.json
		finished && is_complete o.json && ! expand "$(cpus_of o.json)" | grep -qx $cpu &&
			[ "$(expand "$(cpus_of o.json)" | wc -l)" = $((nr_cpus - 1)) ]
		ok $? "offline: a run on all but CPU $cpu"
		echo 1 >$cpu_dir/cpu$cpu/online
	done
}

check_hotplug() {
	under_a_run 'CPU 2 offline under a run' migrated "echo 0 >$cpu_dir/cpu2/online" \
		"echo 1 >$cpu_dir/cpu2/online" page_counter --set batch=32 --placement 0-3 --workers 4
	under_a_run 'CPU 6 offline under a pair of CPUs' migrated "echo 0 >$cpu_dir/cpu6/online" \
		"echo 1 >$cpu_dir/cpu6/online" core_to_core --placement 1,6 --pairs all
}

# each as one window of each of its cases
check_subjects() {
	local subject
	chargeline list experiments | awk -F: '/^[a-z]/ { print $1 }' >subjects
	while read -r subject; do
		rm -f s.json
		run run "$subject" --placement 0,4,1,7 --window 2ms --blocks 1 -o s.json
		finished && is_complete s.json
		ok $? "subject $subject: up to 4 workers"
	done <subjects
	[ "$(wc -l <subjects)" -gt 5 ]
	ok $? "subjects: there are some"
}

# enters a cgroup of its own, for what is started by the check
in_group() { # FILE VALUE
	mkdir -p $cgroup/g
	echo "$2" >$cgroup/g/"$1" && echo $$ >$cgroup/g/cgroup.procs
}

leave_group() {
	echo $$ >$cgroup/cgroup.procs
	rmdir $cgroup/g
}

check_cpuset() {
	in_group cpuset.cpus 2-5
	run topo --json
	cp out t.json
	[ "$(scalar cpus_disallowed)" = "0" ] || [ "$(sed -n 's/^ "cpus_disallowed": "\(.*\)",/\1/p' t.json)" = 0-1,6-7 ]
	ok $? "cpuset: topo has what it allows"
	refused 2 "CPU 1 is not allowed for this process" run --placement 1,2
	rm -f o.json
	run run --set batch=32 --workers all --window 1ms --blocks 1 -o o.json
	finished && [ "$(expand "$(cpus_of o.json)" | sort -n | tr '\n' ,)" = 2,3,4,5, ]
	ok $? "cpuset: a run on what it allows"
	under_a_run 'a cpuset that shrinks under a run' migrated "echo 2-3 >$cgroup/g/cpuset.cpus" \
		"echo 2-5 >$cgroup/g/cpuset.cpus" \
		page_counter --set batch=32 --workers 4
	echo 0-1 >$cgroup/g/cpuset.mems
	under_a_run 'memory nodes that go under a run' node "echo 0 >$cgroup/g/cpuset.mems" \
		"echo 0-1 >$cgroup/g/cpuset.mems" \
		page_counter --set batch=32 --workers 2 --home node-1
	leave_group
}

check_quota() {
	in_group cpu.max '20000 100000'
	rm -f q.json
	run run --set batch=32 --workers 4 --window 20ms --blocks 4 -o q.json
	leave_group
	finished && is_complete q.json && grep -q 'cpu_quota' err && [ "$(nr_windows q.json throttled)" -gt 0 ]
	ok $? "quota: said before the run, windows are marked throttled"
}

check_smt_off() {
	echo off >$cpu_dir/smt/control
	run topo --json
	cp out t.json
	[ "$(scalar smt_off)" = true ] && [ "$(scalar pus)" = $((sockets * cores)) ] &&
		scalar class | grep -q -- '-smtoff'
	ok $? "smt off: topo says so"
	refused 1 "the second threads are offline" run --placement smt-siblings
	echo on >$cpu_dir/smt/control
}

# --------------------------------------------------------------------------- odd nodes

# node 1 has CPUs 2 and 3, and no memory
check_no_memory() {
	run topo
	[ "$status" = 0 ] && grep -q 'CPUs* 2-3\|2-3' out
	ok $? "no memory: topo shows the CPUs of the node without"
	rm -f m.json
	run run --set batch=32 --placement 2,3 --workers 2 --window 2ms --blocks 2 -o m.json
	finished && is_complete m.json && grep -q '"home_node":0,' m.json && grep -q '"memory_verified":true' m.json &&
		grep -q '^note .*no.* memory: node 0 is the nearest' out
	ok $? "no memory: its CPUs are measured, memory is that of the nearest node, and named"
	refused 1 "node 1 has no memory" run --home node-1
}

# node 2 has memory and no CPUs
check_no_cpus() {
	[ "$(scalar cpuless_nodes)" = 1 ]
	ok $? "no CPUs: topo counts the node"
	rm -f n.json
	run run --set batch=32 --home farthest --workers 2 --window 2ms --blocks 2 -o n.json
	finished && is_complete n.json && grep -q '"home_node":1,' n.json
	ok $? "no CPUs: the farthest node is one with CPUs"
}
