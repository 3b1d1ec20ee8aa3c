/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "legs.h"
#include "plots.h"
#include "report.h"
#include "sim.h"
#include "stats.h"

#define PS_PER_S     1e12
#define PS_PER_NS    1000
#define NR_RELATIONS (TOPO_CROSS_PACKAGE + 1)

static bool param_is(const struct result_case *c, const char *name, const char *text)
{
	const char *have = result_param_text(c, name);

	return have && !strcmp(have, text);
}

/* ps per operation of all workers together; 0: no undisturbed window */
static double service_ps(const struct result_case *c)
{
	double *rate = calloc((size_t)c->nr_samples + 1, sizeof(*rate)), ps = 0;
	int *block = calloc((size_t)c->nr_samples + 1, sizeof(*block)), nr;

	if (rate && block) {
		nr = result_rates(c, rate, block);
		ps = nr ? PS_PER_S / stats_median(rate, nr) : 0;
	}
	free(rate);
	free(block);
	return ps;
}

/* fetch_add on one line by @nr workers, nothing else, tickets kept or not; NULL: not measured */
static const struct result_case *contended(const struct results *r, int nr, bool log)
{
	const struct result_case *c;
	int64_t work;
	int i;

	for (i = 0; i < r->nr_cases; i++) {
		c = &r->cases[i];
		if (!strcmp(c->experiment, "contended_line") && param_is(c, "op", "fetch_add") &&
		    c->nr_workers == nr && result_param(c, "work_ns", &work) && !work &&
		    param_is(c, "log", "1") == log && service_ps(c) > 0)
			return c;
	}
	return NULL;
}

static int index_of(const struct topo *topo, int os)
{
	const struct topo_cpu *cpu;
	int nr, i;

	cpu = topo_cpus(topo, &nr);
	for (i = 0; i < nr; i++)
		if (cpu[i].os == os)
			return i;
	return -1;
}

struct pairs {
	double *ps; /* nr x nr by CPU index; 0: not measured */
	int nr;
	double relation[NR_RELATIONS]; /* medians; 0: none measured */
	struct legs *legs;	       /* of those measured; NULL: too few, or none is missing */
	int nr_measured;
	/* of two workers on one line whose tickets were kept; 0: not measured */
	double visit_ops, scale;
};

static int read_pairs(struct pairs *p, const struct results *r, const struct topo *topo)
{
	const struct result_case *c;
	int i, from, to;

	topo_cpus(topo, &p->nr);
	p->ps = calloc((size_t)p->nr * p->nr, sizeof(*p->ps));
	if (!p->ps)
		return -ENOMEM;
	for (i = 0; i < r->nr_cases; i++) {
		c = &r->cases[i];
		if (strcmp(c->experiment, "core_to_core") || !param_is(c, "protocol", "cas") ||
		    param_is(c, "lines", "reused") || c->cpus.nr != 2)
			continue;
		from = index_of(topo, c->cpus.cpu[0]);
		to = index_of(topo, c->cpus.cpu[1]);
		if (from >= 0 && to >= 0)
			p->ps[(size_t)from * p->nr + to] = service_ps(c);
	}
	return 0;
}

/* the median of each relation; -EINVAL when the machine has one that was never measured */
static int median_by_relation(struct pairs *p, const struct topo *topo, struct err *err)
{
	double *values = calloc((size_t)p->nr * p->nr + 1, sizeof(*values));
	const struct topo_cpu *cpu = topo_cpus(topo, &(int){0});
	int rel, i, k, n;
	bool there;

	if (!values)
		return err_set(err, -ENOMEM, "out of memory");
	for (rel = TOPO_SAME_CORE; rel < NR_RELATIONS; rel++) {
		for (i = 0, n = 0, there = false; i < p->nr; i++) {
			for (k = 0; k < p->nr; k++) {
				if (i == k || topo_relation(&cpu[i], &cpu[k]) != (unsigned)rel)
					continue;
				there = true;
				if (p->ps[(size_t)i * p->nr + k] > 0)
					values[n++] = p->ps[(size_t)i * p->nr + k];
			}
		}
		p->relation[rel] = n ? stats_median(values, n) : 0;
		if (there && !n) {
			free(values);
			return err_set(
				err, -EINVAL,
				"the record has no core_to_core (protocol cas) of two CPUs that "
				"are %s",
				topo_relation_name(rel));
		}
	}
	free(values);
	return 0;
}

/* the nearest relation that was measured, from @rel outwards, else inwards */
static int64_t relation_ps(const struct pairs *p, int rel)
{
	int i;

	for (i = rel; i < NR_RELATIONS; i++)
		if (p->relation[i] > 0)
			return llround(p->relation[i]);
	for (i = rel; i >= 0; i--)
		if (p->relation[i] > 0)
			return llround(p->relation[i]);
	return 0;
}

/* an operation beside its atomics: a page from the stock, where few pages meet a counter */
static int64_t op_ps(const struct results *r, double rmw)
{
	const struct result_case *c;
	int64_t batch, depth, work, best = 0;
	double ps = 300, measured;
	int i;

	for (i = 0; i < r->nr_cases; i++) {
		c = &r->cases[i];
		if (strcmp(c->experiment, "page_counter") || c->nr_workers != 1 ||
		    !result_param(c, "batch", &batch) || !result_param(c, "depth", &depth) ||
		    !result_param(c, "work_ns", &work) || work || batch <= best)
			continue;
		measured = service_ps(c);
		if (measured <= 0)
			continue;
		best = batch;
		ps = measured - 2 * depth * rmw / batch;
	}
	return ps > 0 ? llround(ps) : 0;
}

static double transfer_of(const struct pairs *p, const struct topo *topo,
			  const struct result_case *two)
{
	int a = index_of(topo, two->cpus.cpu[0]), b = index_of(topo, two->cpus.cpu[1]);

	return a >= 0 && b >= 0 ? p->ps[(size_t)a * p->nr + b] : 0;
}

/*
 * The lower quartile: two that do nothing else fall into step in several ways (2.6, 3 and 3.9
 * operations a visit were seen within one run), and in the long ones a line stays on after it was
 * asked for.
 */
static double visit_ops(const struct result_case *c)
{
	double *value = calloc((size_t)c->nr_samples + 1, sizeof(*value)), ops = 0;
	int i, m, nr = 0;

	for (m = 0; m < c->nr_metrics && strcmp(c->metrics[m].name, "visit_ops"); m++)
		;
	for (i = 0; value && m < c->nr_metrics && i < c->nr_samples; i++)
		if (!c->samples[i].marks && isfinite(c->samples[i].metrics[m]))
			value[nr++] = c->samples[i].metrics[m];
	if (nr)
		ops = stats_quantile(value, nr, 0.25);
	free(value);
	return ops;
}

/*
 * In core_to_core the side that waits polls, and the line goes there and back for it; one that waits
 * with an atomic does not. What a hand-over costs those is the time of a visit: its operations, as
 * the tickets tell, by the time of one. All pairs are scaled by what this makes of one.
 */
static void scale_by_visits(struct pairs *p, const struct results *r, const struct topo *topo)
{
	const struct result_case *two = contended(r, 2, true);
	double transfer = two ? transfer_of(p, topo, two) : 0;
	size_t i;

	p->scale = 1;
	p->visit_ops = two ? visit_ops(two) : 0;
	if (p->visit_ops < 1 || transfer <= 0) {
		p->visit_ops = 0;
		return;
	}
	p->scale = p->visit_ops * service_ps(two) / transfer;
	for (i = 0; i < (size_t)p->nr * p->nr; i++)
		p->ps[i] *= p->scale;
}

/* w, from the tickets, else from how much faster two are served than one hand-over an operation */
static double visit(const struct results *r, const struct pairs *p, const struct topo *topo,
		    double rmw)
{
	const struct result_case *two = contended(r, 2, p->visit_ops > 0);
	double transfer = two ? transfer_of(p, topo, two) : 0, ops = p->visit_ops;

	if (!two || transfer <= 0)
		return 0;
	if (!ops)
		ops = transfer / service_ps(two);
	return ops > 1 ? (ops - 1) * rmw / transfer : 0;
}

/* a pair that was not measured: what legs say, else the median of its relation, which is there */
static double unmeasured_ps(const struct pairs *p, int i, int k)
{
	double ps = p->legs && i != k ? legs_predict(p->legs, i, k) : 0;

	return ps > 0 ? ps : 0;
}

static int set_transfers(struct sim_profile *profile, const struct pairs *p)
{
	double ps;
	int64_t *t;
	int home, i, k;

	for (home = 0; home < profile->nr_homes; home++)
		for (i = 0; i < p->nr; i++)
			for (k = 0; k < p->nr; k++) {
				t = &profile->transfer[((int64_t)home * p->nr + i) * p->nr + k];
				ps = p->ps[(size_t)i * p->nr + k];
				if (ps <= 0)
					ps = unmeasured_ps(p, i, k);
				if (ps > 0)
					*t = llround(ps);
			}
	return sim_profile_refresh(profile);
}

static int fit_legs(struct pairs *p, const struct topo *topo, struct err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < (size_t)p->nr * p->nr; i++)
		p->nr_measured += p->ps[i] > 0;
	if (p->nr_measured == p->nr * (p->nr - 1))
		return 0;
	rc = legs_fit(&p->legs, topo, p->ps, err);
	return rc == -EINVAL ? 0 : rc;
}

/* both directions of a pair count, as they were measured */
static void say_source(struct sim_profile *profile, const struct results *r, const struct pairs *p)
{
	char *to = profile->source;
	int size = sizeof(profile->source), all = p->nr * (p->nr - 1), nr, len;

	len = snprintf(to, size, "measured: '%.200s', %d of %d pairs of CPUs",
		       r->path ? r->path : "this run", p->nr_measured, all);
	if (p->visit_ops)
		len += snprintf(to + len, size - len,
				", times %.2f: what tickets show of a hand-over without polling",
				p->scale);
	if (p->legs)
		len += snprintf(
			to + len, size - len,
			"; the others from legs fitted to them, which miss those by %.2f ns rms",
			legs_rms(p->legs, p->ps, &nr) / PS_PER_NS);
	else if (p->nr_measured < all)
		len += snprintf(to + len, size - len,
				"; the others are medians of their relation, too few for legs");
	if (profile->nr_op)
		snprintf(to + len, size - len, "; local time of %d cases as one worker took it",
			 profile->nr_op);
}

/* what one worker took, less what the model has it take for its accesses */
static int add_op(struct sim_profile *p, const struct result_case *c, struct err *err)
{
	const struct experiment *exp = experiment_find(c->experiment, NULL);
	struct sim_op *op = &p->op[p->nr_op];
	struct sim_config alone = {.profile = p,
				   .experiment = c->experiment,
				   .cpus = c->cpus,
				   .seed = 1,
				   .target = 0.01,
				   .max_accesses = 1000000};
	double measured = service_ps(c);
	struct sim_result result;
	int rc;

	if (!exp || measured <= 0)
		return 0;
	*op = (struct sim_op){.experiment = exp->name, .params = case_params(exp, c)};
	if (!op->params)
		return 0;
	alone.params = op->params;
	p->nr_op++;
	rc = sim_run(&alone, &result, err);
	if (!rc) {
		op->ps = llround(measured - PS_PER_S / result.rate);
		op->ps = op->ps > 0 ? op->ps : 0;
		free(result.worker_rate);
		return 0;
	}
	/* one worker of it cannot be modelled: no more can several */
	free(op->params);
	p->nr_op--;
	return rc == -ENOMEM ? rc : 0;
}

static int add_ops(struct sim_profile *p, const struct results *r, struct err *err)
{
	int i, rc = 0;

	p->op = calloc((size_t)r->nr_cases + 1, sizeof(*p->op));
	if (!p->op)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < r->nr_cases && !rc; i++)
		if (r->cases[i].nr_workers == 1)
			rc = add_op(p, &r->cases[i], err);
	return rc;
}

int profile_from_results(struct sim_profile **out, const struct results *r, struct topo *topo,
			 struct err *err)
{
	const struct result_case *one = contended(r, 1, false);
	struct pairs p = {NULL};
	struct sim_costs costs = {.load = 100, .store = 100, .upgrade_cross = 1, .batch = 1};
	int rc;

	if (!one)
		rc = err_set(err, -EINVAL,
			     "the record has no contended_line op=fetch_add on 1 worker");
	else if (read_pairs(&p, r, topo))
		rc = err_set(err, -ENOMEM, "out of memory");
	else
		rc = 0;
	if (!rc) {
		scale_by_visits(&p, r, topo);
		rc = median_by_relation(&p, topo, err);
	}
	if (!rc)
		rc = fit_legs(&p, topo, err);
	if (rc) {
		topo_free(topo);
		free(p.ps);
		return rc;
	}
	costs.rmw = llround(service_ps(one));
	costs.smt = relation_ps(&p, TOPO_SAME_CORE);
	costs.cluster = relation_ps(&p, TOPO_SAME_L3);
	costs.node = relation_ps(&p, TOPO_SAME_NODE);
	costs.socket = relation_ps(&p, TOPO_SAME_PACKAGE);
	costs.cross = relation_ps(&p, TOPO_CROSS_PACKAGE);
	costs.op = op_ps(r, costs.rmw);
	costs.visit = visit(r, &p, topo, costs.rmw);
	costs.ahead_ps = strncmp(topo_info(topo)->uarch, "zen", 3) ? 0 : AMD_AHEAD_PS;
	rc = sim_profile_make(out, r->machine.class_name ? r->machine.class_name : "unknown", topo,
			      &costs, err);
	if (!rc) {
		rc = set_transfers(*out, &p) ? err_set(err, -ENOMEM, "out of memory")
					     : add_ops(*out, r, err);
		if (rc)
			sim_profile_free(*out);
		else
			say_source(*out, r, &p);
	}
	legs_free(p.legs);
	free(p.ps);
	return rc;
}
