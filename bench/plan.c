/* SPDX-License-Identifier: MIT */
#include "plan_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CASES	 60000
#define MAX_VALUES	 256
#define CASE_COST_NS	 1000000 /* setup, start and check of a window, as measured on 2 CPUs */
#define WORKER_COST_NS	 20000	 /* and for each worker */
#define MIN_BLOCKS	 7	 /* the fewest whose bootstrap interval is worth printing */
#define MAX_BLOCKS	 400   /* the budget ends a run, this only one that has none to speak of */
#define TARGET		 0.005 /* half of what tells two batches 1.5% apart, half a margin */
#define MIN_BLOCKS_PAIRS 5     /* the fewest that give an interval */
#define PAIRS_BUDGET_NS	 120000000000LL

/* ------------------------------------------------------------------- estimate */

int64_t plan_block_ns(const struct plan *plan)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < plan->nr_cases; i++)
		sum += plan->window_ns + plan->warmup_ns + CASE_COST_NS +
		       WORKER_COST_NS * plan->cases[i].cpus.nr;
	return sum;
}

int64_t plan_estimate_ns(const struct plan *plan)
{
	int64_t all = plan->max_blocks * plan_block_ns(plan);

	return plan->budget_ns && plan->budget_ns < all ? plan->budget_ns : all;
}

void plan_free(struct plan *plan)
{
	int i;

	for (i = 0; i < plan->nr_cases; i++) {
		free(plan->cases[i].params);
		cpulist_free(&plan->cases[i].cpus);
	}
	free(plan->cases);
	free(plan->placement);
	free(plan->home);
	*plan = (struct plan){0};
}

/* ---------------------------------------------------------------------- cases */

int plan_add_case(struct plan *plan, const struct experiment *exp, const void *params,
		  const struct cpulist *cpus, struct err *err)
{
	struct bench_case *grown, *c;

	if (plan->nr_cases >= MAX_CASES)
		return err_set(err, -EINVAL, "the plan has more than %d cases: sweep less",
			       MAX_CASES);
	grown = realloc(plan->cases, sizeof(*grown) * (plan->nr_cases + 1));
	if (!grown)
		return err_set(err, -ENOMEM, "out of memory");
	plan->cases = grown;
	c = &plan->cases[plan->nr_cases];
	*c = (struct bench_case){.exp = exp, .placement = plan->placement, .home = plan->home};
	c->params = malloc(exp->params_size);
	if (!c->params || cpulist_copy(&c->cpus, cpus)) {
		free(c->params);
		return err_set(err, -ENOMEM, "out of memory");
	}
	memcpy(c->params, params, exp->params_size);
	plan->nr_cases++;
	return 0;
}

int plan_set_homes(const struct topo *topo, struct plan *plan, struct err *err)
{
	struct bench_case *c;
	char note[sizeof(plan->note)];
	int i, rc;

	for (i = 0; i < plan->nr_cases; i++) {
		c = &plan->cases[i];
		rc = topo_home(topo, c->home, &c->cpus, &c->home_node, note, sizeof(note), err);
		if (rc)
			return rc;
		if (*note)
			memcpy(plan->note, note, sizeof(note));
	}
	return 0;
}

int plan_begin(struct plan *plan, const char *placement, const char *home, struct err *err)
{
	*plan = (struct plan){0};
	plan->placement = strdup(placement ? placement : "cores-first");
	plan->home = strdup(home ? home : "local");
	return plan->placement && plan->home ? 0 : err_set(err, -ENOMEM, "out of memory");
}

const char *bench_case_text(const struct bench_case *c, char *buf, size_t size)
{
	const struct param *p;
	char value[64];
	size_t len;

	len = snprintf(buf, size, "%s", c->exp->name);
	for (p = c->exp->params; p && p->name; p++) {
		if (param_get(p, c->params) == p->def || len >= size)
			continue;
		param_text(p, param_get(p, c->params), value, sizeof(value));
		len += snprintf(buf + len, size - len, " %s=%s", p->name, value);
	}
	if (len < size)
		snprintf(buf + len, size - len, " %d worker%s", c->cpus.nr,
			 c->cpus.nr == 1 ? "" : "s");
	return buf;
}

/* ---------------------------------------------------------------------- sweeps */

struct sweep {
	int64_t value[EXPERIMENT_MAX_PARAMS][MAX_VALUES];
	int nr[EXPERIMENT_MAX_PARAMS];
};

/* "name=v,v": into the sweep of the parameter when the experiment has it; *used then grows */
static int apply_set(const struct experiment *exp, const char *set, struct sweep *sweep, int *used,
		     struct err *err)
{
	size_t name_len = strcspn(set, "=");
	const struct param *p;
	const char *s = set + name_len;
	char text[128];
	int idx = 0, rc, i;
	int64_t v;

	for (p = exp->params; p && p->name; p++, idx++)
		if (strlen(p->name) == name_len && !strncmp(p->name, set, name_len))
			break;
	if (!p || !p->name)
		return 0;
	(*used)++;
	sweep->nr[idx] = 0;
	while (*s) {
		s++;
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(s, ","), s);
		s += strcspn(s, ",");
		rc = param_parse(p, text, &v, err);
		if (rc)
			return rc;
		for (i = 0; i < sweep->nr[idx]; i++)
			if (sweep->value[idx][i] == v)
				return err_set(err, -EINVAL, "%s=%s is named twice", p->name, text);
		if (sweep->nr[idx] == MAX_VALUES)
			return err_set(err, -EINVAL, "%s has more than %d values", p->name,
				       MAX_VALUES);
		sweep->value[idx][sweep->nr[idx]++] = v;
	}
	return 0;
}

/* a set that no chosen experiment knows: the sentence comes from the first one's table */
static int unknown_set(const struct experiment *exp, const char *set, struct err *err)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(set, "="), set);
	if (!params_find(exp, name, err))
		err_prefix(err, "%s: ", exp->name);
	return -EINVAL;
}

/* one combination on every CPU list; those that the experiment refuses are counted */
static int add_combination(struct plan *plan, const struct experiment *exp, const void *params,
			   const struct cpu_lists *lists, int *left_out, struct err *refusal,
			   struct err *err)
{
	int i, nr, rc;

	for (i = 0; i < lists->nr; i++) {
		nr = lists->list[i].nr;
		if (nr < exp->min_workers) {
			(*left_out)++;
			err_set(refusal, -EOPNOTSUPP, "%s needs at least %d workers, not %d",
				exp->name, exp->min_workers, nr);
			continue;
		}
		if (exp->validate && exp->validate(params, nr, refusal)) {
			(*left_out)++;
			continue;
		}
		rc = plan_add_case(plan, exp, params, &lists->list[i], err);
		if (rc)
			return rc;
	}
	return 0;
}

/* the cross product over @base: the last parameter turns fastest */
static int add_sweep(struct plan *plan, const struct experiment *exp, const void *base,
		     const struct sweep *sweep, const struct cpu_lists *lists, struct err *err)
{
	int at[EXPERIMENT_MAX_PARAMS] = {0}, nr = params_count(exp), i, rc, left_out = 0;
	int before = plan->nr_cases;
	struct err refusal = ERR_INIT;
	void *params = calloc(1, exp->params_size);

	if (!params)
		return err_set(err, -ENOMEM, "out of memory");
	do {
		memcpy(params, base, exp->params_size);
		for (i = 0; i < nr; i++)
			if (sweep->nr[i])
				param_set(&exp->params[i], params, sweep->value[i][at[i]]);
		rc = add_combination(plan, exp, params, lists, &left_out, &refusal, err);
		for (i = nr - 1; i >= 0; i--) {
			if (++at[i] < sweep->nr[i])
				break;
			at[i] = 0;
		}
	} while (i >= 0 && !rc);
	free(params);
	if (!rc && plan->nr_cases == before)
		return err_set(err, refusal.code, "%s", refusal.msg);
	if (!rc && left_out)
		snprintf(plan->note, sizeof(plan->note), "%d combinations left out: %.180s",
			 left_out, refusal.msg);
	return rc;
}

/* --------------------------------------------------------------------- workers */

int plan_worker_counts(const char *spec, int all, struct cpulist *out, struct err *err)
{
	char text[256] = "";
	const char *s = spec;
	size_t len = 0;
	int i, rc = 0;

	if (!spec) {
		for (i = 1; i < all && !rc; i *= 2)
			rc = cpulist_add(out, i);
		return rc || cpulist_add(out, all) ? err_set(err, -ENOMEM, "out of memory") : 0;
	}
	/* "all" is a number that the user need not know */
	while (*s && len < sizeof(text) - 16) {
		if (!strncmp(s, "all", 3) && (s == spec || s[-1] == ',') &&
		    (!s[3] || s[3] == ',')) {
			len += snprintf(text + len, sizeof(text) - len, "%d", all);
			s += 3;
		} else {
			text[len++] = *s++;
		}
	}
	rc = *s ? err_set(err, -EINVAL, "'%.40s...' is too long", spec)
		: cpulist_parse(text, out, err);
	if (rc)
		return err_prefix(err, "workers: "), rc;
	for (i = 0; i < out->nr; i++)
		if (out->cpu[i] < 1 || out->cpu[i] > all)
			return err_set(
				err, -EOPNOTSUPP,
				"%d workers: the placement has %d usable CPU%s, and every worker "
				"needs its own",
				out->cpu[i], all, all == 1 ? "" : "s");
	return 0;
}

/* ------------------------------------------------------------------------ build */

/* what all experiments of a plan share: where workers may be, and how many */
struct place {
	const struct topo *topo;
	struct cpulist cpus, counts;
};

void plan_fit(struct plan *plan, int blocks, double target)
{
	int64_t fit = plan->budget_ns / (plan_block_ns(plan) + 1) + 1;

	plan->target = target < 0 ? 0 : target > 0 ? target : TARGET;
	plan->max_blocks = blocks ? blocks : MAX_BLOCKS;
	plan->min_blocks = plan->max_blocks < MIN_BLOCKS ? plan->max_blocks : MIN_BLOCKS;
	if (!blocks && plan->budget_ns && fit < plan->min_blocks)
		plan->min_blocks = (int)fit;
}

/* how many combinations a sweep has */
static int64_t nr_combinations(const struct sweep *sweep)
{
	int64_t nr = 1;
	int i;

	for (i = 0; i < EXPERIMENT_MAX_PARAMS; i++)
		nr *= sweep->nr[i] ? sweep->nr[i] : 1;
	return nr;
}

/* the CPU lists of an experiment; pairs are as many as MIN_BLOCKS_PAIRS blocks have time for */
static int make_lists(struct plan *plan, const struct plan_spec *spec, const struct experiment *exp,
		      const struct sweep *sweep, const struct place *place, struct cpu_lists *out,
		      struct err *err)
{
	int64_t cost, limit;

	if (!exp->pairs)
		return plan_prefix_lists(&place->cpus, &place->counts, out, err);
	cost = plan->window_ns + plan->warmup_ns + CASE_COST_NS + 2 * WORKER_COST_NS;
	limit = spec->nr_pairs == PLAN_ALL_PAIRS ? INT32_MAX
		: spec->nr_pairs
			? spec->nr_pairs
			: plan->budget_ns / cost / MIN_BLOCKS_PAIRS / 2 / nr_combinations(sweep);
	return plan_pair_lists(place->topo, &place->cpus, limit > 1 ? limit : 1, plan->seed, out,
			       plan->thinned, sizeof(plan->thinned), err);
}

/* what adding an experiment to a plan needs */
struct adding {
	struct plan *plan;
	const struct plan_spec *spec;
	const struct place *place;
	int *used;
};

/* the sweep of the sets over @base */
static int add_experiment(void *ctx, const struct experiment *exp, const void *base,
			  struct err *err)
{
	const struct adding *to = ctx;
	const struct plan_spec *spec = to->spec;
	struct sweep *sweep = calloc(1, sizeof(*sweep));
	struct cpu_lists lists = {0};
	int i, rc = 0;

	if (!sweep)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < spec->nr_sets && !rc; i++) {
		if (!strchr(spec->sets[i], '='))
			rc = err_set(err, -EINVAL, "'%.80s' is not name=value[,value...]",
				     spec->sets[i]);
		else
			rc = apply_set(exp, spec->sets[i], sweep, &to->used[i], err);
	}
	if (!rc)
		rc = make_lists(to->plan, spec, exp, sweep, to->place, &lists, err);
	if (!rc)
		rc = add_sweep(to->plan, exp, base, sweep, &lists, err);
	cpu_lists_free(&lists);
	free(sweep);
	return rc;
}

/* an experiment, or all rows of a published case */
static int add_chosen(struct adding *to, int idx, const struct experiment *exp, struct err *err)
{
	const struct plan_spec *spec = to->spec;
	const struct bench_published_case *published =
		spec->nr_experiments ? bench_published_find(spec->experiments[idx]) : NULL;
	void *params;
	int rc;

	if (published)
		return plan_published(published, spec, add_experiment, to, err);
	params = malloc(exp->params_size + 1);
	if (!params)
		return err_set(err, -ENOMEM, "out of memory");
	params_defaults(exp, params);
	rc = add_experiment(to, exp, params, err);
	free(params);
	return rc;
}

/* all of them in pairs: short windows, and a budget that does not grow with the workers */
static bool only_pairs(const struct experiment *const *exp, int nr)
{
	while (nr && exp[nr - 1]->pairs)
		nr--;
	return !nr;
}

/* those of published cases too; *all: there is nothing but published cases */
static int find_experiments(const struct plan_spec *spec, const struct experiment **out, bool *all,
			    struct err *err)
{
	const struct bench_published_case *published;
	int i;

	*all = spec->nr_experiments > 0;
	if (!spec->nr_experiments)
		out[0] = experiment_find("page_counter", err);
	for (i = 0; i < spec->nr_experiments; i++) {
		published = bench_published_find(spec->experiments[i]);
		*all &= published != NULL;
		out[i] = experiment_find(published ? published->experiment : spec->experiments[i],
					 err);
		if (!out[i])
			return -EINVAL;
	}
	return 0;
}

static int build_cases(struct plan *plan, const struct plan_spec *spec, struct place *place,
		       const struct experiment **exp, int nr, int *used, struct err *err)
{
	struct adding to = {plan, spec, place, used};
	bool pairs, published;
	int i, rc;

	rc = find_experiments(spec, exp, &published, err);
	if (!rc)
		rc = topo_place(place->topo, plan->placement, 0, &place->cpus, err);
	if (!rc)
		rc = plan_worker_counts(!spec->workers && published ? "all" : spec->workers,
					place->cpus.nr, &place->counts, err);
	if (rc)
		return rc;
	pairs = only_pairs(exp, nr);
	plan->window_ns = spec->window_ns ? spec->window_ns
			  : pairs	  ? PLAN_PAIR_WINDOW_NS
					  : PLAN_WINDOW_NS;
	plan->warmup_ns = plan->window_ns / 4;
	plan->seed = spec->seed;
	plan->budget_ns = spec->budget_ns ? spec->budget_ns
			  : pairs	  ? PAIRS_BUDGET_NS
					  : plan_default_budget(place->counts.nr);
	for (i = 0; i < nr && !rc; i++)
		rc = add_chosen(&to, i, exp[i], err);
	for (i = 0; i < spec->nr_sets && !rc; i++)
		if (!used[i])
			rc = unknown_set(exp[0], spec->sets[i], err);
	if (!rc)
		rc = plan_set_homes(place->topo, plan, err);
	if (!rc)
		plan_fit(plan, spec->blocks, spec->target);
	return rc;
}

int plan_build(const struct topo *topo, const struct plan_spec *spec, struct plan *out,
	       struct err *err)
{
	int nr = spec->nr_experiments ? spec->nr_experiments : 1, rc;
	struct place place = {topo, CPULIST_INIT, CPULIST_INIT};
	const struct experiment **exp = calloc(nr, sizeof(*exp));
	int *used = calloc(spec->nr_sets + 1, sizeof(*used));

	rc = plan_begin(out, spec->placement, spec->home, err);
	if (!used || !exp)
		rc = err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = build_cases(out, spec, &place, exp, nr, used, err);
	cpulist_free(&place.cpus);
	cpulist_free(&place.counts);
	free(exp);
	free(used);
	if (rc)
		plan_free(out);
	return rc;
}
