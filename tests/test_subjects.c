/* SPDX-License-Identifier: MIT */
/* Every experiment in the table: its record is complete, its invariant holds, and it can fail. */
#include "../bench/bench_private.h"
#include "test.h"

#include <math.h>

static struct topo *topo;
static struct cpulist cpus;

static int load_machine(void **state)
{
	struct err err = ERR_INIT;

	if (topo_load(&topo, NULL, &err) || topo_place(topo, "cores-first", 0, &cpus, &err)) {
		print_error("%s\n", err.msg);
		return -1;
	}
	if (cpus.nr > 2)
		cpus.nr = 2;
	return 0;
}

static int free_machine(void **state)
{
	cpulist_free(&cpus);
	topo_free(topo);
	return 0;
}

/* a subject is a file in the build list, a line in the table and a record: none may be missing */
static void table_holds_every_subject_of_the_build(void **state)
{
	int nr = 0;

	while (experiments[nr])
		nr++;
	assert_int_equal(nr, NR_SUBJECTS);
}

static void records_are_complete(void **state)
{
	const struct experiment *e;
	const struct param *p;
	const struct metric *m;
	int i, nr;

	for (i = 0; experiments[i]; i++) {
		e = experiments[i];
		assert_true(e->name && e->summary && e->question && e->op && e->unit && e->source);
		assert_int_equal(e->question[strlen(e->question) - 1], '?');
		assert_true(e->setup && e->run && e->check && e->min_workers >= 1);
		assert_int_equal(!e->metrics, !e->read_metrics);
		for (p = e->params, nr = 0; p->name; p++, nr++) {
			assert_true(p->help && p->unit && p->min <= p->max);
			assert_in_range(p->def, p->min, p->max);
			assert_true(p->off + sizeof(int64_t) <= e->params_size);
			if (p->choices)
				for (int64_t c = 0; c <= p->max; c++)
					assert_non_null(p->choices[c]);
			if (p->choices)
				assert_null(p->choices[p->max + 1]);
		}
		assert_true(nr <= EXPERIMENT_MAX_PARAMS);
		for (m = e->metrics, nr = 0; m && m->name; m++)
			nr++;
		assert_true(nr <= EXPERIMENT_MAX_METRICS);
	}
}

/* ------------------------------------------------------------- one worker, by hand */

struct bare {
	struct kept *kept;
	struct cpulist one;
	struct env env;
	struct worker w;
	void *shared;
	uint64_t ops;
};

static void bare_open(struct bare *b, const struct experiment *e, const void *params)
{
	struct err err = ERR_INIT;

	memset(b, 0, sizeof(*b));
	b->one = (struct cpulist){1, cpus.cpu};
	b->env = (struct env){.nr_workers = 1, .cpu = b->one.cpu};
	b->env.arena = arena_open(topo, &b->one, topo_nodes(topo, &(int){0})[0].os, &b->kept);
	b->w.cpu = cpus.cpu[0];
	b->w.rng = 1;
	assert_ok(e->setup(&b->env, params, &b->w, &b->shared, &err), &err);
	if (e->worker_init)
		assert_ok(e->worker_init(b->shared, params, &b->w, &err), &err);
}

static void bare_close(struct bare *b, const struct experiment *e)
{
	if (e->teardown)
		e->teardown(b->shared);
	arena_close(b->env.arena);
	kept_free(b->kept);
}

/* run() does exactly nr_ops, however they are cut into chunks; an operation that is claimed but was
 * not done is found */
static void a_lost_operation_is_found(void **state)
{
	static const uint64_t chunks[] = {1, 2, 61, 64, 1000, 1};
	struct err err = ERR_INIT;
	struct bare b;
	void *params;
	size_t k;
	int i;

	for (i = 0; experiments[i]; i++) {
		if (experiments[i]->min_workers > 1)
			continue; /* one worker would wait for ever; see the pair below */
		params = malloc(experiments[i]->params_size);
		params_defaults(experiments[i], params);
		bare_open(&b, experiments[i], params);
		for (k = 0; k < sizeof(chunks) / sizeof(chunks[0]); k++) {
			experiments[i]->run(b.shared, params, &b.w, chunks[k]);
			b.ops += chunks[k];
			assert_ok(
				experiments[i]->check(&b.env, params, b.shared, &b.w, &b.ops, &err),
				&err);
		}
		b.ops++;
		assert_int_equal(
			experiments[i]->check(&b.env, params, b.shared, &b.w, &b.ops, &err),
			-EUCLEAN);
		bare_close(&b, experiments[i]);
		free(params);
	}
}

/* ------------------------------------------------------------ all values, for real */

static int add(struct plan *plan, const struct experiment *e, const struct param *p, int64_t value)
{
	struct bench_case *c;
	struct err err;

	plan->cases = realloc(plan->cases, sizeof(*c) * (plan->nr_cases + 1));
	c = &plan->cases[plan->nr_cases];
	*c = (struct bench_case){.exp = e, .params = malloc(e->params_size)};
	params_defaults(e, c->params);
	param_set(p, c->params, value);
	if (e->validate && e->validate(c->params, cpus.nr, &err)) {
		free(c->params);
		return 0;
	}
	cpulist_copy(&c->cpus, &cpus);
	topo_home(topo, "local", &cpus, &c->home_node, NULL, 0, NULL);
	plan->nr_cases++;
	return 1;
}

static void invariants_hold_for_every_value(void **state)
{
	struct plan plan = {.window_ns = 1500000, .warmup_ns = 300000, .seed = 5};
	struct bench_session *s;
	struct err err = ERR_INIT;
	const struct param *p;
	struct sample sample;
	int64_t v;
	int i, k;

	for (i = 0; experiments[i]; i++) {
		if (experiments[i]->min_workers > cpus.nr)
			continue;
		for (p = experiments[i]->params; p->name; p++) {
			for (v = p->min; p->choices && v <= p->max; v++)
				add(&plan, experiments[i], p, v);
			if (!p->choices && strcmp(p->name, "work_ns")) {
				add(&plan, experiments[i], p, p->min);
				add(&plan, experiments[i], p, p->max);
			}
		}
	}
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	for (i = 0; i < plan.nr_cases; i++) {
		assert_ok(bench_window(s, i, &sample, &err), &err);
		assert_true(sample.ops > 0 && sample.rate > 0);
		for (k = 0; plan.cases[i].exp->metrics && plan.cases[i].exp->metrics[k].name; k++)
			assert_false(isinf(sample.metrics[k]));
	}
	bench_close(s);
	plan_free(&plan);
}

/* combinations that meet each other: the limit with the neighbour's uncharge, protection at depth */
static void page_counter_loses_nothing_in_combination(void **state)
{
	static const char *const sets[] = {
		"layout=packed_5_19,aligned_2022_test,padded_2022,v6_12,v6_15",
		"batch=1,7,64",
		"depth=1,6",
		"limit=none,hit",
		"uncharge=same_cpu,other_cpu",
		"protection=unconditional,conditional,off",
		"protection_level=0,4"};
	struct plan_spec spec = {.sets = sets,
				 .nr_sets = sizeof(sets) / sizeof(sets[0]),
				 .workers = "all",
				 .window_ns = 1000000};
	struct err err = ERR_INIT;
	struct bench_session *s;
	struct sample sample;
	struct plan plan;
	int i;

	assert_ok(plan_build(topo, &spec, &plan, &err), &err);
	assert_true(plan.nr_cases > 150);
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	for (i = 0; i < plan.nr_cases; i++)
		assert_ok(bench_window(s, i, &sample, &err), &err);
	bench_close(s);
	plan_free(&plan);
}

/* two workers for real, every combination of @sets */
static void loses_nothing_in(const char *experiment, const char *const *sets, int nr_sets,
			     int least)
{
	struct plan_spec spec = {.experiments = &experiment,
				 .nr_experiments = 1,
				 .sets = sets,
				 .nr_sets = nr_sets,
				 .workers = "all",
				 .window_ns = 1000000};
	struct err err = ERR_INIT;
	struct bench_session *s;
	struct sample sample;
	struct plan plan;
	int i;

	assert_ok(plan_build(topo, &spec, &plan, &err), &err);
	assert_true(plan.nr_cases >= least);
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	for (i = 0; i < plan.nr_cases; i++)
		assert_ok(bench_window(s, i, &sample, &err), &err);
	bench_close(s);
	plan_free(&plan);
}

/* flushers and readers in the way of the updates, and of each other */
static void vmstats_flush_loses_nothing_in_combination(void **state)
{
	static const char *const sets[] = {
		("rule=global_unconditional,global_guarded,hierarchical,hierarchical_cached,"
		 "hierarchical_guarded"),
		"memcgs=shared,per_worker",
		"depth=2,6",
		"batch=1,64",
		"flush_every=0,50",
		"readers=0,1",
		"read_every=20"};

	loses_nothing_in("vmstats_flush", sets, 7, 5 * 2 * 2 * 2 * 2 * 2);
}

/* sockets that change hands, by one message and by several */
static void sk_forward_alloc_loses_nothing_in_combination(void **state)
{
	static const char *const sets[] = {"reclaim=zero,64k,2m_keep_1m",
					   "reserve=per_cpu,shared",
					   "reserve_pages=3",
					   "receiver=same_cpu,other_cpu",
					   "burst=1,7",
					   "sockets=1,5",
					   "message_bytes=1,300000"};

	if (cpus.nr < 2)
		test_skip("one CPU: no neighbour to receive");
	loses_nothing_in("sk_forward_alloc", sets, 7, 3 * 2 * 2 * 2 * 2 * 2);
}

/* distances at which fields are one, share a line, a pair of lines, nothing */
static void false_sharing_loses_nothing_in_combination(void **state)
{
	static const char *const sets[] = {"distance=0,8,64,256", "pattern=writers,writer_reader",
					   "parity=even,odd", "op=add,store"};

	loses_nothing_in("false_sharing", sets, 4, 4 * 2 * 2 * 2);
}

/* real threads: no ticket is missing in the logs, and a visit has one operation at least */
static void the_order_of_service_is_logged(void **state)
{
	static const char *const sets[] = {"log=1", "log_after=0,2000", "work_ns=0,200"},
				 *name = "contended_line";
	struct plan_spec spec = {.experiments = &name,
				 .nr_experiments = 1,
				 .sets = sets,
				 .nr_sets = 3,
				 .workers = "all",
				 .window_ns = 5000000};
	struct err err = ERR_INIT;
	struct bench_session *s;
	struct sample sample;
	struct plan plan;
	int i;

	assert_ok(plan_build(topo, &spec, &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 4);
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	for (i = 0; i < plan.nr_cases; i++) {
		assert_ok(bench_window(s, i, &sample, &err), &err);
		assert_true(isnan(sample.metrics[1]) || sample.metrics[1] >= 1);
	}
	bench_close(s);
	plan_free(&plan);
}

static void shared_updates_fall_with_the_batch(void **state)
{
	static const char *const sets[] = {"batch=1,8,64"};
	struct plan_spec spec = {.sets = sets, .nr_sets = 1, .workers = "1", .window_ns = 2000000};
	struct err err = ERR_INIT;
	struct bench_session *s;
	struct sample sample;
	struct plan plan;
	int i;

	assert_ok(plan_build(topo, &spec, &plan, &err), &err);
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	for (i = 0; i < plan.nr_cases; i++) {
		assert_ok(bench_window(s, i, &sample, &err), &err);
		/* a charge and an uncharge per batch; one batch may be under way */
		assert_true(fabs(sample.metrics[0] * (i == 0 ? 1 : i == 1 ? 8 : 64) - 2) < 0.02);
	}
	bench_close(s);
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_holds_every_subject_of_the_build),
		cmocka_unit_test(records_are_complete),
		cmocka_unit_test(a_lost_operation_is_found),
		cmocka_unit_test(invariants_hold_for_every_value),
		cmocka_unit_test(page_counter_loses_nothing_in_combination),
		cmocka_unit_test(vmstats_flush_loses_nothing_in_combination),
		cmocka_unit_test(sk_forward_alloc_loses_nothing_in_combination),
		cmocka_unit_test(false_sharing_loses_nothing_in_combination),
		cmocka_unit_test(the_order_of_service_is_logged),
		cmocka_unit_test(shared_updates_fall_with_the_batch),
	};

	return run_group("subjects", tests, load_machine, free_machine);
}
