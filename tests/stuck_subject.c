/* SPDX-License-Identifier: MIT */
/*
 * A subject that never ends, in the place of contended_line: linked with
 * --wrap=model_experiment_find, and in no product. `op`, the first parameter, says how it waits.
 */
#define KATOMIC_HOOKED
#define env_alloc   model_env_alloc
#define cpu_work_ns model_cpu_work_ns

#include "experiment.h"

#include <string.h>

#include "../bench/katomic.h"

void cpu_work_ns(int64_t n);
const struct experiment *__real_model_experiment_find(const char *name, struct err *err);
const struct experiment *__wrap_model_experiment_find(const char *name, struct err *err);

#define MAX_WORKERS 64

struct stuck {
	long flag[MAX_WORKERS + 2][16];
};

enum { ON_ONE_LINE, ON_ITS_OWN, EXCHANGING, ALL_BUT_THE_FIRST, WORKING };

static int setup(const struct env *env, const void *params, struct worker *workers, void **shared,
		 struct err *err)
{
	*shared = env_alloc(env, sizeof(struct stuck), 64);
	return *shared ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static void run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	int64_t how = *(const int64_t *)params;
	struct stuck *s = shared;
	long expected;

	if (how == ALL_BUT_THE_FIRST && w->idx == 0) {
		for (; nr_ops; nr_ops--)
			WRITE_ONCE(s->flag[1][0], 1);
		return;
	}
	do {
		if (how == WORKING)
			cpu_work_ns(100);
		expected = 1;
		if (how == EXCHANGING && try_cmpxchg(&s->flag[0][0], &expected, 2))
			return;
	} while (!READ_ONCE(s->flag[how == ON_ITS_OWN ? 2 + w->idx % MAX_WORKERS : 0][0]));
}

static const struct experiment stuck = {.name = "stuck",
					.min_workers = 1,
					.params_size = sizeof(int64_t),
					.setup = setup,
					.run = run};

const struct experiment *__wrap_model_experiment_find(const char *name, struct err *err)
{
	return strcmp(name, "contended_line") ? __real_model_experiment_find(name, err) : &stuck;
}
