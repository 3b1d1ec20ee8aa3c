/* SPDX-License-Identifier: MIT */
/* The counters of all workers of a session: each worker opens, uses and closes its own. */
#include "bench_private.h"

#include <math.h>
#include <stdlib.h>

struct counting {
	struct counters *counters;
	struct crew *crew;
	const struct cpulist *cpus;
	struct worker_slot *slots;
	struct counter_thread **thread; /* by position in cpus */
	int *nr_windows;		/* of each case: its sets take turns */
};

static void open_body(struct job *job, struct worker_slot *slot)
{
	slot->rc = counters_thread_open(job->arg, &slot->counters, &slot->err);
}

static void close_body(struct job *job, struct worker_slot *slot)
{
	counters_thread_close(slot->counters);
}

static int open_threads(struct counting *n, struct err *err)
{
	struct job job = {.body = open_body, .arg = n->counters};
	int i, rc = 0;

	for (i = 0; i < n->cpus->nr; i++)
		n->slots[i] = (struct worker_slot){.rc = 0};
	crew_run(n->crew, &job, n->cpus, n->slots);
	for (i = 0; i < n->cpus->nr; i++) {
		n->thread[i] = n->slots[i].counters;
		if (!n->slots[i].rc || rc)
			continue;
		rc = n->slots[i].rc;
		if (err)
			*err = n->slots[i].err;
	}
	return rc;
}

int counting_open(struct counting **out, const struct plan *plan, struct crew *crew,
		  const struct cpulist *cpus, struct worker_slot *slots, struct err *err)
{
	struct counting *n;
	int rc;

	*out = NULL;
	if (!plan->counters)
		return 0;
	n = calloc(1, sizeof(*n));
	if (!n)
		return err_set(err, -ENOMEM, "out of memory");
	*n = (struct counting){plan->counters,
			       crew,
			       cpus,
			       slots,
			       calloc(cpus->nr, sizeof(*n->thread)),
			       calloc(plan->nr_cases, sizeof(*n->nr_windows))};
	rc = n->thread && n->nr_windows ? open_threads(n, err)
					: err_set(err, -ENOMEM, "out of memory");
	if (rc)
		counting_close(n);
	else
		*out = n;
	return rc;
}

void counting_close(struct counting *n)
{
	struct job job = {.body = close_body};
	int i;

	if (!n)
		return;
	for (i = 0; n->thread && i < n->cpus->nr; i++)
		n->slots[i] = (struct worker_slot){.counters = n->thread[i]};
	if (n->thread)
		crew_run(n->crew, &job, n->cpus, n->slots);
	free(n->thread);
	free(n->nr_windows);
	free(n);
}

int counting_turn(struct counting *n, int case_idx)
{
	return n ? n->nr_windows[case_idx]++ % counters_nr_sets(n->counters) : 0;
}

struct counter_thread *counting_on(const struct counting *n, int cpu)
{
	int i = 0;

	while (n && n->cpus->cpu[i] != cpu)
		i++;
	return n ? n->thread[i] : NULL;
}

void counting_none(struct sample *out)
{
	int i;

	for (i = 0; i < COUNTERS_MAX; i++)
		out->counters[i] = NAN;
	out->counters_share = NAN;
}

int counting_read(struct counting *n, const struct worker_slot *slots, int nr, struct sample *out,
		  struct err *err)
{
	struct counter_thread **threads;
	int i;

	if (!n)
		return 0;
	threads = calloc(nr, sizeof(*threads));
	if (!threads)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr; i++)
		threads[i] = slots[i].counters;
	out->counters_share =
		counters_values(n->counters, threads, nr, (double)out->ops, out->counters);
	free(threads);
	return 0;
}
