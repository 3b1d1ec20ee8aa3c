#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# vm.sh - chargeline on machines that are not here: whole guests, emulated by qemu
#
# usage: vm.sh CHARGELINE FOLDER [GUEST...]
#
# Boots each GUEST (a function of guests.sh without "guest_"; default: all but "long") with the
# program, its libraries and the checks of checks.sh as its only user space. The guest writes TAP
# to its second serial port, the kernel its messages to the first; both stay in FOLDER, for reading.
# What is checked is behaviour: an emulated machine's times mean nothing.
#
# The kernel is $CHARGELINE_VM_KERNEL, or Debian's for clouds, which is downloaded and unpacked in
# FOLDER and not installed, or the one that runs here.

set -euo pipefail

here=$(dirname -- "$(readlink -f -- "$0")")
# shellcheck source=tests/vm/guests.sh
. "$here/guests.sh"

chargeline=$(readlink -f -- "$1")
mkdir -p -- "$2"
folder=$(readlink -f -- "$2")
shift 2
nr=0
root=$folder/root.$$
trap 'rm -rf -- "$root"' EXIT

point() { # STATUS NAME
	nr=$((nr + 1))
	if (($1)); then
		printf 'not ok %d - %s\n' "$nr" "$2"
	else
		printf 'ok %d - %s\n' "$nr" "$2"
	fi
}

# what a kernel says when something is wrong with it, or was made wrong by us
faults='Kernel panic|Oops|BUG:|WARNING:|general protection|soft lockup|blocked for more than|segfault'

skip_all() {
	printf 'ok 1 - all # SKIP %s\n1..1\n' "$1"
	exit
}

# ---------------------------------------------------------------- what it is made of

kernel_from_debian() {
	local package deb
	[[ $(uname -m) == x86_64 ]] && command -v apt-get dpkg >/dev/null || return 1
	package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p')
	[[ -n $package ]] || return 1
	(cd -- "$folder" && timeout 300 apt-get download "$package") >"$folder/kernel.log" 2>&1 ||
		return 1
	for deb in "$folder/$package"_*.deb; do
		dpkg -x "$deb" "$folder/kernel" && rm -f -- "$deb"
	done
}

find_kernel() {
	local file
	kernel=${CHARGELINE_VM_KERNEL-}
	[[ -z $kernel ]] || return 0
	# guests may be booted side by side: one of them fetches it
	exec 8>"$folder/kernel.lock"
	flock 8
	compgen -G "$folder/kernel/boot/vmlinuz-*" >/dev/null || kernel_from_debian || true
	exec 8>&-
	for file in "$folder"/kernel/boot/vmlinuz-* "/boot/vmlinuz-$(uname -r)"; do
		if [[ -r $file ]]; then
			kernel=$file
			return 0
		fi
	done
	return 1
}

# the guest's files, all but what tells one guest from another
make_root() {
	local file
	rm -rf -- "$root"
	mkdir -p -- "$root"/{bin,dev,proc,sys,tmp}
	cp -- "$(command -v busybox)" "$root/bin/busybox"
	cp -- "$chargeline" "$root/bin/chargeline"
	strip -- "$root/bin/chargeline" 2>/dev/null || true
	while read -r file; do
		mkdir -p -- "$root$(dirname -- "$file")"
		cp -L -- "$file" "$root$file"
	done < <({ ldd "$chargeline"; ldd "$(command -v busybox)"; } 2>/dev/null | grep -o '/[^ ]*')
	cp -- "$here/init.sh" "$root/init"
	cp -- "$here/checks.sh" "$here/changes.sh" "$root/"
	chmod 755 "$root/init"
}

pack() {
	(cd -- "$1" && find . | cpio -o -H newc --quiet) | gzip -1
}

# ------------------------------------------------------------------------- one guest

# what was asked for, for the guest to compare with
expectation() { # NAME
	local i
	printf 'guest=%s\nsockets=%s\ncores=%s\nthreads=%s\n' "$1" "${smp%%,*}" \
		"$(cut -d, -f2 <<<"$smp")" "${smp##*,}"
	printf 'checks="%s"\nnr_nodes=%d\n' "${checks[*]}" "${#nodes[@]}"
	for i in "${!nodes[@]}"; do
		printf 'cpus_%d="%s"\nmib_%d=%s\n' "$i" "${nodes[i]%:*}" "$i" "${nodes[i]#*:}"
		printf 'distance_%d="%s"\n' "$i" "${distance[i]-}"
	done
}

machine_options() {
	local i k mib cpus sum=0 row option
	for i in "${!nodes[@]}"; do
		mib=${nodes[i]#*:}
		cpus=${nodes[i]%:*}
		sum=$((sum + mib))
		option=node,nodeid=$i
		# more than one range of CPUs is more than one cpus=
		[[ $cpus == - ]] || option+=,cpus=${cpus//,/,cpus=}
		if ((mib)); then
			printf '%s\n' -object "memory-backend-ram,id=m$i,size=${mib}M"
			option+=,memdev=m$i
		fi
		printf '%s\n' -numa "$option"
	done
	for i in "${!distance[@]}"; do
		read -ra row <<<"${distance[i]}"
		for k in "${!row[@]}"; do
			printf '%s\n' -numa "dist,src=$i,dst=$k,val=${row[k]}"
		done
	done
	IFS=, read -ra row <<<"$smp"
	printf '%s\n' -smp "$((row[0] * row[1] * row[2])),sockets=${row[0]},cores=${row[1]},threads=${row[2]}"
	printf '%s\n' -m "${sum}M"
}

# One host thread runs all CPUs in turn: a CPU that waits (pause) hands on to the next at once. With
# a thread for each, 72 that spin on a host of two cost ten times as much.
boot() { # NAME
	local options console=$folder/$1.console results=$folder/$1.results
	mapfile -t options < <(machine_options)
	rm -f -- "$console" "$results"
	timeout -k 10 "$limit" qemu-system-x86_64 -accel tcg,thread=single \
		-cpu Icelake-Server "${options[@]}" \
		-kernel "$kernel" -initrd "$folder/$1.initrd" \
		-append "console=ttyS0 panic=-1 oops=panic nowatchdog mitigations=off tsc=reliable no_timer_check \
numa_balancing=disable transparent_hugepage=never cpu0_hotplug random.trust_cpu=on" \
		-nodefaults -display none -no-reboot \
		-serial "file:$console" -serial "file:$results" >"$folder/$1.qemu" 2>&1 </dev/null
}

last_lines() { # FILE
	tail -n 25 -- "$1" 2>/dev/null | tr -d '\r' | cut -c1-160 | sed 's/^/# /'
}

# the guest's own TAP, numbered on
retell() { # NAME
	local line
	while IFS= read -r line; do
		case $line in
		'ok '*) point 0 "$1: ${line#ok }" ;;
		'not ok '*) point 1 "$1: ${line#not ok }" ;;
		'#'*) printf '%s\n' "$line" ;;
		esac
	done < <(tr -d '\r' <"$folder/$1.results" 2>/dev/null)
}

run_guest() { # NAME
	local name=$1 status=0 start=$SECONDS said ended=1
	"guest_$name"
	expectation "$name" >"$root/expect"
	pack "$root" >"$folder/$name.initrd"
	boot "$name" || status=$?
	sed -i "/TCG doesn't support requested feature/d" "$folder/$name.qemu"
	retell "$name"
	said=$(tr -d '\r' <"$folder/$name.results" 2>/dev/null |
		sed -n 's/^@@ end: all of \([0-9]*\)$/\1/p')
	if [[ -n $said ]] && ((said > 0 && status == 0)) &&
		((said == $(grep -cE '^(not )?ok ' "$folder/$name.results"))); then
		ended=0
	else
		printf '# qemu ended with %d (124: after the limit of %d s)\n' "$status" "$limit"
		last_lines "$folder/$name.results"
		last_lines "$folder/$name.console"
		last_lines "$folder/$name.qemu"
	fi
	point $ended "$name: ran to its end"
	ended=0
	# shellcheck disable=SC2310
	if grep -aE "$faults" "$folder/$name.console" >"$folder/$name.faults"; then
		ended=1
		last_lines "$folder/$name.faults"
		last_lines "$folder/$name.console"
	fi
	point $ended "$name: the kernel had nothing to complain of"
	printf '# %s: %d s\n' "$name" $((SECONDS - start))
}

command -v qemu-system-x86_64 >/dev/null || skip_all 'qemu-system-x86_64 is not there'
command -v busybox >/dev/null || skip_all 'busybox is not there'
command -v cpio >/dev/null || skip_all 'cpio is not there'
find_kernel || skip_all 'no kernel: set CHARGELINE_VM_KERNEL, or see kernel.log in the build folder'

(($#)) || set -- main small memoryless cpuless uneven four
make_root
for name; do
	if ! declare -F "guest_$name" >/dev/null; then
		printf 'Bail out! there is no guest %s in guests.sh\n' "$name"
		exit 1
	fi
	run_guest "$name"
done
printf '1..%d\n' "$nr"
