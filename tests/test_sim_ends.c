/* SPDX-License-Identifier: MIT */
/* A subject that waits for what never comes: a sentence, never a hang. See stuck_subject.c. */
#include "sim_fixture.h"

#define BOUND 100000

static void a_subject_that_never_ends_is_a_sentence(void **state)
{
	static const char *const ways[] = {"op=fetch_add", "op=xchg", "op=cmpxchg",
					   "op=load_store"};
	struct sim_config config = {.max_accesses = BOUND};
	struct sim_profile *p = builtin("clx-2s18c");
	struct sim_result r;
	struct err err;
	size_t i;
	int nr;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		for (nr = 1; nr <= 18; nr += 17) {
			assert_refused(run_as(config, p, "contended_line", "cores-first", nr,
					      ways[i], &r, &err),
				       -ETIME, "stuck: no operation ended within 100", &err);
			assert_null(r.worker_rate);
		}
	}
	sim_profile_free(p);
}

/* the others do, and go on for ever: found when all are asked to end */
static void one_worker_that_never_ends_is_found(void **state)
{
	struct sim_config config = {.max_accesses = BOUND};
	struct sim_profile *p = builtin("clx-2s18c");
	struct sim_result r;
	struct err err;

	assert_refused(
		run_as(config, p, "contended_line", "cores-first", 2, "op=load_cmpxchg", &r, &err),
		-ETIME, "stuck: an operation does not end", &err);
	config.ops_per_worker = 100;
	assert_refused(
		run_as(config, p, "contended_line", "cores-first", 2, "op=load_cmpxchg", &r, &err),
		-ETIME, "stuck: an operation does not end", &err);
	assert_null(r.worker_rate);
	sim_profile_free(p);
}

/* a receiver waits for a burst of 64, its sender has left after 10: bounded, and it says so */
static void who_waits_for_one_that_has_left_gives_up(void **state)
{
	struct sim_config config = {.max_accesses = BOUND, .ops_per_worker = 10};
	struct sim_profile *p = builtin("clx-2s18c");
	struct err err = ERR_INIT;
	struct sim_result r;

	assert_ok(run_as(config, p, "sk_forward_alloc", "cores-first", 2,
			 "receiver=other_cpu,burst=64", &r, &err),
		  &err);
	assert_true(r.bounded && r.worker_rate[0] > 0 && r.worker_rate[1] == 0);
	free(r.worker_rate);
	config.ops_per_worker = 64;
	assert_ok(run_as(config, p, "sk_forward_alloc", "cores-first", 2,
			 "receiver=other_cpu,burst=64", &r, &err),
		  &err);
	assert_true(!r.bounded && r.worker_rate[1] > 0);
	free(r.worker_rate);
	sim_profile_free(p);
}

/* among many, it ends the sweep with its sentence, and the others are done */
static void a_sweep_tells_of_it(void **state)
{
	const char *const names[] = {"page_counter", "contended_line", "false_sharing"};
	struct sim_profile *p = builtin("clx-2s18c");
	struct sim_config config[3];
	struct sim_result r[3];
	int cpu[] = {0, 1}, i;
	struct err err;
	bool done[3] = {0};
	void *params[3];

	for (i = 0; i < 3; i++) {
		params[i] = calloc(1, experiment_find(names[i], &err)->params_size);
		params_defaults(experiment_find(names[i], &err), params[i]);
		config[i] = (struct sim_config){.profile = p,
						.experiment = names[i],
						.params = params[i],
						.cpus = {2, cpu},
						.max_accesses = BOUND};
	}
	assert_refused(sim_sweep(config, 3, r, done, NULL, NULL, &err), -ETIME,
		       "stuck: no operation ended", &err);
	assert_true(done[0] && !done[1] && done[2] && r[2].rate > 0);
	for (i = 0; i < 3; i++)
		free(params[i]);
	sim_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_subject_that_never_ends_is_a_sentence),
		cmocka_unit_test(one_worker_that_never_ends_is_found),
		cmocka_unit_test(who_waits_for_one_that_has_left_gives_up),
		cmocka_unit_test(a_sweep_tells_of_it),
	};

	return run_tests(tests);
}
