/* SPDX-License-Identifier: MIT */
/*
 * The plan of "chargeline report". It is thinned step by step until MIN_BLOCKS blocks of it fit
 * into the time; the steps go from what a decision needs least to what it needs most.
 */
#include "plan_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S   1000000000LL
#define MIN_BLOCKS 9 /* aimed at: below this the intervals are too wide to decide by */
#define PAIRS_NS   (15 * NS_PER_S)

static const char *const layouts[] = {"packed_5_19", "padded_2022", "v6_15"};
static const int64_t batches[] = {8, 16, 32, 64, 127, 128, 256};
static const int64_t demands[] = {0, 250, 1000, 4000};
#define NR(a) ((int)(sizeof(a) / sizeof((a)[0])))

struct thinning {
	const char *said; /* what is left out, for the reader */
	bool few_counts;  /* workers: 1 and all only, and only all where there is local work */
	bool one_count;	  /* all workers only */
	bool two_layouts; /* the oldest and the newest */
	bool few_batches; /* every second one */
	bool few_demands; /* saturated and 1 us */
	int window_div;
};

static const struct thinning steps[] = {
	{"", .window_div = 1},
	{"windows of 10 ms instead of 20", .window_div = 2},
	{"windows of 10 ms, worker counts other than 1 and all; with local work all only",
	 .window_div = 2, .few_counts = true},
	{"windows of 5 ms, worker counts other than 1 and all; with local work all only",
	 .window_div = 4, .few_counts = true},
	{"windows of 5 ms, worker counts other than 1 and all, the middle layout", .window_div = 4,
	 .few_counts = true, .two_layouts = true},
	{"windows of 5 ms, worker counts other than all, the middle layout, batches 16, 127 and 256",
	 .window_div = 4, .few_counts = true, .one_count = true, .two_layouts = true,
	 .few_batches = true},
	{"windows of 4 ms, worker counts other than all, the middle layout, batches 16, 127 and 256, "
	 "demands of 250 ns and 4 us",
	 .window_div = 5, .few_counts = true, .one_count = true, .two_layouts = true,
	 .few_batches = true, .few_demands = true},
};

const char *plan_rule(void)
{
	return "The default plan is page_counter with layouts packed_5_19, padded_2022 and v6_15, batches\n"
	       "8, 16, 32, 64, 127, 128 and 256, depth 3, local work per page of 0 (saturated), 250 ns,\n"
	       "1 us and 4 us, on 1, 2, 4, ... and all workers, one thread of each core first; and\n"
	       "contended_line's fetch_add on as many workers, the limit that they are held against; and\n"
	       "core_to_core on all pairs of CPUs, where 9 blocks of them take at most 15 s (8 CPUs),\n"
	       "with contended_line's tickets on two of them.\n"
	       "It is given 80 s for each worker count, at most 15 minutes, or --budget. When 9 blocks\n"
	       "of it do not fit, it is thinned in this order until they do: windows of 10 ms instead of\n"
	       "20; worker counts other than 1 and all (with local work: all only); windows of 5 ms; the\n"
	       "middle layout; one worker, and batches 16, 127 and 256; windows of 4 ms, and the demands\n"
	       "of 250 ns and 4 us. Then as many blocks are measured as there is time for.";
}

int64_t plan_default_budget(int nr_worker_counts)
{
	int64_t s = 80 * nr_worker_counts;

	return (s > 900 ? 900 : s) * NS_PER_S;
}

static bool skip_batch(const struct thinning *t, int64_t batch)
{
	return t->few_batches && (batch == 16 || batch == 127 || batch == 256);
}

static bool skip_count(const struct thinning *t, int64_t work_ns, int count, int all)
{
	if (count == all)
		return false;
	if (t->one_count)
		return true;
	return t->few_counts && (work_ns || count != 1);
}

static int add_layout(struct plan *plan, const struct thinning *t, const struct cpulist *cpus,
		      const struct cpulist *counts, void *params, struct err *err)
{
	const struct experiment *exp = experiment_find("page_counter", err);
	const struct param *batch = params_find(exp, "batch", err);
	const struct param *work = params_find(exp, "work_ns", err);
	struct cpulist first = *cpus;
	int b, d, i, rc;

	for (b = 0; b < NR(batches); b++) {
		if (skip_batch(t, batches[b]))
			continue;
		param_set(batch, params, batches[b]);
		for (d = 0; d < NR(demands); d++) {
			if (t->few_demands && demands[d] != 0 && demands[d] != 1000)
				continue;
			param_set(work, params, demands[d]);
			for (i = 0; i < counts->nr; i++) {
				if (skip_count(t, demands[d], counts->cpu[i], cpus->nr))
					continue;
				first.nr = counts->cpu[i];
				rc = plan_add_case(plan, exp, params, &first, err);
				if (rc)
					return rc;
			}
		}
	}
	return 0;
}

/* contended_line's fetch_add on the first @nr of @cpus */
static int add_contended(struct plan *plan, const struct cpulist *cpus, int nr, int64_t log,
			 struct err *err)
{
	const struct experiment *exp = experiment_find("contended_line", err);
	void *params = exp ? malloc(exp->params_size) : NULL;
	struct cpulist first = *cpus;
	int rc;

	if (!params)
		return err_set(err, -ENOMEM, "out of memory");
	params_defaults(exp, params);
	param_set(params_find(exp, "log", NULL), params, log);
	first.nr = nr;
	rc = plan_add_case(plan, exp, params, &first, err);
	free(params);
	return rc;
}

/* what one line can take, at the worker counts that have saturated cases */
static int add_limit(struct plan *plan, const struct thinning *t, const struct cpulist *cpus,
		     const struct cpulist *counts, struct err *err)
{
	int i, rc = 0;

	for (i = 0; i < counts->nr && !rc; i++)
		if (!skip_count(t, 0, counts->cpu[i], cpus->nr))
			rc = add_contended(plan, cpus, counts->cpu[i], 0, err);
	return rc;
}

/* every pair of CPUs, where MIN_BLOCKS of all of them cost no more than PAIRS_NS */
static int add_pairs(struct plan *plan, const struct topo *topo, const struct cpulist *cpus,
		     uint64_t seed, struct err *err)
{
	const struct experiment *exp = experiment_find("core_to_core", err);
	int64_t cost = plan->window_ns + plan->warmup_ns, nr = (int64_t)cpus->nr * (cpus->nr - 1);
	struct cpu_lists lists = {0};
	char said[200] = "";
	void *params;
	int i, rc;

	if (!exp)
		return -EINVAL;
	if (!nr || nr > PAIRS_NS / MIN_BLOCKS / cost)
		return 0;
	params = malloc(exp->params_size);
	if (!params)
		return err_set(err, -ENOMEM, "out of memory");
	params_defaults(exp, params);
	rc = plan_pair_lists(topo, cpus, nr, seed, &lists, said, sizeof(said), err);
	for (i = 0; i < lists.nr && !rc; i++)
		rc = plan_add_case(plan, exp, params, &lists.list[i], err);
	cpu_lists_free(&lists);
	free(params);
	/* what a hand-over costs two that do not poll, as these do */
	return rc ? rc : add_contended(plan, cpus, 2, 1, err);
}

static int build(struct plan *plan, const struct thinning *t, const struct cpulist *cpus,
		 const struct cpulist *counts, struct err *err)
{
	const struct experiment *exp = experiment_find("page_counter", err);
	const struct param *layout = exp ? params_find(exp, "layout", err) : NULL;
	void *params = exp ? malloc(exp->params_size) : NULL;
	int64_t value;
	int i, rc = 0;

	if (!params || !layout) {
		free(params);
		return err_set(err, -ENOMEM, "out of memory");
	}
	params_defaults(exp, params);
	for (i = 0; i < NR(layouts) && !rc; i++) {
		if (t->two_layouts && i == 1)
			continue;
		rc = param_parse(layout, layouts[i], &value, err);
		param_set(layout, params, value);
		if (!rc)
			rc = add_layout(plan, t, cpus, counts, params, err);
	}
	free(params);
	plan->window_ns = PLAN_WINDOW_NS / t->window_div;
	plan->warmup_ns = plan->window_ns / 4;
	if (*t->said)
		snprintf(plan->thinned, sizeof(plan->thinned), "to fit the time, left out: %s",
			 t->said);
	return rc;
}

int plan_default(const struct topo *topo, int64_t budget_ns, uint64_t seed, struct plan *out,
		 struct err *err)
{
	struct cpulist cpus = CPULIST_INIT, counts = CPULIST_INIT;
	int step, rc;

	*out = (struct plan){0};
	rc = topo_place(topo, "cores-first", 0, &cpus, err);
	if (!rc)
		rc = plan_worker_counts(NULL, cpus.nr, &counts, err);
	if (!rc && !budget_ns)
		budget_ns = plan_default_budget(counts.nr);
	for (step = 0; step < NR(steps) && !rc; step++) {
		plan_free(out);
		rc = plan_begin(out, NULL, NULL, err);
		if (!rc)
			rc = build(out, &steps[step], &cpus, &counts, err);
		if (!rc)
			rc = add_limit(out, &steps[step], &cpus, &counts, err);
		if (!rc)
			rc = add_pairs(out, topo, &cpus, seed, err);
		if (!rc && MIN_BLOCKS * plan_block_ns(out) <= budget_ns)
			break;
	}
	if (!rc)
		rc = plan_set_homes(topo, out, err);
	out->seed = seed;
	out->budget_ns = budget_ns;
	plan_fit(out, 0, 0);
	cpulist_free(&cpus);
	cpulist_free(&counts);
	if (rc)
		plan_free(out);
	return rc;
}
