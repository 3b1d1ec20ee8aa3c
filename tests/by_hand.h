/* SPDX-License-Identifier: MIT */
/*
 * by_hand.h - an experiment run step by step on one thread: counts that can be worked out on paper
 *
 * For a test that includes a subject's source. Workers run when the test says so, in its order;
 * what their memory is allocated from ends with by_hand_close().
 */
#ifndef CHARGELINE_BY_HAND_H
#define CHARGELINE_BY_HAND_H

#include "test.h"

#include "experiment.h"

#define BY_HAND_WORKERS 4

struct by_hand {
	const struct experiment *exp;
	const void *params;
	struct env env;
	struct worker w[BY_HAND_WORKERS];
	uint64_t ops[BY_HAND_WORKERS];
	void *shared;
	int over;
};

static void *by_hand_memory[64];
static int by_hand_nr_memory;
static long by_hand_work_ns;

void cpu_work_ns(int64_t n)
{
	by_hand_work_ns += n;
}

void *env_alloc(const struct env *env, size_t size, size_t align)
{
	void *p = aligned_alloc(4096, (size + 4095) & ~4095UL);

	assert_non_null(p);
	assert_true(by_hand_nr_memory < 64);
	by_hand_memory[by_hand_nr_memory++] = p;
	return memset(p, 0, size);
}

void *env_alloc_worker(const struct env *env, int idx, size_t size, size_t align)
{
	return env_alloc(env, size, align);
}

static void by_hand_defaults(const struct experiment *exp, void *params)
{
	const struct param *p;

	for (p = exp->params; p->name; p++)
		*(int64_t *)((char *)params + p->off) = p->def;
}

static void by_hand_open(struct by_hand *b, const struct experiment *exp, const void *params,
			 int nr_workers)
{
	struct err err = ERR_INIT;
	int i;

	*b = (struct by_hand){.exp = exp, .params = params, .env.nr_workers = nr_workers};
	by_hand_work_ns = 0;
	if (exp->validate)
		assert_ok(exp->validate(params, nr_workers, &err), &err);
	for (i = 0; i < nr_workers; i++)
		b->w[i] = (struct worker){.idx = i, .over = &b->over};
	assert_ok(exp->setup(&b->env, params, b->w, &b->shared, &err), &err);
}

static void by_hand_run(struct by_hand *b, int worker, uint64_t nr_ops)
{
	b->exp->run(b->shared, b->params, &b->w[worker], nr_ops);
	b->ops[worker] += nr_ops;
}

static int by_hand_check(struct by_hand *b, struct err *err)
{
	return b->exp->check(&b->env, b->params, b->shared, b->w, b->ops, err);
}

/* the value of a metric, by name; nothing may be lost by then */
static double by_hand_metric(struct by_hand *b, const char *name)
{
	double values[EXPERIMENT_MAX_METRICS];
	struct err err = ERR_INIT;
	int i = 0;

	assert_ok(by_hand_check(b, &err), &err);
	b->exp->read_metrics(&b->env, b->params, b->shared, b->w, b->ops, values);
	while (strcmp(b->exp->metrics[i].name, name))
		assert_non_null(b->exp->metrics[++i].name);
	return values[i];
}

#define assert_metric(b, name, value) assert_float_equal(by_hand_metric(b, name), value, 1e-9)

static void by_hand_close(void)
{
	while (by_hand_nr_memory)
		free(by_hand_memory[--by_hand_nr_memory]);
}

/* a test's teardown, so that a failed one leaves nothing either */
static int by_hand_end(void **state)
{
	by_hand_close();
	return 0;
}

#endif
