/* SPDX-License-Identifier: MIT */
/*
 * memcg_stock_fixture.h - the subject by hand, one worker after another on one thread
 *
 * The subject is compiled here once more, against a katomic.h that reports its accesses; the
 * counters are the library's, so that only the stock's lines are seen.
 */
#ifndef MEMCG_STOCK_FIXTURE_H
#define MEMCG_STOCK_FIXTURE_H

#define KATOMIC_HOOKED
#include "../bench/memcg_stock.c"

#include "../bench/bench_private.h"
#include "test.h"

#define NR_LAYOUTS 5
static const char *const all_layouts[] = {"single", "seven_8bit", "seven_wide", "array_of_structs",
					  "per_counter"};

static struct topo *topo;
static struct cpulist cpus;

/* of the thread that watches: each access to a block, as "w0" a write at its byte 0 */
static _Thread_local const char *watched;
static _Thread_local char seen[512];

void katomic_hook(enum katomic_access access, const volatile void *addr, size_t size)
{
	static const char sign[] = {
		[KATOMIC_READ] = 'r', [KATOMIC_WRITE] = 'w',   [KATOMIC_ADD] = '+',
		[KATOMIC_XCHG] = 'x', [KATOMIC_CMPXCHG] = 'c', [KATOMIC_POST] = '+'};
	size_t len = strlen(seen);

	if (watched)
		snprintf(seen + len, sizeof(seen) - len, "%s%c%td", len ? " " : "", sign[access],
			 (const char *)addr - watched);
}

static inline void watch(const struct ms_worker *me)
{
	seen[0] = 0;
	watched = me ? me->cpu.lines.block : NULL;
}

#define MAX_WORKERS 3

struct bare {
	struct ms_params params;
	struct cpulist cpus;
	int cpu[MAX_WORKERS], over;
	struct env env;
	struct worker w[MAX_WORKERS];
	uint64_t ops[MAX_WORKERS];
	void *shared;
	struct ms_worker *me; /* of worker 0 */
	struct err err;
};

static void set(struct bare *b, const char *name, const char *value)
{
	const struct param *p = params_find(&memcg_stock_experiment, name, &b->err);
	int64_t v;

	assert_ok(param_parse(p, value, &v, &b->err), &b->err);
	param_set(p, &b->params, v);
}

/* "name=value name=value" over the defaults */
static void bare_params(struct bare *b, const char *sets)
{
	char text[256], *s, *save, *value;

	memset(b, 0, sizeof(*b));
	params_defaults(&memcg_stock_experiment, &b->params);
	snprintf(text, sizeof(text), "%s", sets);
	for (s = strtok_r(text, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
		value = strchr(s, '=');
		*value = 0;
		set(b, s, value + 1);
	}
}

static void bare_open(struct bare *b, int nr_workers, const char *sets)
{
	int i;

	bare_params(b, sets);
	assert_ok(ms_validate(&b->params, nr_workers, &b->err), &b->err);
	for (i = 0; i < nr_workers; i++)
		b->cpu[i] = cpus.cpu[0];
	b->cpus = (struct cpulist){nr_workers, b->cpu};
	b->env = (struct env){.nr_workers = nr_workers, .cpu = b->cpu};
	b->env.arena = arena_open(topo, &b->cpus, topo_nodes(topo, &(int){0})[0].os, NULL);
	for (i = 0; i < nr_workers; i++)
		b->w[i] = (struct worker){
			.idx = i, .cpu = b->cpu[i], .rng = 77 * i + 1, .over = &b->over};
	assert_ok(ms_setup(&b->env, &b->params, b->w, &b->shared, &b->err), &b->err);
	b->me = b->w[0].priv;
}

static inline struct ms_worker *worker(struct bare *b, int idx)
{
	return b->w[idx].priv;
}

static int bare_check(struct bare *b)
{
	return ms_check(&b->env, &b->params, b->shared, b->w, b->ops, &b->err);
}

static void bare_run(struct bare *b, int idx, uint64_t nr_ops)
{
	ms_run(b->shared, &b->params, &b->w[idx], nr_ops);
	b->ops[idx] += nr_ops;
}

static inline void bare_close(struct bare *b)
{
	assert_ok(bare_check(b), &b->err);
	arena_close(b->env.arena);
}

static int load_machine(void **state)
{
	struct err err = ERR_INIT;

	if (topo_load(&topo, NULL, &err) || topo_place(topo, "cores-first", 0, &cpus, &err)) {
		print_error("%s\n", err.msg);
		return -1;
	}
	return 0;
}

static int free_machine(void **state)
{
	cpulist_free(&cpus);
	topo_free(topo);
	return 0;
}

#endif
