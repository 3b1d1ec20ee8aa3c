/* SPDX-License-Identifier: MIT */
/* What one worker does in a window, and what the windows of all workers add up to. */
#include "bench_private.h"

#include <math.h>
#include <sys/resource.h>

#include "stats.h"

#define MAX_CHUNK   (1ULL << 22)
#define MIN_OVERLAP 0.95
#define MIN_TICKS   1000

static int64_t cpu_time_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static long involuntary_switches(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nivcsw;
}

/*
 * Run chunks until the clock reaches @until; returns that reading. With @adapt the chunk grows or
 * shrinks until it lasts about BENCH_CHUNK_NS.
 */
static int64_t run_until(const struct job *job, struct worker_slot *s, int64_t until, bool adapt,
			 uint64_t *chunk, uint64_t *ops)
{
	const struct experiment *exp = job->c->exp;
	const void *params = job->c->params;
	int64_t now = now_ns(), before;

	do { /* once at least: an operation may last longer than the window */
		exp->run(job->shared, params, &s->w, *chunk);
		*ops += *chunk;
		before = now;
		now = now_ns();
		if (!adapt)
			continue;
		if (now - before < BENCH_CHUNK_NS / 2 && *chunk < MAX_CHUNK)
			*chunk *= 2;
		else if (now - before > 2 * BENCH_CHUNK_NS && *chunk > 1)
			*chunk /= 2;
	} while (now < until);
	return now;
}

/* starting takes some microseconds, which are no part of the window: returns when it begins */
static int64_t begin_counting(const struct job *job, struct worker_slot *s)
{
	counters_start(s->counters, job->counter_set);
	return now_ns();
}

/* looking at the CPU before and after misses a worker that went and came back */
static void end_counting(struct worker_slot *s)
{
	counters_stop(s->counters);
	s->migrated |= counters_software(s->counters).migrations > 0;
}

void window_body(struct job *job, struct worker_slot *s)
{
	const struct experiment *exp = job->c->exp;
	uint64_t chunk = 1, extra = 0;
	long switches = involuntary_switches();
	int64_t start, lost;

	s->w.over = &job->over;
	if (exp->worker_init)
		s->rc = exp->worker_init(job->shared, job->c->params, &s->w, &s->err);
	if (s->rc)
		atomic_store(&job->failed, true);

	if (atomic_fetch_add(&job->nr_ready, 1) + 1 == job->nr_workers)
		atomic_store(&job->start_ns, now_ns() + BENCH_CHUNK_NS);
	WAIT_UNTIL(atomic_load_explicit(&job->start_ns, memory_order_acquire));
	/* a worker that is not there cannot be waited for, nor worked against */
	if (atomic_load(&job->failed))
		return;
	start = atomic_load(&job->start_ns);
	WAIT_UNTIL(now_ns() >= start);

	start += job->warmup_ns;
	s->start_ns = run_until(job, s, start, true, &chunk, &extra);
	if (s->counters)
		s->start_ns = begin_counting(job, s);
	lost = -cpu_time_ns();
	s->end_ns = run_until(job, s, start + job->window_ns, false, &chunk, &s->ops);
	lost = s->end_ns - s->start_ns - (lost + cpu_time_ns());
	if (s->counters)
		end_counting(s);

	/* keep the lines busy until the last worker's window is over: a straggler must not finish
	 * uncontended */
	if (atomic_fetch_add(&job->nr_ended, 1) + 1 == job->nr_workers)
		__atomic_store_n(&job->over, 1, __ATOMIC_RELEASE);
	while (!worker_over(&s->w))
		run_until(job, s, now_ns() + BENCH_CHUNK_NS / 2, false, &chunk, &extra);

	s->ops_total = s->ops + extra;
	s->switched = involuntary_switches() != switches &&
		      lost > BENCH_MAX_LOST * (s->end_ns - s->start_ns);
}

void sample_from_slots(const struct worker_slot *slots, int nr, double clock_resolution_ns,
		       struct sample *out)
{
	int64_t first_start = INT64_MAX, last_start = 0, first_end = INT64_MAX, last_end = 0;
	const struct worker_slot *w;
	struct stats_spread spread = STATS_SPREAD_INIT;
	int i;

	for (i = 0; i < nr; i++) {
		w = &slots[i];
		stats_spread_add(&spread, (double)w->ops * NS_PER_S / (w->end_ns - w->start_ns));
		out->ops += w->ops;
		out->window_ns += (double)(w->end_ns - w->start_ns) / nr;
		first_start = w->start_ns < first_start ? w->start_ns : first_start;
		last_start = w->start_ns > last_start ? w->start_ns : last_start;
		first_end = w->end_ns < first_end ? w->end_ns : first_end;
		last_end = w->end_ns > last_end ? w->end_ns : last_end;
		out->marks |= (w->switched ? MARK_SWITCHED : 0) | (w->migrated ? MARK_MIGRATED : 0);
	}
	out->rate = spread.sum;
	out->slowest = spread.slowest;
	out->fastest = spread.fastest;
	out->jain = stats_jain(&spread);
	/* windows that do not meet at all overlap by nothing, not by a negative time */
	out->overlap = first_end > last_start
			       ? (double)(first_end - last_start) / (last_end - first_start)
			       : 0;
	if (out->overlap < MIN_OVERLAP)
		out->marks |= MARK_OVERLAP;
	if (out->window_ns < MIN_TICKS * clock_resolution_ns)
		out->marks |= MARK_CLOCK;
}
