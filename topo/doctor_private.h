/* SPDX-License-Identifier: MIT */
/*
 * doctor_private.h - what the checks of doctor.h share
 *
 * A check looks at one thing and fills one finding, which comes as unknown without texts. It never
 * fails: what it cannot read stays unknown, with the reason as the remedy.
 */
#ifndef CHARGELINE_DOCTOR_PRIVATE_H
#define CHARGELINE_DOCTOR_PRIVATE_H

#include <stddef.h>
#include <stdio.h>

#include "doctor.h"

/* every check, in the order of the findings */
#define DOCTOR_CHECKS(X)  \
	X(governor)       \
	X(turbo)          \
	X(smt)            \
	X(isolcpus)       \
	X(nohz_full)      \
	X(clocksource)    \
	X(prefetcher)     \
	X(hypervisor)     \
	X(steal)          \
	X(loadavg)        \
	X(busy_cpus)      \
	X(cpu_quota)      \
	X(cpuset)         \
	X(numa_balancing) \
	X(mempolicy)      \
	X(hidden_nodes)   \
	X(thp)            \
	X(perf_event)     \
	X(pmu)            \
	X(nmi_watchdog)   \
	X(cgroup)         \
	X(charge_batch)

#define DOCTOR_WATCH_MS 100
#define EXAM_MAX_PATH	4096 /* of a file with its root */
#define EXAM_MAX_LINE	8192

/* time that a CPU spent since boot, in ticks of USER_HZ; all 0: the CPU is not in /proc/stat */
struct ticks {
	unsigned long long busy, steal, total;
};

struct exam {
	const char *root; /* in front of every path */
	bool live;	  /* root is "": the kernel itself may be asked, too */
	const struct topo *topo;
	struct ticks *before, *after; /* by position in topo_cpus() */
	bool watched;		      /* false: /proc/stat could not be read */
};

#define DOCTOR_DECLARE(name) void check_##name(const struct exam *x, struct finding *f);
DOCTOR_CHECKS(DOCTOR_DECLARE)

/* state and value; then what to do */
void found(struct finding *f, enum finding_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void advise(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* exam_path - root + path; false: too long */
bool exam_path(const struct exam *x, char *buf, size_t size, const char *path);
bool exam_there(const struct exam *x, const char *path);

/*
 * exam_line - the first line of a file, "" when that line is empty
 * False: there is none; then @f, unless NULL, advises with path and cause.
 */
bool exam_line(const struct exam *x, struct finding *f, const char *path, char *buf, size_t size);

/* a whole number in @min..@max; false as above, also when the file holds something else */
bool exam_number(const struct exam *x, struct finding *f, const char *path, int64_t min,
		 int64_t max, int64_t *out);
void exam_garbage(struct finding *f, const char *path, const char *text); /* no answer we know */

/* all lines, one by one and without '\n'; of a line longer than @size the rest is skipped */
FILE *exam_open(const struct exam *x, const char *path); /* NULL: cannot; fclose() it */
bool exam_next_line(FILE *f, char *buf, size_t size);

/* letters, digits, '-', '_': what a governor or a clock can be called */
bool exam_is_word(const char *s);

/* doctor_load.c: fills @ticks for the usable CPUs; false: /proc/stat says nothing of any */
bool ticks_read(const struct exam *x, struct ticks *ticks);

#endif
