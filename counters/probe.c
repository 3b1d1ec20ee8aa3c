/* SPDX-License-Identifier: MIT */
/* Decides by counting a loop whose work is known, and sorts what can be counted into sets. */
#include "counters_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S       1000000000LL
#define LOOP_STEPS     100000
#define LOOP_PAGES     16
#define MORE_FAULTS    64 /* of the loop's own stack, of the library */
#define MOST_PER_NS    64 /* no event happens more often: 16 in each cycle of 4 GHz */
#define MIN_SHARE      0.999
#define MOST_IN_WINDOW (1LL << 47) /* counters of 48 bits: half of it is a wrap, not a count */

/* ------------------------------------------------------------------ the loop */

struct known {
	int64_t cpu_ns, wall_ns; /* of the whole, start and stop of the events included */
};

static int64_t read_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* pages touched for the first time, one sleep, a chain of additions */
static void known_loop(char *pages, long page_bytes)
{
	const struct timespec moment = {.tv_nsec = 1000};
	uint64_t sum = 0;
	int i;

	for (i = 0; pages && i < LOOP_PAGES; i++)
		((volatile char *)pages)[i * page_bytes] = 1;
	nanosleep(&moment, NULL);
	for (i = 0; i < LOOP_STEPS; i++) {
		sum += i;
		__asm__ volatile("" : "+r"(sum)); /* every step is made */
	}
}

static char *fresh_pages(long page_bytes)
{
	char *p = mmap(NULL, LOOP_PAGES * page_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* a huge page would be one fault instead of many */
	madvise(p, LOOP_PAGES * page_bytes, MADV_NOHUGEPAGE);
	return p;
}

/* -------------------------------------------------------------- plausibility */

const char *reading_fault(const struct counter_reading *r, bool multiplex)
{
	if (r->value < 0)
		return "the count is negative: the counter overflowed";
	if (r->value > MOST_IN_WINDOW)
		return "the count is larger than can be: the counter overflowed";
	if (!(r->share > 0))
		return "it got no share of the time on a counter";
	if (!multiplex && r->share < MIN_SHARE)
		return "another user of the counters had one for a part of the time: the count "
		       "would be too low";
	return NULL;
}

/* NULL: it can be what the loop did */
static const char *implausible(const struct counter_event *e, const struct counter_reading *r,
			       const struct known *k, bool multiplex)
{
	const char *fault = reading_fault(r, multiplex);
	double v = r->value;

	if (fault)
		return fault;
	switch (e->expect) {
	case EXPECT_TASK_CLOCK:
		return v > 0 && v <= k->wall_ns && (v <= 2.0 * k->cpu_ns || v < 1e6)
			       ? NULL
			       : "the time does not fit that of a known loop";
	case EXPECT_FAULTS:
		return v >= LOOP_PAGES && v <= LOOP_PAGES + MORE_FAULTS
			       ? NULL
			       : "the faults of a known loop are not in it";
	case EXPECT_SWITCHES:
		return v >= 1 ? NULL : "a sleep did not count as a switch";
	case EXPECT_LOOP:
		if (v < LOOP_STEPS / 8.0)
			return "it stood still in a known loop";
		break;
	case EXPECT_ANY:
		break;
	}
	return v <= (double)MOST_PER_NS * k->wall_ns ? NULL
						     : "it counts more than can have happened";
}

/* --------------------------------------------------------------------- a try */

enum outcome { TRY_OK, TRY_REFUSED, TRY_IMPLAUSIBLE };

/* opens, starts, runs the loop and stops; @which: of the event that is implausible */
static enum outcome count_loop(const struct counters *c, const struct event_set *set, int *which,
			       struct err *err)
{
	struct counter_reading reading[SET_MAX_EVENTS] = {{0}};
	long page_bytes = sysconf(_SC_PAGESIZE);
	char *pages = fresh_pages(page_bytes);
	struct known k = {0};
	const char *why = NULL;
	void *opened = NULL;
	int rc, i;

	rc = c->backend->set_open(&opened, set->event, set->nr, c->multiplex, err);
	if (!rc) {
		k.cpu_ns = -read_ns(CLOCK_THREAD_CPUTIME_ID);
		k.wall_ns = -read_ns(CLOCK_MONOTONIC);
		rc = c->backend->start(opened, err);
		if (!rc) {
			known_loop(pages, page_bytes);
			rc = c->backend->stop(opened, reading, err);
		}
		k.cpu_ns += read_ns(CLOCK_THREAD_CPUTIME_ID);
		k.wall_ns += read_ns(CLOCK_MONOTONIC);
		c->backend->set_close(opened);
	}
	if (pages)
		munmap(pages, LOOP_PAGES * page_bytes);
	if (rc)
		return TRY_REFUSED;
	for (i = 0; i < set->nr && !why; i++) {
		why = implausible(set->event[i], &reading[i], &k, c->multiplex);
		*which = i;
	}
	if (!why)
		return TRY_OK;
	err_set(err, -ERANGE, "%s", why);
	return TRY_IMPLAUSIBLE;
}

/* ------------------------------------------------------------------- reasons */

static bool is_hardware(const struct counter_event *e)
{
	return e->kind != EVENT_SOFTWARE && strncmp(e->name, "perf::", 6);
}

static bool needs_pmu(const struct column *col)
{
	return col->event[0].kind == EVENT_GENERIC || is_hardware(&col->event[0]);
}

/* the remedy that fits the code, and the sentence of who refused when there is none */
static void refuse(struct counters *c, struct column *col, const struct err *err)
{
	const struct counter_machine *m = &c->machine;
	const char *remedy = "";

	col->state = COUNTER_NOT_SUPPORTED;
	if (err->code == -EACCES || err->code == -EPERM || err->code == -ENOSYS) {
		remedy = m->permission;
	} else if (needs_pmu(col) && *m->no_pmu) {
		snprintf(col->info.reason, sizeof(col->info.reason), "%s", m->no_pmu);
		return;
	} else if (err->code == -EBUSY) {
		col->state = COUNTER_NOT_COUNTED;
		remedy = m->watchdog;
	} else if (err->code == -ERANGE) {
		/* it was there and was counted, but not so that it could be used */
		if (strstr(err->msg, "share") || strstr(err->msg, "another user") ||
		    strstr(err->msg, "overflowed")) {
			col->state = COUNTER_NOT_COUNTED;
			remedy = m->watchdog;
		}
	}
	snprintf(col->info.reason, sizeof(col->info.reason), "%s%s%s", err->msg,
		 *remedy ? "; " : "", remedy);
}

/* hardware columns that no table knows; false: go on and try */
static bool refuse_untried(struct counters *c, struct column *col)
{
	const struct counter_machine *m = &c->machine;

	if (col->nr_events && !(m->hybrid && needs_pmu(col)))
		return false;
	col->state = COUNTER_NOT_SUPPORTED;
	if (col->nr_events)
		snprintf(
			col->info.reason, sizeof(col->info.reason),
			"a hybrid processor: its kinds of core have different events, and counting "
			"them is not supported");
	else if (native_known(m->uarch))
		snprintf(col->info.reason, sizeof(col->info.reason),
			 "%s has no event that means this; others of group %s are the nearest",
			 m->uarch, col->info.group);
	else
		snprintf(col->info.reason, sizeof(col->info.reason),
			 "no event for it is known on '%s': name one of the processor's own with "
			 "--counters",
			 *m->uarch ? m->uarch : "this processor");
	return true;
}

/* ---------------------------------------------------------------------- sets */

int set_index(const struct event_set *set, const struct counter_event *e)
{
	int i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->event[i]->name, e->name))
			return i;
	return -1;
}

static void set_add(struct event_set *set, const struct column *col)
{
	int i;

	for (i = 0; i < col->nr_events; i++)
		if (set_index(set, &col->event[i]) < 0)
			set->event[set->nr++] = &col->event[i];
}

static bool fits(const struct counters *c, const struct event_set *set, const struct column *col)
{
	struct event_set both = *set;
	struct err err = ERR_INIT;
	int which;

	set_add(&both, col);
	return count_loop(c, &both, &which, &err) == TRY_OK;
}

/* into the first set that has room, else into a new one, beside the software events if that goes */
static void place(struct counters *c, const struct event_set *software, struct column *col)
{
	struct event_set alone = {.nr = 0};
	int i;

	for (i = 0; i < c->nr_sets && !fits(c, &c->set[i], col); i++)
		;
	if (i == c->nr_sets)
		c->set[c->nr_sets++] = fits(c, software, col) ? *software : alone;
	set_add(&c->set[i], col);
	col->set = i;
}

static void try_alone(struct counters *c, struct column *col)
{
	struct event_set alone = {.nr = 0};
	struct err err = ERR_INIT;
	int which = 0;

	if (refuse_untried(c, col))
		return;
	set_add(&alone, col);
	if (count_loop(c, &alone, &which, &err) == TRY_OK)
		return;
	if (col->event[0].in_kernel && err.code == -ERANGE)
		err_set(&err, -EACCES, "counting in the kernel is not permitted");
	refuse(c, col, &err);
}

void probe_columns(struct counters *c)
{
	struct event_set software = {.nr = 0};
	struct column *col;
	int i;

	for (i = 0; i < c->nr; i++) {
		col = &c->column[i];
		try_alone(c, col);
		if (col->software && col->state == COUNTER_COUNTED)
			set_add(&software, col);
	}
	for (i = 0; i < c->nr; i++) {
		col = &c->column[i];
		if (!col->software && col->state == COUNTER_COUNTED)
			place(c, &software, col);
	}
	if (!c->nr_sets)
		c->set[c->nr_sets++] = software;
}
