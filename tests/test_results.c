/* SPDX-License-Identifier: MIT */
#include "results_fixture.h"

#include <locale.h>

/* ------------------------------------------------------------------- round trips */

static void assert_same_real(double a, double b)
{
	/* bit for bit, the sign of a zero too: NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
	if (memcmp(&a, &b, sizeof(a)) && !(isnan(a) && isnan(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void assert_same_case(const struct result_case *a, const struct result_case *b)
{
	const struct sample *s, *t;
	int i, m;

	assert_string_equal(a->experiment, b->experiment);
	assert_string_equal(a->placement, b->placement);
	assert_string_equal(a->home, b->home);
	assert_int_equal(a->home_node, b->home_node);
	assert_int_equal(a->nr_workers, b->nr_workers);
	assert_int_equal(a->cpus.nr, b->cpus.nr);
	assert_memory_equal(a->cpus.cpu, b->cpus.cpu, a->cpus.nr * sizeof(int));
	assert_int_equal(a->nr_params, b->nr_params);
	for (i = 0; i < a->nr_params; i++) {
		assert_string_equal(a->params[i].name, b->params[i].name);
		assert_string_equal(a->params[i].text, b->params[i].text);
		assert_true(a->params[i].value == b->params[i].value);
	}
	assert_int_equal(a->nr_metrics, b->nr_metrics);
	for (i = 0; i < a->nr_metrics; i++) {
		assert_string_equal(a->metrics[i].name, b->metrics[i].name);
		assert_string_equal(a->metrics[i].unit, b->metrics[i].unit);
	}
	assert_int_equal(a->nr_samples, b->nr_samples);
	for (i = 0; i < a->nr_samples; i++) {
		s = &a->samples[i];
		t = &b->samples[i];
		assert_true(s->block == t->block && s->marks == t->marks && s->ops == t->ops);
		assert_same_real(s->window_ns, t->window_ns);
		assert_same_real(s->rate, t->rate);
		assert_same_real(s->slowest, t->slowest);
		assert_same_real(s->fastest, t->fastest);
		assert_same_real(s->jain, t->jain);
		assert_same_real(s->overlap, t->overlap);
		for (m = 0; m < a->nr_metrics; m++)
			assert_same_real(s->metrics[m], t->metrics[m]);
	}
}

static void assert_same_results(const struct results *a, const struct results *b)
{
	int i;

	assert_string_equal(a->started, b->started);
	assert_string_equal(a->command, b->command);
	assert_true(a->complete == b->complete && a->elapsed_ns == b->elapsed_ns);
	assert_true(a->window_ns == b->window_ns && a->warmup_ns == b->warmup_ns);
	assert_true(a->budget_ns == b->budget_ns && a->seed == b->seed);
	assert_true(a->min_blocks == b->min_blocks && a->max_blocks == b->max_blocks);
	assert_same_real(a->target, b->target);
	assert_string_equal(a->thinned, b->thinned);
	assert_string_equal(a->note, b->note);
	assert_string_equal(a->machine.class_name, b->machine.class_name);
	assert_string_equal(a->machine.model, b->machine.model);
	assert_string_equal(a->machine.hypervisor, b->machine.hypervisor);
	assert_string_equal(a->machine.hostname, b->machine.hostname);
	assert_string_equal(a->machine.kernel, b->machine.kernel);
	assert_int_equal(a->machine.pus, b->machine.pus);
	assert_int_equal(a->machine.smt_max, b->machine.smt_max);
	assert_true(a->machine.l3_bytes == b->machine.l3_bytes);
	assert_int_equal(a->machine.page_bytes, b->machine.page_bytes);
	assert_string_equal(a->machine.map, b->machine.map);
	assert_string_equal(a->build.compiler, b->build.compiler);
	assert_string_equal(a->build.flags, b->build.flags);
	assert_true(!a->build.libbenchmark == !b->build.libbenchmark);
	assert_true(a->context_known == b->context_known);
	assert_int_equal(a->nr_warnings, b->nr_warnings);
	for (i = 0; i < a->nr_warnings; i++)
		assert_string_equal(a->warnings[i], b->warnings[i]);
	assert_int_equal(a->nr_cases, b->nr_cases);
	for (i = 0; i < a->nr_cases; i++)
		assert_same_case(&a->cases[i], &b->cases[i]);
}

static void test_round_trip(void **state)
{
	struct results *r = make_results(), *back;
	const char *path = in_dir("r.json");

	r->context_known = true;
	r->context = (struct bench_context){.clock_read_ns = 20.5,
					    .clock_resolution_ns = 1,
					    .work_error = 0.01,
					    .work_error_end = NAN,
					    .memory_note = "no get_mempolicy here"};
	assert_int_equal(results_add_warning(r, "with \"quotes\" and ü"), 0);
	save(r, path);
	back = load(path);
	assert_same_results(r, back);
	assert_string_equal(back->path, path);
	assert_same_real(back->context.clock_read_ns, 20.5);
	assert_true(isnan(back->context.work_error_end));
	assert_string_equal(back->context.memory_note, "no get_mempolicy here");
	back->complete = true;
	save(back, path);
	results_free(r);
	r = load(path);
	assert_same_results(r, back);
	assert_true(r->complete);
	assert_int_equal(count_files(dir), 1);
	results_free(r);
	results_free(back);
	results_free(NULL);
}

/* whoever reads it needs no table of experiments */
static void test_cases_explain_themselves(void **state)
{
	struct results *r = make_results();
	struct result_case *c = &r->cases[1];
	double rate[3];
	int block[3];
	int64_t v;

	assert_true(result_param(c, "layout", &v) && v == 1);
	assert_string_equal(result_param_text(c, "layout"), "padded");
	assert_true(result_param(c, "batch", &v) && v == 64);
	assert_string_equal(result_param_text(c, "batch"), "64");
	assert_false(result_param(c, "depth", &v));
	assert_null(result_param_text(c, "depth"));
	assert_int_equal(result_rates(c, rate, block), 2);
	assert_int_equal(block[0], 0);
	assert_int_equal(block[1], 2);
	assert_same_real(rate[1], c->samples[2].rate);
	assert_int_equal(c->nr_workers, 2);
	assert_string_equal(c->metrics[1].unit, "per page");
	results_free(r);
}

/* what a run did not find out is null with a reason, never 0 and never NaN */
static void test_absent_is_null_with_a_reason(void **state)
{
	static const char *const parts[] = {
		"\"context\":null,\n\"context_reason\":\"",
		"\"home_node\":null,\"home_node_reason\":\"interleaved or unknown\"",
		"\"rate\":null,\"rate_reason\":\"not measured\"",
		"\"metrics\":[0.015625,null],\"metrics_reason\":\"",
		"\"l3_bytes\":null,\"l3_bytes_reason\":\"unknown\"",
		"\"hypervisor\":null,\"hypervisor_reason\":\"none seen\"",
	};
	struct results *r = make_results(), *back;
	const char *path = in_dir("r.json");
	struct err err = ERR_INIT;
	struct sample s = make_sample(3);
	size_t size;
	char *data;
	int i;

	r->machine.l3_bytes = 0;
	r->machine.hypervisor[0] = 0;
	s.marks = MARK_MIGRATED;
	s.rate = s.jain = NAN;
	s.metrics[0] = INFINITY;
	assert_ok(results_add_sample(r, 0, &s, &err), &err);
	save(r, path);
	data = slurp(path, &size);
	for (i = 0; i < NR(parts); i++)
		if (!strstr(data, parts[i]))
			fail_msg("no %s in %s", parts[i], data);
	assert_null(strstr(data, "nan"));
	assert_null(strstr(data, "inf,"));
	back = load(path);
	assert_same_results(r, back);
	assert_true(isnan(back->cases[0].samples[3].rate));
	free(data);
	results_free(r);
	results_free(back);
}

static void test_strange_text_is_still_json(void **state)
{
	struct results *r = make_results(), *back;

	free(r->command);
	r->command = strdup("chargeline report a\xff\xfe.json");
	save(r, in_dir("r.json"));
	back = load(in_dir("r.json"));
	assert_string_equal(back->command, "chargeline report a??.json");
	results_free(r);
	results_free(back);
}

static void test_strict_for_python(void **state)
{
	struct results *r = make_results();
	char command[512];

	if (system("python3 -c pass >/dev/null 2>&1"))
		test_skip("no python3");
	save(r, in_dir("r.json"));
	snprintf(command, sizeof(command),
		 "python3 -c '\nimport json, sys\n"
		 "def fail(x): sys.exit(\"not strict: \" + x)\n"
		 "r = json.load(open(\"%s\"), parse_constant=fail)\n"
		 "assert r[\"cases\"][1][\"params\"][\"layout\"][\"text\"] == \"padded\"\n"
		 "assert r[\"settings\"][\"seed\"] == \"18446744073709551614\"\n'",
		 in_dir("r.json"));
	assert_int_equal(system(command), 0);
	results_free(r);
}

static void test_decimal_comma(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
	struct results *r = make_results(), *back;
	char *plain;
	size_t size;
	int i;

	save(r, in_dir("r.json"));
	plain = slurp(in_dir("r.json"), &size);
	for (i = 0; i < NR(names) && !setlocale(LC_ALL, names[i]); i++)
		;
	if (i < NR(names)) {
		save(r, in_dir("r.json"));
		back = load(in_dir("r.json"));
		setlocale(LC_ALL, "C");
		assert_same_file(in_dir("r.json"), plain, size);
		assert_same_results(r, back);
		results_free(back);
	}
	free(plain);
	results_free(r);
	if (i == NR(names))
		test_skip("no locale with a decimal comma is installed");
}

/* --------------------------------------------------------------------- the record */

static void test_bad_samples_are_refused(void **state)
{
	struct results *r = make_results();
	struct sample s = make_sample(0);
	struct err err;

	assert_refused(results_add_sample(r, 3, &s, &err), -EINVAL, "there is no case 3", &err);
	assert_refused(results_add_sample(r, -1, &s, &err), -EINVAL, "there is no case -1", &err);
	s.rate = NAN;
	assert_refused(results_add_sample(r, 0, &s, &err), -EINVAL, "has no rate", &err);
	s.rate = -1;
	assert_refused(results_add_sample(r, 0, &s, &err), -EINVAL, "negative", &err);
	s = make_sample(-1);
	assert_refused(results_add_sample(r, 0, &s, &err), -EINVAL, "block -1", &err);
	s = make_sample(0);
	s.marks = 1u << BENCH_NR_MARKS;
	assert_refused(results_add_sample(r, 0, &s, &err), -EINVAL, "unknown marks", &err);
	s = make_sample(0);
	s.ops = UINT64_MAX;
	assert_refused(results_add_sample(r, 0, &s, &err), -EINVAL, "too many operations", &err);
	assert_int_equal(r->cases[0].nr_samples, 3);
	results_free(r);
}

static void test_warnings_once(void **state)
{
	struct results *r = make_results();
	int before = r->nr_warnings;

	assert_int_equal(results_add_warning(r, "one"), 0);
	assert_int_equal(results_add_warning(r, "two"), 0);
	assert_int_equal(results_add_warning(r, "one"), 0);
	assert_int_equal(r->nr_warnings, before + 2);
	results_free(r);
}

static bool warned(const struct results *r, const char *part)
{
	int i;

	for (i = 0; i < r->nr_warnings; i++)
		if (strstr(r->warnings[i], part))
			return true;
	return false;
}

static void test_machine_is_recorded(void **state)
{
	struct results *r = make_results();

	assert_string_equal(r->machine.class_name, topo_info(topo)->class_name);
	assert_int_equal(r->machine.pus, 8);
	assert_int_equal(r->machine.packages, 2);
	assert_int_equal(r->machine.page_bytes, sysconf(_SC_PAGESIZE));
	assert_true(r->machine.kernel[0] && r->machine.hostname[0]);
	assert_non_null(strstr(r->machine.map, "\npackage 1 "));
	assert_non_null(strstr(r->machine.map, "\ndistances "));
	assert_string_equal(r->build.version, CHARGELINE_VERSION);
	assert_non_null(strstr(r->build.flags, "optimization="));
	assert_true(r->build.compiler[0] && r->build.hwloc[0]);
	assert_int_equal(strlen(r->started), strlen("2026-08-01T12:00:00Z"));
	assert_false(r->complete || r->context_known);
	assert_false(warned(r, "wide machine") || warned(r, "one CPU"));
	results_free(r);
}

static void test_narrow_machines_are_warned_about(void **state)
{
	static const struct {
		const char *machine, *warning;
	} cases[] = {{"Core:1 PU:1", "contention cannot be measured with one CPU"},
		     {"Core:2 PU:1", "with 2 CPUs the effect of a wide machine cannot be seen"},
		     {"Core:3 PU:1", "with 3 CPUs the effect of a wide machine cannot be seen"}};
	struct plan plan = {.cases = NULL};
	struct err err = ERR_INIT;
	struct results *r;
	struct topo *t;
	int i;

	for (i = 0; i < NR(cases); i++) {
		assert_ok(topo_load(&t, cases[i].machine, &err), &err);
		assert_ok(results_new(&r, t, &plan, NULL, &err), &err);
		if (!warned(r, cases[i].warning))
			fail_msg("%s: no warning", cases[i].machine);
		save(r, in_dir("none.json")); /* no cases at all */
		results_free(r);
		r = load(in_dir("none.json"));
		assert_int_equal(r->nr_cases, 0);
		results_free(r);
		topo_free(t);
	}
}

/* -------------------------------------------------------------------- resuming */

static void test_resume(void **state)
{
	struct results *r = make_results(), *next;
	struct err err = ERR_INIT;
	struct plan plan;

	save(r, in_dir("r.json"));
	results_free(r);
	r = load(in_dir("r.json"));
	make_plan(&plan);
	plan.budget_ns = 1; /* more or less time is no other measurement */
	assert_ok(results_resume(r, topo, &plan, &err), &err);
	assert_int_equal(plan.cases[0].nr_done, 3);
	assert_int_equal(plan.cases[2].nr_done, 0);
	assert_ptr_equal(plan.cases[1].done, r->cases[1].samples);
	assert_ok(results_new(&next, topo, &plan, r->command, &err), &err);
	assert_same_case(&next->cases[0], &r->cases[0]);
	results_free(next);
	drop_plan(&plan);
	results_free(r);
}

enum change {
	OTHER_CLASS,
	OTHER_MODEL,
	OTHER_KERNEL,
	OTHER_FLAGS,
	OTHER_WINDOW,
	OTHER_WARMUP,
	OTHER_TARGET,
	OTHER_SEED,
	FEWER_CASES,
	OTHER_CPUS,
	OTHER_HOME,
	OTHER_BATCH,
	NR_CHANGES
};

static void change(struct results *r, struct plan *plan, enum change what)
{
	switch (what) {
	case OTHER_CLASS:
		r->machine.class_name[0] = '!';
		break;
	case OTHER_MODEL:
		free(r->machine.model);
		r->machine.model = strdup("Another CPU");
		break;
	case OTHER_KERNEL:
		r->machine.kernel[0] = '!';
		break;
	case OTHER_FLAGS:
		r->build.flags[0] = '!';
		break;
	case OTHER_WINDOW:
		plan->window_ns = 10000000;
		break;
	case OTHER_WARMUP:
		plan->warmup_ns++;
		break;
	case OTHER_TARGET:
		plan->target = 0.02;
		break;
	case OTHER_SEED:
		plan->seed = 7;
		break;
	case FEWER_CASES:
		plan->nr_cases--;
		break;
	case OTHER_CPUS:
		plan->cases[1].cpus.cpu[0] = 7;
		break;
	case OTHER_HOME:
		plan->cases[1].home = "farthest";
		break;
	default:
		plan->cases[2].params = &all_params[0];
	}
}

static void test_resume_names_the_difference(void **state)
{
	static const char *const parts[NR_CHANGES] = {
		[OTHER_CLASS] = "the machine class is '",
		[OTHER_MODEL] = "the CPU model is '",
		[OTHER_KERNEL] = "the kernel is '",
		[OTHER_FLAGS] = "the build is '",
		[OTHER_WINDOW] = "the window is 10 ms now, 20 ms in the file",
		[OTHER_WARMUP] = "the warm-up is 2000001 now, 2000000 in the file",
		[OTHER_TARGET] = "the target is 2% now, 1% in the file",
		[OTHER_SEED] = "the seed is 7 now, 18446744073709551614 in the file",
		[FEWER_CASES] = "the number of cases is 2 now, 3 in the file",
		[OTHER_CPUS] = "cases[1]: the CPUs are 7,1 now, 0-1 in the file",
		[OTHER_HOME] =
			"cases[1]: the home of shared memory is 'farthest' now, 'local' in the file",
		[OTHER_BATCH] = "cases[2]: layout is 'packed' now, 'padded' in the file",
	};
	struct results *r;
	struct plan plan;
	struct err err;
	int i;

	for (i = 0; i < NR_CHANGES; i++) {
		r = make_results();
		make_plan(&plan);
		change(r, &plan, i);
		assert_refused(results_resume(r, topo, &plan, &err), -EINVAL, parts[i], &err);
		assert_null(plan.cases[0].done);
		plan.nr_cases = 3;
		drop_plan(&plan);
		results_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest results[] = {
		TEST(test_round_trip),
		TEST(test_cases_explain_themselves),
		TEST(test_absent_is_null_with_a_reason),
		TEST(test_strange_text_is_still_json),
		TEST(test_strict_for_python),
		TEST(test_decimal_comma),
		TEST(test_bad_samples_are_refused),
		TEST(test_warnings_once),
		TEST(test_machine_is_recorded),
		TEST(test_narrow_machines_are_warned_about),
		TEST(test_resume),
		TEST(test_resume_names_the_difference),
	};

	return run_result_tests(results);
}
