/* SPDX-License-Identifier: MIT */
#include "bench_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define MAX_TRIES 3 /* windows per case and block until one is undisturbed */

const char *const bench_mark_names[BENCH_NR_MARKS] = {"switched", "migrated", "steal", "throttled",
						      "overlap",  "node",     "clock"};

struct bench_session {
	const struct topo *topo;
	const struct plan *plan;
	struct cpulist cpus; /* of all cases */
	struct crew *crew;
	struct noise *noise;
	struct kept *kept;
	struct noise_reading before, after;
	struct worker_slot *slots; /* as many as CPUs */
	struct counting *counting; /* NULL: nothing is counted */
	struct bench_context context;
	int64_t window_nr;
};

/* ------------------------------------------------------------------ sessions */

static void measure_clock(struct bench_context *c)
{
	int64_t t0 = now_ns(), t = t0, last, step = INT64_MAX;
	int i;

	for (i = 0; i < 20000; i++) {
		last = t;
		t = now_ns();
		if (t > last && t - last < step)
			step = t - last;
	}
	c->clock_read_ns = (t - t0) / 20000.0;
	/* between two readings of a fine clock lies the reading itself, not a tick */
	c->clock_resolution_ns = step == INT64_MAX ? 0 : step;
}

static int all_cpus(const struct plan *plan, struct cpulist *out)
{
	int i, k;

	for (i = 0; i < plan->nr_cases; i++)
		for (k = 0; k < plan->cases[i].cpus.nr; k++)
			if (!cpulist_has(out, plan->cases[i].cpus.cpu[k]) &&
			    cpulist_add(out, plan->cases[i].cpus.cpu[k]))
				return -ENOMEM;
	return 0;
}

static void work_calibrate_body(struct job *job, struct worker_slot *slot)
{
	work_calibrate();
}

static void work_error_body(struct job *job, struct worker_slot *slot)
{
	slot->work_error = work_error();
}

static double measure_work_error(struct bench_session *s)
{
	struct job job = {.body = work_error_body};
	double worst = 0;
	int i;

	crew_run(s->crew, &job, &s->cpus, s->slots);
	for (i = 0; i < s->cpus.nr; i++)
		if (s->slots[i].work_error > worst)
			worst = s->slots[i].work_error;
	return worst;
}

int bench_open(struct bench_session **out, const struct topo *topo, const struct plan *plan,
	       struct err *err)
{
	struct job calibrate = {.body = work_calibrate_body};
	struct bench_session *s;
	int rc;

	if (!topo_info(topo)->is_this_system)
		return err_set(
			err, -EOPNOTSUPP,
			"'%s' is not this system: it can be shown and predicted, not measured",
			topo_info(topo)->input);
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->topo = topo;
	s->plan = plan;
	rc = all_cpus(plan, &s->cpus);
	rc = rc ? rc : noise_open(&s->noise);
	if (rc) {
		err_set(err, rc, "cannot watch what else this machine does: %s", strerror(-rc));
		goto fail;
	}
	s->slots = aligned_alloc(_Alignof(struct worker_slot),
				 sizeof(*s->slots) * (unsigned)s->cpus.nr);
	if (!s->slots) {
		rc = err_set(err, -ENOMEM, "out of memory");
		goto fail;
	}
	rc = crew_open(&s->crew, &s->cpus, err);
	if (rc)
		goto fail;
	measure_clock(&s->context);
	crew_run(s->crew, &calibrate, &s->cpus, s->slots);
	s->context.work_error = measure_work_error(s);
	rc = counting_open(&s->counting, plan, s->crew, &s->cpus, s->slots, err);
	if (rc)
		goto fail;
	s->context.work_error_end = NAN;
	s->context.memory_verified = true;
	*out = s;
	return 0;
fail:
	bench_close(s);
	return rc;
}

void bench_close(struct bench_session *s)
{
	if (!s)
		return;
	counting_close(s->counting);
	crew_close(s->crew);
	noise_close(s->noise);
	kept_free(s->kept);
	free(s->before.steal);
	free(s->after.steal);
	free(s->slots);
	cpulist_free(&s->cpus);
	free(s);
}

void bench_session_context(struct bench_session *s, struct bench_context *out)
{
	*out = s->context;
}

/* ------------------------------------------------------------------- windows */

static unsigned noise_marks(const struct bench_session *s, const struct bench_case *c)
{
	unsigned marks = 0;
	int i, cpu;

	if (s->after.throttled != s->before.throttled)
		marks |= MARK_THROTTLED;
	for (i = 0; i < c->cpus.nr; i++) {
		cpu = c->cpus.cpu[i];
		if (cpu < s->after.nr_steal && cpu < s->before.nr_steal &&
		    s->after.steal[cpu] != s->before.steal[cpu])
			marks |= MARK_STEAL;
	}
	return marks;
}

/* the hooks of one window, between setup and teardown */
static int run_case(struct bench_session *s, const struct bench_case *c, const struct env *env,
		    struct worker *workers, void *shared, struct sample *out, struct err *err)
{
	struct job job = {.body = window_body,
			  .c = c,
			  .shared = shared,
			  .nr_workers = c->cpus.nr,
			  .warmup_ns = s->plan->warmup_ns,
			  .window_ns = s->plan->window_ns};
	int i, nr = c->cpus.nr, rc;
	uint64_t *ops;

	job.counter_set = counting_turn(s->counting, c - s->plan->cases);
	for (i = 0; i < nr; i++)
		s->slots[i] = (struct worker_slot){
			.w = workers[i], .counters = counting_on(s->counting, c->cpus.cpu[i])};
	noise_read(s->noise, &s->before);
	crew_run(s->crew, &job, &c->cpus, s->slots);
	noise_read(s->noise, &s->after);

	ops = calloc(nr, sizeof(*ops));
	if (!ops)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0, rc = 0; i < nr && !rc; i++) {
		workers[i] = s->slots[i].w;
		ops[i] = s->slots[i].ops_total;
		rc = s->slots[i].rc;
		if (rc && err)
			*err = s->slots[i].err;
	}
	if (!rc) {
		out->marks = noise_marks(s, c);
		sample_from_slots(s->slots, nr, s->context.clock_resolution_ns, out);
		rc = counting_read(s->counting, s->slots, nr, out, err);
	}
	if (!rc) {
		rc = c->exp->check ? c->exp->check(env, c->params, shared, workers, ops, err) : 0;
		if (!rc && c->exp->read_metrics)
			c->exp->read_metrics(env, c->params, shared, workers, ops, out->metrics);
	}
	free(ops);
	return rc;
}

/* sockets, then clusters, of the workers' CPUs: one block, freed with its start; NULL: no memory */
static int *groups_of(const struct topo *topo, const struct cpulist *cpus)
{
	int *socket = calloc(2 * (size_t)cpus->nr, sizeof(*socket)), *cluster = socket + cpus->nr;
	const struct topo_cpu *cpu;
	int i;

	for (i = 0; socket && i < cpus->nr; i++) {
		cpu = topo_cpu_by_os(topo, cpus->cpu[i]);
		socket[i] = cpu ? cpu->socket : 0;
		cluster[i] = cpu ? cpu->cluster : -1;
	}
	return socket;
}

static int prefix_case(const struct bench_case *c, struct err *err, int rc)
{
	char text[200];

	err_prefix(err, "%s: ", bench_case_text(c, text, sizeof(text)));
	return rc;
}

int bench_window(struct bench_session *s, int case_idx, struct sample *out, struct err *err)
{
	const struct bench_case *c = &s->plan->cases[case_idx];
	struct env env = {.nr_workers = c->cpus.nr, .cpu = c->cpus.cpu, .home_node = c->home_node};
	struct worker *workers = calloc(c->cpus.nr, sizeof(*workers));
	uint64_t rng = s->plan->seed ^ (uint64_t)++s->window_nr << 32;
	int *groups = groups_of(s->topo, &c->cpus);
	void *shared = NULL;
	int i, rc;

	*out = (struct sample){0};
	for (i = 0; i < EXPERIMENT_MAX_METRICS; i++)
		out->metrics[i] = NAN;
	counting_none(out);
	env.arena = arena_open(s->topo, &c->cpus, c->home_node, &s->kept);
	if (!workers || !groups || !env.arena) {
		rc = err_set(err, -ENOMEM, "out of memory");
		goto out;
	}
	env.socket = groups;
	env.cluster = groups + c->cpus.nr;
	for (i = 0; i < c->cpus.nr; i++)
		workers[i] =
			(struct worker){.idx = i, .cpu = c->cpus.cpu[i], .rng = stats_rng(&rng)};
	rc = c->exp->setup(&env, c->params, workers, &shared, err);
	if (rc) {
		prefix_case(c, err, rc);
		goto out;
	}
	rc = run_case(s, c, &env, workers, shared, out, err);
	if (rc)
		prefix_case(c, err, rc);
	if (s->context.memory_verified) {
		i = arena_verify(env.arena, s->context.memory_note, sizeof(s->context.memory_note));
		if (i < 0)
			s->context.memory_verified = false;
		else if (!i)
			out->marks |= MARK_NODE;
	}
	if (c->exp->teardown)
		c->exp->teardown(shared);
out:
	arena_close(env.arena);
	free(groups);
	free(workers);
	return rc;
}

/* -------------------------------------------------------------------- blocks */

struct progress_of_case {
	double *rate; /* of valid windows, those of an earlier session first */
	int nr_rates;
	int next_block;
	bool closed;
};

struct run {
	struct bench_session *s;
	const struct bench_hooks *hooks;
	struct progress_of_case *of;
	int *order;
	int64_t begin, deadline;
	struct bench_progress progress;
};

static int add_rate(struct progress_of_case *of, double rate, struct err *err)
{
	double *grown = realloc(of->rate, sizeof(*grown) * (of->nr_rates + 1));

	if (!grown)
		return err_set(err, -ENOMEM, "out of memory");
	of->rate = grown;
	of->rate[of->nr_rates++] = rate;
	return 0;
}

/* windows of an earlier session count as if they had been measured now */
static int take_over(struct run *r, struct err *err)
{
	const struct bench_case *c;
	int i, k, rc = 0;

	for (i = 0; i < r->s->plan->nr_cases; i++) {
		c = &r->s->plan->cases[i];
		for (k = 0; k < c->nr_done && !rc; k++) {
			if (!c->done[k].marks)
				rc = add_rate(&r->of[i], c->done[k].rate, err);
			if (c->done[k].block >= r->of[i].next_block)
				r->of[i].next_block = c->done[k].block + 1;
		}
	}
	return rc;
}

static void close_cases(struct run *r)
{
	const struct plan *plan = r->s->plan;
	struct estimate e;
	int i;

	r->progress.nr_open = 0;
	for (i = 0; i < plan->nr_cases; i++) {
		if (!r->of[i].closed && plan->target > 0 && r->of[i].nr_rates >= plan->min_blocks &&
		    !stats_median_ci(r->of[i].rate, r->of[i].nr_rates, plan->seed, &e))
			r->of[i].closed = stats_rel_halfwidth(&e) <= plan->target;
		r->progress.nr_open += !r->of[i].closed;
	}
}

/* the same order for the same seed and block, so that a resumed run goes on as it would have */
static void shuffle(struct run *r, int block)
{
	uint64_t rng = r->s->plan->seed + 0x9e3779b97f4a7c15ULL * (block + 1);
	int i, k, idx, nr = r->s->plan->nr_cases;

	for (i = 0; i < nr; i++)
		r->order[i] = i;
	for (i = nr - 1; i > 0; i--) {
		k = stats_rng_below(&rng, i + 1);
		idx = r->order[i];
		r->order[i] = r->order[k];
		r->order[k] = idx;
	}
}

static void tell_progress(struct run *r, int block)
{
	const struct plan *plan = r->s->plan;
	int64_t now = now_ns();
	int64_t by_blocks = (plan->max_blocks - block) * plan_block_ns(plan);

	r->progress.block = block;
	r->progress.elapsed_ns = now - r->begin;
	r->progress.left_ns = by_blocks;
	if (r->deadline && r->deadline - now < by_blocks)
		r->progress.left_ns = r->deadline > now ? r->deadline - now : 0;
	if (r->hooks->progress)
		r->hooks->progress(r->hooks->ctx, &r->progress);
}

/* 0 go on, 1 stopped, 2 out of time */
static int must_end(const struct run *r)
{
	const struct plan *plan = r->s->plan;

	if (r->hooks->stop && r->hooks->stop(r->hooks->ctx))
		return 1;
	if (r->deadline && now_ns() + plan->window_ns + plan->warmup_ns > r->deadline)
		return 2;
	return 0;
}

/* windows of one case in one block until one is undisturbed */
static int visit(struct run *r, int idx, int block, struct err *err)
{
	struct sample sample;
	int try, rc, end;

	for (try = 0; try < MAX_TRIES; try++) {
		end = must_end(r);
		if (end)
			return end;
		rc = bench_window(r->s, idx, &sample, err);
		if (rc)
			return rc;
		sample.block = block;
		rc = r->hooks->sample ? r->hooks->sample(r->hooks->ctx, idx, &sample, err) : 0;
		if (rc < 0)
			return rc;
		r->of[idx].next_block = block + 1;
		if (!sample.marks)
			return add_rate(&r->of[idx], sample.rate, err);
	}
	return 0;
}

static int run_block(struct run *r, int block, struct err *err)
{
	int i, idx, rc = 0;

	shuffle(r, block);
	for (i = 0; i < r->s->plan->nr_cases && !rc; i++) {
		idx = r->order[i];
		if (r->of[idx].closed || r->of[idx].next_block > block)
			continue;
		rc = visit(r, idx, block, err);
		tell_progress(r, block);
	}
	return rc;
}

static int run_blocks(struct run *r, struct err *err)
{
	int block, rc = 0, saved;

	close_cases(r);
	for (block = 0; block < r->s->plan->max_blocks && r->progress.nr_open && !rc; block++) {
		rc = run_block(r, block, err);
		if (rc < 0)
			break;
		close_cases(r);
		saved = r->hooks->block_end ? r->hooks->block_end(r->hooks->ctx, &r->progress, err)
					    : 0;
		if (saved < 0)
			rc = saved;
	}
	return rc == 2 ? 0 : rc;
}

int bench_run(const struct topo *topo, const struct plan *plan, const struct bench_hooks *hooks,
	      struct err *err)
{
	struct run r = {.hooks = hooks};
	int i, rc;

	r.begin = now_ns();
	r.deadline = plan->budget_ns ? r.begin + plan->budget_ns : 0;
	r.progress.nr_cases = plan->nr_cases;
	rc = bench_open(&r.s, topo, plan, err);
	if (rc)
		return rc;
	if (hooks->context)
		hooks->context(hooks->ctx, &r.s->context);
	r.of = calloc(plan->nr_cases, sizeof(*r.of));
	r.order = calloc(plan->nr_cases, sizeof(*r.order));
	rc = r.of && r.order ? take_over(&r, err) : err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = run_blocks(&r, err);
	r.s->context.work_error_end = measure_work_error(r.s);
	if (hooks->context)
		hooks->context(hooks->ctx, &r.s->context);
	for (i = 0; r.of && i < plan->nr_cases; i++)
		free(r.of[i].rate);
	free(r.of);
	free(r.order);
	bench_close(r.s);
	return rc;
}
