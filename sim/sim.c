/* SPDX-License-Identifier: MIT */
#include "sim_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define DEFAULT_TARGET	   0.005
#define DEFAULT_ACCESSES   100000000
#define OPS_PER_BATCH	   120 /* of each worker, at least, on average */
#define LONG_OP		   200 /* accesses */
#define LONG_OPS_PER_BATCH 30
#define MIN_BATCHES	   8
#define MAX_BATCHES	   64
#define FIRST_BATCH_PS	   1000000LL
#define NS_PER_S	   1e9

/* ----------------------------------------------------------------------- setup */

static int place_workers(struct sim *s, struct err *err)
{
	const struct cpulist *cpus = &s->config->cpus;
	const struct topo_cpu *all;
	int i, k, nr;

	all = topo_cpus(s->profile->topo, &nr);
	for (i = 0; i < s->nr; i++) {
		for (k = 0; k < nr && all[k].os != cpus->cpu[i]; k++)
			;
		if (k == nr)
			return err_set(err, -EINVAL, "machine '%s' has no CPU %d", s->profile->name,
				       cpus->cpu[i]);
		s->cpu[i].idx = i;
		s->cpu[i].pidx = s->pidx[i] = k;
		s->cpu[i].group = s->profile->group[k];
		s->groups[i] = all[k].socket;
		s->groups[s->nr + i] = all[k].cluster;
	}
	for (i = 0; i < s->nr; i++)
		for (k = s->profile->group[s->cpu[i].pidx] + 1; k < s->profile->nr_groups; k++)
			s->first_slot[k]++;
	s->env.socket = s->groups;
	s->env.cluster = s->groups + s->nr;
	return 0;
}

static void note_field(void *ctx, const volatile void *field, size_t size, const char *name)
{
	struct sim *s = ctx;
	int64_t offset = arena_offset(s, field);
	struct sim_field *grown;

	if (offset < 0)
		return;
	grown = realloc(s->field, sizeof(*grown) * (s->nr_fields + 1));
	if (!grown)
		return;
	s->field = grown;
	s->field[s->nr_fields] = (struct sim_field){.offset = offset, .size = (int)size};
	snprintf(s->field[s->nr_fields++].name, sizeof(s->field->name), "%s", name);
}

static int run_setup(struct sim *s, struct err *err)
{
	struct worker *workers = calloc((unsigned)s->nr, sizeof(*workers));
	uint64_t rng = s->config->seed;
	int i, rc;

	if (!workers)
		return err_set(err, -ENOMEM, "out of memory");
	s->env.nr_workers = s->nr;
	s->env.cpu = s->config->cpus.cpu;
	s->env.home_node = -1;
	for (i = 0; i < s->nr; i++)
		workers[i] = (struct worker){
			.idx = i, .cpu = s->env.cpu[i], .over = &s->over, .rng = stats_rng(&rng)};
	rc = s->exp->setup(&s->env, s->params, workers, &s->shared, err);
	for (i = 0; i < s->nr && !rc; i++) {
		s->cpu[i].w = workers[i];
		if (s->exp->worker_init)
			rc = s->exp->worker_init(s->shared, s->params, &s->cpu[i].w, err);
	}
	if (!rc && s->exp->describe)
		s->exp->describe(s->shared, note_field, s);
	free(workers);
	return rc;
}

static int open_sim(struct sim *s, const struct sim_config *config, struct err *err)
{
	int rc;

	s->config = config;
	s->profile = config->profile;
	s->params = config->params;
	s->nr = config->cpus.nr;
	s->rng = ~config->seed;
	s->max_accesses = config->max_accesses ? config->max_accesses : DEFAULT_ACCESSES;
	s->exp = model_experiment_find(config->experiment, err);
	if (!s->exp)
		return -EINVAL;
	if (s->nr < s->exp->min_workers || s->nr > s->profile->nr_cpus || s->nr > SIM_MAX_CPU)
		return err_set(err, -EINVAL,
			       "%s on %d workers: it needs at least %d, and machine '%s' "
			       "has %d CPUs",
			       s->exp->name, s->nr, s->exp->min_workers, s->profile->name,
			       s->profile->nr_cpus);
	if (s->exp->validate) {
		rc = s->exp->validate(s->params, s->nr, err);
		if (rc)
			return rc;
	}
	s->cpu = aligned_alloc(_Alignof(struct sim_cpu), (size_t)s->nr * sizeof(*s->cpu));
	if (s->cpu)
		memset(s->cpu, 0, (size_t)s->nr * sizeof(*s->cpu));
	s->groups = calloc(2 * (unsigned)s->nr, sizeof(*s->groups));
	s->first_slot = calloc((unsigned)s->profile->nr_groups, sizeof(*s->first_slot));
	s->pidx = calloc((unsigned)s->nr, sizeof(*s->pidx));
	if (!s->cpu || !s->groups || !s->first_slot || !s->pidx || arena_make(s))
		return err_set(err, -ENOMEM, "out of memory");
	rc = place_workers(s, err);
	if (!rc)
		rc = run_setup(s, err);
	if (!rc && engine_open(s))
		rc = err_set(err, -ENOMEM, "out of memory");
	return rc;
}

static void close_sim(struct sim *s)
{
	if (s->shared && s->exp->teardown)
		s->exp->teardown(s->shared);
	engine_close(s);
	arena_free(s);
	free(s->groups);
	free(s->first_slot);
	free(s->pidx);
	free(s->field);
	free(s->cpu);
}

/* --------------------------------------------------------------------- batches */

static uint64_t sum_ops(const struct sim *s)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < s->nr; i++)
		sum += s->cpu[i].ops;
	return sum;
}

static bool bounded(const struct sim *s)
{
	return s->nr_accesses >= s->max_accesses || !s->nr_heap;
}

/* what is counted from the end of the warm-up on */
struct mark {
	int64_t at;
	uint64_t ops, *by_worker;
	struct sim_time time;
	uint64_t transfers;
};

static void sum_time(const struct sim *s, struct sim_time *t)
{
	int i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < s->nr; i++) {
		t->work += s->cpu[i].time.work;
		t->hits += s->cpu[i].time.hits;
		t->transfers += s->cpu[i].time.transfers;
		t->queueing += s->cpu[i].time.queueing;
		t->other += s->cpu[i].time.other;
	}
}

static uint64_t sum_transfers(const struct sim *s)
{
	struct sim_line *l;
	uint64_t sum = 0;
	int64_t offset;
	int i;

	for (i = 0; i < arena_nr_lines(s); i++) {
		l = arena_line_at(s, i, &offset);
		sum += l ? l->transfers : 0;
	}
	return sum;
}

static int set_mark(const struct sim *s, struct mark *m, int64_t at)
{
	int i;

	m->by_worker = calloc(s->nr, sizeof(*m->by_worker));
	if (!m->by_worker)
		return -ENOMEM;
	m->at = at;
	m->ops = sum_ops(s);
	for (i = 0; i < s->nr; i++)
		m->by_worker[i] = s->cpu[i].ops;
	sum_time(s, &m->time);
	m->transfers = sum_transfers(s);
	return 0;
}

/*
 * A batch is long enough for OPS_PER_BATCH operations of each worker on average; everything before
 * the first of that length is warm-up. Returns its length.
 */
static int64_t warm_up(struct sim *s, int64_t *now)
{
	int64_t length = FIRST_BATCH_PS;
	uint64_t before, ops, want;

	for (;;) {
		before = sum_ops(s);
		engine_run(s, *now + length);
		*now += length;
		ops = sum_ops(s);
		s->long_ops = ops && s->nr_accesses / ops > LONG_OP;
		want = (uint64_t)s->nr * (s->long_ops ? LONG_OPS_PER_BATCH : OPS_PER_BATCH);
		if (bounded(s) || ops - before >= want)
			return length;
		length *= 2;
	}
}

/* relative half-width of the mean of the batches, as for independent ones */
static double half_width(const double *ops, int nr)
{
	double mean = stats_mean(ops, nr);

	return nr > 1 && mean > 0 ? 2 * stats_sd(ops, nr) / sqrt(nr) / mean : NAN;
}

static int run_steady(struct sim *s, struct sim_result *out, struct mark *m)
{
	double target = s->config->target > 0 ? s->config->target : DEFAULT_TARGET;
	double ops[MAX_BATCHES];
	int64_t now = 0, length = warm_up(s, &now);
	uint64_t before;
	int nr = 0, k = 0;

	if (set_mark(s, m, now))
		return -ENOMEM;
	while (nr < MAX_BATCHES && !bounded(s)) {
		before = sum_ops(s);
		engine_run(s, now + length);
		now += length;
		ops[nr++] = sum_ops(s) - before;
		out->half_width = half_width(ops, nr);
		if (nr >= MIN_BATCHES && out->half_width <= target)
			break;
	}
	out->bounded = bounded(s);
	out->simulated_ps = now - m->at;
	/* the bound came inside a batch, or before the first: count by the clocks of the CPUs */
	if (out->bounded) {
		for (now = 0; k < s->nr; k++)
			now += s->cpu[k].now / s->nr;
		out->simulated_ps = now - m->at;
		if (out->simulated_ps <= 0) {
			out->simulated_ps = now;
			m->at = 0;
			m->ops = 0;
			m->transfers = 0;
			memset(&m->time, 0, sizeof(m->time));
			memset(m->by_worker, 0, sizeof(*m->by_worker) * s->nr);
		}
	}
	return 0;
}

/* each worker does its share and leaves; the rate is that of the whole, as such tools report it */
static int run_fixed(struct sim *s, struct sim_result *out, struct mark *m)
{
	int i;

	if (set_mark(s, m, 0))
		return -ENOMEM;
	out->worker_rate = calloc(s->nr, sizeof(*out->worker_rate));
	if (!out->worker_rate)
		return -ENOMEM;
	engine_run(s, INT64_MAX >> 13);
	for (i = 0; i < s->nr; i++) {
		out->worker_rate[i] = s->cpu[i].ops * 1e12 / s->cpu[i].now;
		if (s->cpu[i].now > out->simulated_ps)
			out->simulated_ps = s->cpu[i].now;
		out->bounded |= !s->cpu[i].done;
	}
	return 0;
}

/* every fiber ends its operation, then what must be true is looked at */
static int drain_and_check(struct sim *s, struct sim_result *out, struct err *err)
{
	struct worker *workers = calloc((unsigned)s->nr, sizeof(*workers));
	uint64_t *ops = calloc(s->nr, sizeof(*ops));
	int i, rc = 0;

	s->draining = true;
	s->over = 1;
	s->max_accesses = s->nr_accesses + (uint64_t)s->nr * 200000;
	engine_run(s, INT64_MAX >> 13);
	for (i = 0; i < s->nr && workers && ops; i++) {
		workers[i] = s->cpu[i].w;
		ops[i] = s->cpu[i].ops;
		if (!s->cpu[i].done && !rc)
			rc = err_set(err, -ETIME, "%s: an operation does not end", s->exp->name);
	}
	if (!workers || !ops)
		rc = err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < EXPERIMENT_MAX_METRICS; i++)
		out->metrics[i] = NAN;
	if (!rc && s->exp->check)
		rc = s->exp->check(&s->env, s->params, s->shared, workers, ops, err);
	if (!rc && s->exp->read_metrics)
		s->exp->read_metrics(&s->env, s->params, s->shared, workers, ops, out->metrics);
	free(workers);
	free(ops);
	return rc;
}

/* --------------------------------------------------------------------- results */

static void sum_up(const struct sim *s, const struct mark *m, struct sim_result *out)
{
	struct stats_spread spread = STATS_SPREAD_INIT;
	double seconds = out->simulated_ps / 1e12;
	uint64_t ops = sum_ops(s) - m->ops;
	struct sim_time t;
	int i;

	sum_time(s, &t);
	out->time = (struct sim_time){t.work - m->time.work, t.hits - m->time.hits,
				      t.transfers - m->time.transfers,
				      t.queueing - m->time.queueing, t.other - m->time.other};
	out->nr_accesses = s->nr_accesses;
	out->rate = seconds > 0 ? ops / seconds : 0;
	out->ns_per_op = out->rate > 0 ? s->nr * NS_PER_S / out->rate : 0;
	out->transfers_per_op = ops ? (double)(sum_transfers(s) - m->transfers) / ops : 0;
	for (i = 0; i < s->nr; i++)
		stats_spread_add(&spread,
				 seconds > 0 ? (s->cpu[i].ops - m->by_worker[i]) / seconds : 0);
	out->slowest = spread.slowest;
	out->fastest = spread.fastest;
	out->jain = stats_jain(&spread);
}

/* "0:usage 0:min 0:low": the fields on a line */
static void name_line(const struct sim *s, struct sim_line_report *r)
{
	size_t len = 0;
	int i;

	for (i = 0; i < s->nr_fields && len < sizeof(r->fields); i++)
		if (s->field[i].offset < r->offset + LINE_SIZE &&
		    s->field[i].offset + (int64_t)s->field[i].size > r->offset)
			len += snprintf(r->fields + len, sizeof(r->fields) - len, "%s%s",
					len ? " " : "", s->field[i].name);
}

/* the lines that cost most, the worst first */
static void report_lines(const struct sim *s, struct sim_result *out)
{
	struct sim_line_report r;
	struct sim_line *l;
	int i, k;

	for (i = 0; i < arena_nr_lines(s); i++) {
		memset(&r, 0, sizeof(r));
		l = arena_line_at(s, i, &r.offset);
		if (!l || !l->waited)
			continue;
		r.accesses = l->accesses;
		r.transfers = l->transfers;
		r.waited_ps = l->waited;
		for (k = out->nr_lines; k > 0 && out->line[k - 1].waited_ps < r.waited_ps; k--)
			if (k < SIM_MAX_LINES)
				out->line[k] = out->line[k - 1];
		if (k < SIM_MAX_LINES)
			out->line[k] = r;
		out->nr_lines += out->nr_lines < SIM_MAX_LINES;
	}
	for (k = 0; k < out->nr_lines; k++)
		name_line(s, &out->line[k]);
}

/* @fields: NULL, or the accesses of each are counted and handed over */
static int run(const struct sim_config *config, struct sim_result *out, struct sim_field **fields,
	       int *nr_fields, struct err *err)
{
	struct sim s = {.count_fields = fields != NULL};
	struct mark m = {0};
	int rc;

	memset(out, 0, sizeof(*out));
	rc = open_sim(&s, config, err);
	if (!rc) {
		rc = config->ops_per_worker ? run_fixed(&s, out, &m) : run_steady(&s, out, &m);
		if (rc)
			err_set(err, rc, "out of memory");
	}
	if (!rc && !(sum_ops(&s) - m.ops))
		rc = err_set(err, -ETIME, "%s: no operation ended within %llu accesses",
			     s.exp->name, (unsigned long long)s.nr_accesses);
	if (!rc) {
		sum_up(&s, &m, out);
		report_lines(&s, out);
		rc = drain_and_check(&s, out, err);
	}
	if (!rc && s.no_memory)
		rc = err_set(err, -ENOMEM, "out of memory");
	if (rc) {
		free(out->worker_rate);
		out->worker_rate = NULL;
	}
	if (!rc && fields) {
		*fields = s.field;
		*nr_fields = s.nr_fields;
		s.field = NULL;
	}
	free(m.by_worker);
	close_sim(&s);
	return rc;
}

int sim_run(const struct sim_config *config, struct sim_result *out, struct err *err)
{
	return run(config, out, NULL, NULL, err);
}

int sim_fields(const struct sim_config *config, struct sim_field **out, int *nr, struct err *err)
{
	struct sim_result r;
	int rc = run(config, &r, out, nr, err);

	if (!rc)
		free(r.worker_rate);
	return rc;
}
