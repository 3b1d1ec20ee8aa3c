/* SPDX-License-Identifier: MIT */
/* Hardware counters: may we open them, are there any, does another hold one. */
#include "doctor_private.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "topo_private.h"

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT	  38

/* ------------------------------------------------------------------------ permission */

struct status {
	bool known; /* our capabilities */
	bool may_perf;
	bool filtered; /* by seccomp */
};

/* capabilities of a user namespace are no capabilities to the rest of the machine */
static bool initial_user_namespace(const struct exam *x)
{
	unsigned long inside, outside, nr;
	char text[128];

	return !exam_line(x, NULL, "/proc/self/uid_map", text, sizeof(text)) ||
	       (sscanf(text, "%lu %lu %lu", &inside, &outside, &nr) == 3 && !inside && !outside &&
		nr == 4294967295UL);
}

static void read_status(const struct exam *x, struct status *st)
{
	const unsigned long long wanted = 1ULL << CAP_SYS_ADMIN_BIT | 1ULL << CAP_PERFMON_BIT;
	FILE *f = exam_open(x, "/proc/self/status");
	unsigned long long caps;
	char line[256];
	int mode;

	memset(st, 0, sizeof(*st));
	while (f && exam_next_line(f, line, sizeof(line))) {
		if (sscanf(line, "CapEff: %16llx", &caps) == 1) {
			st->known = true;
			st->may_perf = (caps & wanted) && initial_user_namespace(x);
		} else if (sscanf(line, "Seccomp: %4d", &mode) == 1) {
			st->filtered = mode > 0;
		}
	}
	if (f)
		fclose(f);
}

/* 0, or the errno of opening the least of events: our own time, in user space */
static int try_event(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .exclude_kernel = 1,
				       .exclude_hv = 1,
				       .disabled = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* paranoid: 2 no kernel events, 3 (distributions) none at all, both only without the capability */
void check_perf_event(const struct exam *x, struct finding *f)
{
	static const char path[] = "/proc/sys/kernel/perf_event_paranoid";
	int error = x->live ? try_event() : 0;
	const char *cap;
	struct status st;
	int64_t paranoid;

	read_status(x, &st);
	cap = !st.known ? "capabilities unknown" : st.may_perf ? "CAP_PERFMON" : "no CAP_PERFMON";
	if (!exam_number(x, f, path, INT32_MIN, INT32_MAX, &paranoid)) {
		if (error)
			found(f, FINDING_FAULT, "perf_event_open: %s", strerror(error));
		return;
	}
	found(f, FINDING_OK, "perf_event_paranoid %d, %s", (int)paranoid, cap);
	if (error) {
		found(f, FINDING_FAULT, "perf_event_open: %s; perf_event_paranoid %d, %s",
		      strerror(error), (int)paranoid, cap);
		advise(f, "no counter can be opened, all stay empty: %s",
		       paranoid > 2 && !st.may_perf ? "echo 2 > /proc/sys/kernel/"
						      "perf_event_paranoid, or grant CAP_PERFMON"
		       : st.filtered ? "the seccomp filter must let it through (Docker: --cap-add "
				       "PERFMON)"
				     : "a security module or the kernel refuses it");
	} else if (paranoid > 2 && !st.may_perf) {
		f->state = st.known ? FINDING_FAULT : FINDING_UNKNOWN;
		advise(f,
		       "no counter can be opened, all stay empty: echo 1 > %s, or grant "
		       "CAP_PERFMON",
		       path);
	} else if (paranoid == 2 && !st.may_perf) {
		f->state = st.known ? FINDING_WARNING : FINDING_UNKNOWN;
		advise(f, "only user space can be counted: echo 1 > %s, or grant CAP_PERFMON",
		       path);
	}
}

/* ------------------------------------------------------------------------ the counters */

#define MAX_PMUS 8

/* what the kernel calls the counters of cores: x86 and others cpu, hybrid x86 cpu_core, ... */
static bool is_core_pmu(const char *name)
{
	static const char *const names[] = {"cpu", "cpu_core", "cpu_atom", "cpu_lowpower",
					    "cpum_cf"},
				 *const prefixes[] = {"armv", "apple_"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

void check_pmu(const struct exam *x, struct finding *f)
{
	static const char path[] = "/sys/bus/event_source/devices";
	char full[EXAM_MAX_PATH], names[MAX_PMUS][32], list[MAX_PMUS * 34] = "";
	struct dirent *e;
	DIR *d = exam_path(x, full, sizeof(full), path) ? opendir(full) : NULL;
	int nr = 0, i;

	if (!d)
		return advise(f, "cannot read %s: %s", path, strerror(errno));
	while ((e = readdir(d)))
		if (is_core_pmu(e->d_name) && nr < MAX_PMUS)
			snprintf(names[nr++], sizeof(names[0]), "%.31s", e->d_name);
	closedir(d);
	if (!nr) {
		found(f, FINDING_WARNING, "none");
		advise(f, "there are no hardware counters, their values stay empty: %s",
		       *topo_info(x->topo)->hypervisor
			       ? "give the guest a virtual PMU (QEMU: -cpu host,pmu=on)"
			       : "the kernel has no driver for this CPU's, or firmware hides them");
		return;
	}
	qsort(names, nr, sizeof(names[0]), by_name);
	for (i = 0; i < nr; i++) {
		strcat(list, i ? ", " : "");
		strcat(list, names[i]);
	}
	found(f, FINDING_OK, "%s", list);
}

void check_nmi_watchdog(const struct exam *x, struct finding *f)
{
	static const char path[] = "/proc/sys/kernel/nmi_watchdog";
	int64_t v;

	if (!exam_number(x, f, path, 0, 1, &v))
		return;
	found(f, v ? FINDING_WARNING : FINDING_OK, "%s", v ? "on (1)" : "off (0)");
	if (v)
		advise(f, "it holds a hardware counter on every CPU: echo 0 > %s", path);
}
