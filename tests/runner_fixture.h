/* SPDX-License-Identifier: MIT */
/* An experiment made to misbehave, plans of it, and hooks that write down what happened. */
#ifndef RUNNER_FIXTURE_H
#define RUNNER_FIXTURE_H

#include "../bench/bench_private.h"
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

static struct topo *topo;
static struct cpulist cpus; /* all usable ones */

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

/* ------------------------------------------------------------ experiments of the test */

enum mood {
	MOOD_COUNT,
	MOOD_SLEEP,
	MOOD_WANDER,
	MOOD_LOSE,
	MOOD_REFUSE_SETUP,
	MOOD_REFUSE_INIT,
	MOOD_UNBIND
};

struct mood_params {
	int64_t mood;
};

static const struct param mood_params_table[] = {
	{"mood", "", "how it misbehaves", 0, 0, MOOD_UNBIND, 0, NULL, 0}, {NULL}};

static atomic_long nr_done;
static char allowed[64][64]; /* Cpus_allowed_list of each worker's thread */

static int mood_setup(const struct env *env, const void *params, struct worker *workers,
		      void **shared, struct err *err)
{
	const struct mood_params *p = params;

	if (p->mood == MOOD_REFUSE_SETUP)
		return err_set(err, -ENOMEM, "setup refuses");
	*shared = env_alloc(env, 64, 64);
	atomic_store(&nr_done, 0);
	return *shared ? 0 : -ENOMEM;
}

static int mood_init(void *shared, const void *params, struct worker *w, struct err *err)
{
	const struct mood_params *p = params;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/status", syscall(SYS_gettid));
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (w->idx < 64)
			sscanf(line, "Cpus_allowed_list: %63s", allowed[w->idx]);
	if (f)
		fclose(f);
	return p->mood == MOOD_REFUSE_INIT && w->idx ? err_set(err, -EIO, "worker refuses") : 0;
}

static void mood_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	const struct mood_params *p = params;
	cpu_set_t set;
	uint64_t i;

	for (i = 0; i < nr_ops; i++) {
		if (p->mood == MOOD_SLEEP)
			usleep(1000);
		if (p->mood == MOOD_WANDER) {
			CPU_ZERO(&set);
			CPU_SET(cpus.cpu[w->cpu == cpus.cpu[0]], &set);
			sched_setaffinity(0, sizeof(set), &set);
			usleep(100);
		}
		if (p->mood == MOOD_UNBIND) { /* what the kernel does when the CPU goes offline */
			CPU_ZERO(&set);
			CPU_SET(cpus.cpu[0], &set);
			CPU_SET(cpus.cpu[1], &set);
			sched_setaffinity(0, sizeof(set), &set);
		}
		atomic_fetch_add(&nr_done, 1);
	}
}

static int mood_check(const struct env *env, const void *params, const void *shared,
		      const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct mood_params *p = params;
	uint64_t sum = 0;
	int i;

	for (i = 0; i < env->nr_workers; i++)
		sum += ops[i];
	if (p->mood == MOOD_LOSE)
		return err_set(err, -EUCLEAN, "an operation was lost");
	return sum == (uint64_t)atomic_load(&nr_done)
		       ? 0
		       : err_set(err, -EUCLEAN, "%ld done, %lu counted", atomic_load(&nr_done),
				 sum);
}

static const struct experiment mood_experiment = {
	.name = "mood",
	.question = "?",
	.min_workers = 1,
	.params = mood_params_table,
	.params_size = sizeof(struct mood_params),
	.setup = mood_setup,
	.worker_init = mood_init,
	.run = mood_run,
	.check = mood_check,
};

/* a plan of @nr cases of one mood each, case i on workers[i] CPUs */
static struct plan make_plan(int nr, const int *moods, const int *workers)
{
	struct plan plan = {.window_ns = 4000000,
			    .warmup_ns = 1000000,
			    .min_blocks = 1000,
			    .max_blocks = 3,
			    .target = 0.01,
			    .seed = 7};
	struct cpulist first;
	int i;

	plan.cases = calloc(nr, sizeof(*plan.cases));
	plan.nr_cases = nr;
	for (i = 0; i < nr; i++) {
		first = (struct cpulist){workers[i], cpus.cpu};
		plan.cases[i].exp = &mood_experiment;
		plan.cases[i].params = malloc(sizeof(struct mood_params));
		((struct mood_params *)plan.cases[i].params)->mood = moods[i];
		cpulist_copy(&plan.cases[i].cpus, &first);
		topo_home(topo, "local", &first, &plan.cases[i].home_node, NULL, 0, NULL);
	}
	return plan;
}

struct log {
	int nr, idx[256], block[256];
	unsigned marks[256];
	int stop_after, nr_contexts, nr_block_ends, fail_at;
	struct bench_context context;
};

static int log_sample(void *ctx, int idx, const struct sample *s, struct err *err)
{
	struct log *l = ctx;

	if (l->nr < 256) {
		l->idx[l->nr] = idx;
		l->block[l->nr] = s->block;
		l->marks[l->nr] = s->marks;
	}
	l->nr++;
	return l->fail_at && l->nr == l->fail_at ? err_set(err, -EIO, "the hook refuses") : 0;
}

static int log_block_end(void *ctx, const struct bench_progress *p, struct err *err)
{
	((struct log *)ctx)->nr_block_ends++;
	return 0;
}

static bool log_stop(void *ctx)
{
	struct log *l = ctx;

	return l->stop_after && l->nr >= l->stop_after;
}

static void log_context(void *ctx, const struct bench_context *c)
{
	struct log *l = ctx;

	l->nr_contexts++;
	l->context = *c;
}

static int run(const struct plan *plan, struct log *l, struct err *err)
{
	struct bench_hooks hooks = {.sample = log_sample,
				    .block_end = log_block_end,
				    .stop = log_stop,
				    .context = log_context,
				    .ctx = l};

	return bench_run(topo, plan, &hooks, err);
}

#endif
