/* SPDX-License-Identifier: MIT */
/*
 * doctor.h - what on this machine would spoil a measurement, and what to do about it
 *
 * Every check gives one finding, in the table's order, whatever it finds; so the list always has
 * the same rows. The kernel's words are used for names. A finding tells only what the system says:
 * where it says nothing, or what is no answer, the state is unknown, never ok.
 *
 *   ok       looked at, and no harm
 *   warning  the numbers can be used by who knows this: turbo, SMT, a virtual machine
 *   fault    the numbers would be wrong, or those of something else: a CPU quota below the number
 *            of workers, other programs on the same CPUs, a governor that follows the load
 *   unknown  the remedy says why, and where to look
 *
 *   governor, turbo, smt, isolcpus, nohz_full, clocksource, prefetcher       the CPUs
 *   hypervisor, steal, loadavg, busy_cpus, cpu_quota, cpuset                 who else is there
 *   numa_balancing, mempolicy, hidden_nodes, thp                             memory
 *   perf_event, pmu, nmi_watchdog                                            hardware counters
 *   cgroup, charge_batch                                                     what is restated
 *
 * Threads: no state; any number of calls at once.
 */
#ifndef CHARGELINE_DOCTOR_H
#define CHARGELINE_DOCTOR_H

#include "err.h"
#include "topo.h"

enum finding_state { FINDING_OK, FINDING_WARNING, FINDING_FAULT, FINDING_UNKNOWN };
#define FINDING_NR_STATES 4

extern const char *const finding_state_names[FINDING_NR_STATES]; /* "ok", "warning", ... */

/* texts are printable ASCII without line breaks; longer ones are cut with "..." */
struct finding {
	const char *name; /* constant */
	enum finding_state state;
	char value[160]; /* what was read, with its unit: "powersave on 2 of 8 CPUs"; "": nothing */
	char remedy[320]; /* one sentence: what to do, or why it is unknown; "": nothing to do */
};

/*
 * doctor_examine - all findings
 * @topo: the machine: its usable CPUs, nodes, caches, hypervisor
 * @root: "" examines this system, which @topo must be: for about 100 ms the CPUs are watched, and
 *        memory policy calls and perf_event_open are tried once. Else a folder with /sys, /proc and
 *        /dev trees of some machine: files are read there, nothing is waited for or tried.
 * @out:  @nr findings, set on success only; free() them
 * Errors: -EOPNOTSUPP @topo is not this system, -ENOENT no folder @root, -EINVAL its name is too
 * long, -ENOMEM. What cannot be read is no error.
 */
int doctor_examine(const struct topo *topo, const char *root, struct finding **out, int *nr,
		   struct err *err);

#endif
