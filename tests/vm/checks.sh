# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# checks.sh - what must hold in a guest; sourced by init.sh after the expectation that vm.sh wrote
#
# Everything is compared with what qemu was asked for or with the kernel's own files, never with
# what chargeline says elsewhere. A machine that still stands: changes.sh has the one that moves.

# shellcheck disable=SC2034,SC2086,SC2154
nr=0
patience=240 # seconds for a command, of a host that may be busy
cpu_dir=/sys/devices/system/cpu
nr_cpus=$((sockets * cores * threads))

ok() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $2"
	else
		echo "not ok $2"
		echo "# status ${status:-}"
		sed 's/^/# out: /' out 2>/dev/null | tail -n 12
		sed 's/^/# err: /' err 2>/dev/null | tail -n 5
		sed 's/^/# why: /' why 2>/dev/null | tail -n 12
	fi
	: >why
}

run() { # ARGS...: status in $status, output in out and err
	status=0
	timeout $patience chargeline "$@" >out 2>err </dev/null || status=$?
}

# measured, or measured and not to be trusted: here nearly always the second
finished() { [ "$status" = 0 ] || [ "$status" = 3 ]; }

refused() { # STATUS PART ARGS...
	local want=$1 part=$2
	shift 2
	rm -f x.json
	run "$@" -o x.json
	[ "$status" = "$want" ] && grep -qF -- "$part" err && [ "$(wc -l <err)" = 1 ] && [ ! -e x.json ]
	ok $? "refused: $*"
}

# ------------------------------------------------------------------------------- reading

# each object of an array of "topo --json" as a line: "cpus os=0 core=0 ..."
flat() {
	awk '/^ "[a-z0-9_]*": \[/ { part = $1; gsub(/[":]/, "", part) }
	/^  \{/ { line = part }
	/^   "/ { key = $1; gsub(/[":]/, "", key)
		value = $0; sub(/^[^:]*: /, "", value); sub(/,$/, "", value); gsub(/"/, "", value)
		line = line " " key "=" value }
	/^  \}/ { print line }' t.json
}

scalar() { # NAME: of "topo --json"
	sed -n "s/^ \"$1\": \"*\([^\",]*\)\"*,*$/\1/p" t.json
}

expand() { # CPU-LIST: its numbers, one a line, in order
	echo "$1" | tr , '\n' | awk -F- 'NF == 2 { for (i = $1; i <= $2; i++) print i } NF == 1'
}

cpus_of() { # RECORD: the CPUs of its first case
	sed -n 's/.*"cpus":"\([^"]*\)".*/\1/p' "$1" | head -n 1
}

nr_windows() { # RECORD [MARK]: how many windows, or those with the mark
	grep '^{"block"' "$1" 2>/dev/null | grep -c "\"marks\":\[.*${2+\"$2\"}.*\]"
}

is_complete() { grep -q '^"complete":true' "$1" && [ "$(tail -c 3 "$1")" = ']}' ]; }

# the kernel's own view, a line per online CPU: cpu package core thread-of-core L3
kernel_view() {
	local path cpu list first other package l3 thread
	for path in "$cpu_dir"/cpu[0-9]*; do
		cpu=${path#"$cpu_dir"/cpu}
		[ -e "$path/topology/core_cpus_list" ] || continue
		# not for read, which takes it byte by byte
		list=$(cat "$path/topology/core_cpus_list")
		read -r package <"$path/topology/physical_package_id"
		read -r l3 <"$path/cache/index3/shared_cpu_list" || l3=none
		thread=0 first=
		for other in $(expand "$list"); do
			first=${first:-$other}
			[ "$other" -ge "$cpu" ] || thread=$((thread + 1))
		done
		echo "$cpu $package $first $thread $l3"
	done
}

# ---------------------------------------------------------------------------------- topo

# what qemu was asked for, in the words of flat()
asked_cpus() {
	local cpu=0 node list
	while [ $cpu -lt $nr_cpus ]; do
		node=0
		while [ $node -lt "$nr_nodes" ]; do
			eval "list=\$cpus_$node mib=\$mib_$node"
			if expand "$list" | grep -qx $cpu; then
				[ "$mib" != 0 ] || node=null
				break
			fi
			node=$((node + 1))
		done
		echo "$cpu $((cpu % threads)) $((cpu / threads / cores)) $node"
		cpu=$((cpu + 1))
	done
}

check_topo() {
	run topo --json
	cp out t.json
	[ "$status" = 0 ] && [ "$(scalar packages)" = "$sockets" ] && [ "$(scalar sockets)" = "$sockets" ] &&
		[ "$(scalar cores)" = $((sockets * cores)) ] && [ "$(scalar pus)" = $nr_cpus ] &&
		[ "$(scalar smt_min)" = "$threads" ] && [ "$(scalar smt_max)" = "$threads" ]
	ok $? "topo: $sockets sockets of $cores cores of $threads threads"
	[ "$(scalar hypervisor)" = qemu-tcg ] && scalar class | grep -q -- "-${sockets}s${cores}c${threads}t-.*-vm-tcg"
	ok $? "topo: the class says that it is emulated"
	[ "$(scalar restricted)" = false ] && [ "$(scalar nodes_disallowed)" = 0 ]
	ok $? "topo: nothing is forbidden"
	asked_cpus >want
	flat | sed -n 's/^cpus os=\([0-9]*\) .*smt=\([0-9]*\) package=\([0-9]*\) .* node=\([^ ]*\) .*/\1 \2 \3 \4/p' |
		sort -n >got
	cmp want got >why 2>&1
	ok $? "topo: thread, package and node of each CPU"
	check_nodes
	run topo
	[ "$status" = 0 ] && [ "$(awk 'length > 100' out | wc -l)" = 0 ] && grep -q 'qemu-tcg' out
	ok $? "topo: the text"
}

check_nodes() {
	local node=0 list mib row want='' lacking=0
	while [ $node -lt "$nr_nodes" ]; do
		eval "list=\$cpus_$node mib=\$mib_$node row=\$distance_$node"
		if [ "$mib" != 0 ]; then
			[ "$list" != - ] || list=
			flat | awk -v node=$node -v cpus="cpus=$list" -v mib="$mib" '
			$1 == "nodes" && $2 == "os=" node { found = 1; split($3, m, "=")
				m[2] /= 1048576; good = $4 == cpus && m[2] > mib * 0.6 && m[2] <= mib
				print }
			END { exit !(found && good) }' >why
			ok $? "topo: CPUs and memory of node $node"
		else
			lacking=1
		fi
		want="$want$row
"
		node=$((node + 1))
	done
	# hwloc leaves out nodes without memory, and with them the distances that qemu stated
	[ $lacking = 0 ] || return
	awk '/^ "distances"/ { on = 1 } on && /^  \[/ { row = "" }
		on && /^   [0-9]/ { row = row (row == "" ? "" : " ") $1 + 0 }
		on && /^  \]/ { print row }' t.json >got
	printf '%s' "$want" >want
	cmp want got >why 2>&1
	ok $? "topo: distances"
}

# ---------------------------------------------------------------------------- placements

# holds PLACEMENT LIST: whether the list is what the placement promises, by the kernel's view
holds() {
	kernel_view >view
	expand "$2" >list
	awk -v want="$1" '
	function bad(what) { print want ": " what " at worker " i; failed = 1; exit 1 }
	NR == FNR { package[$1] = $2; core[$1] = $3; thread[$1] = $4; l3[$1] = $5; next }
	{ w[n++] = $1 }
	END {
		if (failed) exit 1
		for (i = 0; i < n; i++) {
			c = w[i]; p = package[c]; before = i ? w[i - 1] : -1
			if (!(c in package)) bad("no such CPU " c)
			if (c in seen) bad("CPU " c " twice")
			seen[c] = 1
			if (want ~ /^(cores-first|scatter|one-socket|one-l3|one-per-core|one-per-l3)$/ &&
			    i && thread[c] < thread[before]) bad("a first thread after a second")
			if (want == "cores-first") {
				if (i && p != package[before] && (thread[c] " " p) in left)
					bad("back to a package")
				left[thread[c] " " p] = 1
			}
			if (want == "compact") {
				if (i && core[c] != core[before] && core[c] in cores) bad("back to a core")
				if (i && p != package[before] && p in packages) bad("back to a package")
			}
			if (want == "scatter" && thread[c] == 0) {
				given[p]++
				for (q in package) all[package[q]] = 1
				for (q in all) if (given[q] < given[p] - 1) bad("package " q " left behind")
			}
			if (want == "one-socket" && p != package[w[0]]) bad("another package")
			if (want == "one-l3" && l3[c] != l3[w[0]]) bad("another L3")
			if (want == "cross-socket" && i % 2 == 1 && p == package[before]) bad("no turn")
			if (want == "cross-socket" && i % 2 == 0 && p != package[w[0]]) bad("no turn")
			if (want == "smt-siblings" && i % 2 == 1 && core[c] != core[before]) bad("no siblings")
			if (want == "one-per-core" && core[c] in cores) bad("a core twice")
			if (want == "one-per-l3" && l3[c] in caches) bad("an L3 twice")
			cores[core[c]] = packages[p] = caches[l3[c]] = 1
		}
		if (!n) bad("empty")
	}' view list >why
}

# how many CPUs it has here
promised() {
	case $1 in
	cores-first | compact | scatter) echo $nr_cpus ;;
	one-socket) echo $((cores * threads)) ;;
	cross-socket) echo $((sockets > 1 ? 2 * cores * threads : 0)) ;;
	one-l3) cut -d' ' -f5 view | sort | uniq -c | sort -n | tail -n 1 | awk '{ print $1 }' ;;
	smt-siblings) echo $((threads > 1 ? nr_cpus : 0)) ;;
	one-per-core) echo $((sockets * cores)) ;;
	one-per-l3) cut -d' ' -f5 view | sort -u | wc -l ;;
	esac
}

check_placements() {
	local p has workers
	kernel_view >view
	for p in cores-first compact scatter one-socket cross-socket one-l3 smt-siblings one-per-core \
		one-per-l3; do
		has=$(promised $p)
		if [ "$has" = 0 ]; then
			refused 1 "placement '$p' does not exist here: " run contended_line --placement $p
			continue
		fi
		refused 1 "999 workers: the placement has $has usable CPU" \
			run contended_line --placement $p --workers 999
		# a window of all takes long where there are many
		workers=$((has > 12 ? 10 : has))
		rm -f p.json
		run run contended_line --placement $p --workers $workers --window 1ms --blocks 1 -o p.json
		finished && is_complete p.json && [ "$(expand "$(cpus_of p.json)" | wc -l)" = $workers ] &&
			holds $p "$(cpus_of p.json)"
		ok $? "placement $p: $workers of $has CPUs"
	done
	p="$((nr_cpus - 1)),0,$((nr_cpus / 2))"
	rm -f p.json
	run run contended_line --placement $p --workers 3 --window 1ms --blocks 1 -o p.json
	finished && [ "$(expand "$(cpus_of p.json)" | tr '\n' ,)" = "$p," ]
	ok $? "placement by CPU list: in the order given"
}

# a run that lasts until it is told to end: start ARGS..., its process in $pid, its record b.json
start() {
	rm -f b.json
	timeout $patience chargeline run "$@" --blocks 100000 --target 0 --budget 1h -o b.json >out 2>err </dev/null &
	pid=$!
	wait_for "[ \"\$(nr_windows b.json)\" -ge 2 ]"
}

# stop: the way a user does; what was measured is there
stop() {
	status=0
	kill -INT "$(pidof chargeline)" 2>/dev/null
	wait "$pid" || status=$?
}

stopped() { [ "$status" = 130 ] && [ "$(tail -c 3 b.json)" = ']}' ]; }

wait_for() { # COMMAND: until it succeeds; fails when it does not
	local i=0
	until eval "$1"; do
		i=$((i + 1))
		[ $i -lt $patience ] || return 1
		sleep 1
	done
}

check_pinned() {
	local path name number good=0
	start contended_line --workers 6 --placement scatter --window 5ms
	for path in /proc/"$(pidof chargeline)"/task/*; do
		read -r name <"$path/comm"
		case $name in
		worker-*) ;;
		*) continue ;;
		esac
		number=${name#worker-}
		[ "$(awk '/^Cpus_allowed_list/ { print $2 }' "$path/status")" = "$number" ] &&
			[ "$(sed 's/.*) //' "$path/stat" | cut -d' ' -f37)" = "$number" ] && good=$((good + 1))
	done
	stop
	echo "$good of 6 threads are bound to the CPU of their name, and on it" >why
	[ $good = 6 ] && stopped
	ok $? "pinned: each worker may run on its CPU only, and does"
}

# -------------------------------------------------------------------------------- memory

# all pages bound to node $1 are there, and there are some, in the kernel's account of the process
pages_are_on() {
	local i=0
	while [ $i -lt 50 ]; do
		i=$((i + 1))
		grep " bind[^ ]*:$1 " /proc/"$(pidof chargeline)"/numa_maps >maps 2>/dev/null || continue
		grep -q " N$1=" maps || continue
		! sed "s/ N$1=[0-9]*//" maps | grep ' N[0-9]*=' >why
		return
	done
	echo "no page that is bound to node $1 was seen" >why
	return 1
}

check_memory() {
	local node=0 mib seen
	while [ $node -lt "$nr_nodes" ]; do
		eval "mib=\$mib_$node"
		if [ "$mib" = 0 ]; then
			refused 1 "node $node has no memory" run --home node-$node
		else
			start page_counter --home node-$node --set batch=32 --workers 2 --window 5ms
			pages_are_on $node
			seen=$?
			stop
			[ $seen = 0 ] && stopped && grep -q "\"home_node\":$node," b.json &&
				grep -q '"memory_verified":true' b.json && [ "$(nr_windows b.json node)" = 0 ]
			ok $? "memory: on node $node, by the kernel's account and the record"
		fi
		node=$((node + 1))
	done
	refused 2 "node 99 does not exist" run --home node-99
}

# -------------------------------------------------------------------------------- report

check_report() {
	local most
	rm -f r.json r.html
	run report --budget 10s -o r.json
	finished && is_complete r.json && [ -s r.html ]
	ok $? "report: complete"
	most=$(sed -n 's/.*"workers":\([0-9]*\),.*/\1/p' r.json | sort -n | tail -n 1)
	[ "$most" = $nr_cpus ] && [ "$(nr_windows r.json)" -gt 0 ]
	ok $? "report: with all $nr_cpus workers"
	grep -q '^"warnings":.*emulated machine (qemu-tcg)' r.json &&
		grep -q '"class":"[^"]*-vm-tcg' r.json && grep -q 'emulated machine (qemu-tcg)' out &&
		grep -q 'emulated machine (qemu-tcg)' r.html && grep -q 'emulated' err
	ok $? "report: record, text, page and terminal say that it is emulated"
	sed -n 's/.*"workers":\([0-9]*\),.*"cpus":"\([^"]*\)".*/\1 \2/p' r.json >cases
	while read -r workers list; do
		[ "$(expand "$list" | sort -un | wc -l)" = "$workers" ] || echo "$workers workers on $list"
	done <cases >why
	[ -s cases ] && [ ! -s why ]
	ok $? "report: a CPU for each worker"
	! grep -qiE '(^|[^a-z])-?(nan|inf)([^a-z]|$)' out r.json
	ok $? "report: no nan, no inf"
}

check_refusals() {
	refused 1 "every worker needs its own" run --workers $((nr_cpus + 1))
	refused 2 "names CPU 0 twice" run --placement 0,0
	refused 2 "CPU $nr_cpus does not exist" run --placement 0-$nr_cpus
	rm -f x.json
	status=0
	taskset 1 chargeline run --workers 2 -o x.json >out 2>err </dev/null || status=$?
	[ $status = 1 ] && grep -q "every worker needs its own" err && [ ! -e x.json ]
	ok $? "refused: two workers where the affinity is one CPU"
}
