# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# guests.sh - the machines that tests/vm/vm.sh makes: sourced, never run
#
# Each function sets:
#   smp      sockets,cores,threads: all the same, as qemu numbers them
#   nodes    for each node CPUS:MEMORY-IN-MIB; "-" for no CPUs, 0 for no memory
#   distance one row for each node; none: qemu states none
#   checks   functions of checks.sh, in this order
#   limit    seconds after which the guest is taken for hung; an idle machine needs a tenth

# shellcheck disable=SC2034
smp='' nodes=() distance=() checks=() limit=''

# what the published cases of 72 CPUs were measured on
guest_main() {
	smp=2,18,2
	nodes=(0-35:1024 36-71:1024)
	distance=('10 21' '21 10')
	checks=(topo placements pinned memory report refusals)
	limit=600
}

# the long form: 160 CPUs, as the two sockets of S3
guest_long() {
	smp=2,40,2
	nodes=(0-79:1536 80-159:1536)
	distance=('10 21' '21 10')
	checks=(topo placements pinned memory report refusals)
	limit=3000
}

# everything that changes under a run: fewer CPUs, so that many runs fit
guest_small() {
	smp=2,2,2
	nodes=(0-3:512 4-7:512)
	distance=('10 31' '31 10')
	checks=(topo placements pinned memory subjects crowd offline hotplug cpuset quota smt_off)
	limit=400
}

# node 1 has CPUs and no memory
guest_memoryless() {
	smp=2,2,1
	nodes=(0-1:512 2-3:0)
	distance=('10 21' '21 10')
	checks=(topo no_memory report)
	limit=300
}

# node 2 has memory and no CPUs, far from both
guest_cpuless() {
	smp=2,2,1
	nodes=(0-1:384 2-3:384 -:256)
	distance=('10 21 40' '21 10 40' '40 40 10')
	checks=(topo no_cpus memory)
	limit=300
}

# nodes of unlike size inside one socket, and one way longer than the other
guest_uneven() {
	smp=1,6,1
	nodes=(0-3:512 4:128 5:256)
	distance=('10 12 30' '14 10 30' '31 31 10')
	checks=(topo placements memory report)
	limit=300
}

guest_four() {
	smp=4,2,1
	nodes=(0-1:192 2-3:192 4-5:192 6-7:192)
	distance=('10 21 31 21' '21 10 21 31' '31 21 10 21' '21 31 21 10')
	checks=(topo placements memory report)
	limit=300
}
