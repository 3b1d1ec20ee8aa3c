/* SPDX-License-Identifier: MIT */
/* Who else runs here: other guests, other programs. */
#include "doctor_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo_private.h"

#define BUSY_CPU     0.5  /* a worker there would share it */
#define BUSY_SOME    0.2  /* of one CPU */
#define BUSY_ALL     0.05 /* of all CPUs together */
#define STEAL_FAULT  0.05
#define STEAL_WARN   0.001
#define LOAD_WARN    0.5
#define LOAD_WARN_OF 0.01 /* of the online CPUs, on wide machines */

/* ----------------------------------------------------------------------- /proc/stat */

static bool ticks_parse(const char *line, int *cpu, struct ticks *t)
{
	unsigned long long v[8] = {0}; /* user nice system idle iowait irq softirq steal */
	int i, n;

	/* the sum of all CPUs has no number */
	if (line[3] < '0' || line[3] > '9')
		return false;
	n = sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", cpu, &v[0], &v[1], &v[2],
		   &v[3], &v[4], &v[5], &v[6], &v[7]);
	if (n < 5)
		return false;
	*t = (struct ticks){.busy = v[0] + v[1] + v[2] + v[5] + v[6], .steal = v[7]};
	for (i = 0; i < 8; i++)
		t->total += v[i];
	return true;
}

bool ticks_read(const struct exam *x, struct ticks *ticks)
{
	char line[512];
	int nr, cpu, lines = 0;
	const struct topo_cpu *cpus = topo_cpus(x->topo, &nr), *c;
	bool any = false;
	struct ticks t;
	FILE *f = exam_open(x, "/proc/stat");

	if (!f)
		return false;
	/* the CPUs come first, then lines without end */
	while (lines++ <= TOPO_MAX_OS && exam_next_line(f, line, sizeof(line)) &&
	       !strncmp(line, "cpu", 3)) {
		if (!ticks_parse(line, &cpu, &t))
			continue;
		c = topo_cpu_by_os(x->topo, cpu);
		if (c) {
			ticks[c - cpus] = t;
			any = true;
		}
	}
	fclose(f);
	return any;
}

static void no_stat(struct finding *f)
{
	advise(f, "/proc/stat is hidden or says nothing of the CPUs that we may use");
}

/* counters may go back by a tick */
static double since(unsigned long long before, unsigned long long after)
{
	return after > before ? (double)(after - before) : 0;
}

/* --------------------------------------------------------------------- other guests */

void check_hypervisor(const struct exam *x, struct finding *f)
{
	const char *name = topo_info(x->topo)->hypervisor;

	if (!*name) {
		found(f, FINDING_OK, "none seen");
	} else if (!strcmp(name, "qemu-tcg")) {
		found(f, FINDING_FAULT, "%s: emulated", name);
		advise(f, "its numbers say nothing about the speed of a real machine: use it to "
			  "try things out only");
	} else {
		found(f, FINDING_WARNING, "%s", name);
		advise(f, "other guests disturb, the topology may be invented: measure on the host "
			  "or on a metal instance, or pin the virtual CPUs");
	}
}

void check_steal(const struct exam *x, struct finding *f)
{
	double stolen = 0, passed = 0, now = 0, total = 0, boot;
	bool guest = *topo_info(x->topo)->hypervisor;
	int nr, i;

	if (!x->watched)
		return no_stat(f);
	topo_cpus(x->topo, &nr);
	for (i = 0; i < nr; i++) {
		now += since(x->before[i].steal, x->after[i].steal);
		passed += since(x->before[i].total, x->after[i].total);
		stolen += (double)x->after[i].steal;
		total += (double)x->after[i].total;
	}
	boot = total > 0 ? stolen / total : 0;
	if (!stolen) {
		found(f, guest ? FINDING_UNKNOWN : FINDING_OK, "0 since boot");
		if (guest)
			advise(f, "nothing was stolen, or the hypervisor does not tell");
		return;
	}
	found(f, FINDING_OK, "%.2g%% since boot, %.0f of %.0f ticks just now", 100 * boot, now,
	      passed);
	if (boot >= STEAL_FAULT || (now >= 2 && now >= STEAL_FAULT * passed))
		f->state = FINDING_FAULT;
	else if (boot >= STEAL_WARN || now > 0)
		f->state = FINDING_WARNING;
	if (f->state != FINDING_OK)
		advise(f, "the host runs others on our CPUs: ask for dedicated CPUs, or measure "
			  "when it is quiet; stolen windows are left out");
}

/* ------------------------------------------------------------------- other programs */

void check_loadavg(const struct exam *x, struct finding *f)
{
	static const char path[] = "/proc/loadavg";
	const struct topo_info *info = topo_info(x->topo);
	int whole, cents, online = info->pus + info->pus_disallowed;
	char text[64];
	double load;

	if (!exam_line(x, f, path, text, sizeof(text)))
		return;
	/* no strtod: a locale's comma would end it at the point */
	if (text[0] < '0' || text[0] > '9' || sscanf(text, "%6d.%2d ", &whole, &cents) != 2 ||
	    cents < 0)
		return exam_garbage(f, path, text);
	load = whole + cents / 100.0;
	found(f, FINDING_OK, "%d.%02d in the last minute, %d CPUs online", whole, cents, online);
	if (load < LOAD_WARN || load < LOAD_WARN_OF * online)
		return;
	f->state = FINDING_WARNING;
	advise(f, "other programs run, or ran a minute ago: end them, then wait a minute");
}

/* the CPUs that were at least half busy, in @hot; the busiest one is returned */
static int busiest(const struct exam *x, double *share, struct cpulist *hot, double *ticks)
{
	double busy, passed;
	int nr, i, best = -1;
	const struct topo_cpu *cpus = topo_cpus(x->topo, &nr);

	for (i = 0; i < nr; i++) {
		busy = since(x->before[i].busy, x->after[i].busy);
		passed = since(x->before[i].total, x->after[i].total);
		if (passed <= 0)
			continue;
		busy = busy < passed ? busy : passed;
		if (busy >= 2 && busy >= BUSY_CPU * passed)
			cpulist_add(hot, cpus[i].os);
		if (best >= 0 && busy / passed <= *share)
			continue;
		best = i;
		*share = busy / passed;
		*ticks = busy;
	}
	return best;
}

void check_busy_cpus(const struct exam *x, struct finding *f)
{
	double share = 0, ticks = 0, busy = 0, passed = 0;
	struct cpulist hot = CPULIST_INIT;
	int nr, i, best;
	char list[80];
	const struct topo_cpu *cpus = topo_cpus(x->topo, &nr);

	if (!x->watched)
		return no_stat(f);
	best = busiest(x, &share, &hot, &ticks);
	if (best < 0)
		return advise(f, "no time passed between two readings of /proc/stat");
	for (i = 0; i < nr; i++) {
		busy += since(x->before[i].busy, x->after[i].busy);
		passed += since(x->before[i].total, x->after[i].total);
	}
	found(f, FINDING_OK, "%.0f%% of %d CPU%s for %d ms; most on CPU %d: %.0f%%",
	      100 * busy / passed, nr, nr == 1 ? "" : "s", DOCTOR_WATCH_MS, cpus[best].os,
	      100 * share);
	if (hot.nr) {
		f->state = FINDING_FAULT;
		advise(f, "other programs run on CPU %s: end them%s",
		       cpulist_format(&hot, list, sizeof(list)),
		       hot.nr < nr ? ", or leave these CPUs out with --placement CPULIST" : "");
	} else if ((ticks >= 2 && share >= BUSY_SOME) || (busy >= 2 && busy >= BUSY_ALL * passed)) {
		f->state = FINDING_WARNING;
		advise(f, "other programs use these CPUs now and then: end them; disturbed windows "
			  "are left out");
	}
	cpulist_free(&hot);
}

/* --------------------------------------------------------------------- our CPUs only */

void check_cpuset(const struct exam *x, struct finding *f)
{
	const struct topo_info *info = topo_info(x->topo);
	int online = info->pus + info->pus_disallowed;
	char *text;

	if (!info->restricted) {
		found(f, FINDING_OK, "all %d online CPUs may be used", online);
		return;
	}
	text = cpulist_text_sorted(&info->disallowed);
	found(f, FINDING_WARNING, "%d of %d online CPUs and %d nodes are not ours%s%.60s",
	      info->pus_disallowed, online, info->nodes_disallowed, text && *text ? ": " : "",
	      text ? text : "");
	free(text);
	advise(f, "what runs there shares caches and memory with us, unseen: lift cpuset.cpus, "
		  "taskset or the container's CPU list, or see that it is idle");
}
