/* SPDX-License-Identifier: MIT */
/* Counters in result files and in reports. */
#include "counters_fixture.h"
#include "report_fixture.h"
#include "results_fixture.h"

#include <jansson.h>

static const char *choice = "core,lines";

static struct results *counted_results(struct counters *c)
{
	struct err err = ERR_INIT;
	struct results *r;
	struct plan plan;
	struct sample s;
	int b, i;

	make_plan(&plan);
	plan.counters = c;
	assert_ok(results_new(&r, topo, &plan, "chargeline run", &err), &err);
	for (b = 0; b < 4; b++) {
		s = make_sample(b);
		for (i = 0; i < COUNTERS_MAX; i++)
			s.counters[i] = i < 4 || i % 2 == b % 2 ? 0.25 * i + b : NAN;
		s.counters_share = counters_multiplexed(c) ? 0.5 : 1;
		assert_ok(results_add_sample(r, 1, &s, &err), &err);
	}
	drop_plan(&plan);
	return r;
}

static void a_file_keeps_columns_and_values(void **state)
{
	struct counters *c = opened(&icelake, choice, false);
	struct results *r = counted_results(c), *back;
	int i, k;

	save(r, in_dir("a.json"));
	back = load(in_dir("a.json"));
	assert_int_equal(back->nr_counters, counters_nr(c));
	assert_string_equal(back->counters_backend, "a script");
	assert_false(back->counters_multiplexed);
	for (i = 0; i < back->nr_counters; i++) {
		assert_string_equal(back->counters[i].name, r->counters[i].name);
		assert_string_equal(back->counters[i].state, "counted");
		assert_null(back->counters[i].reason);
		for (k = 0; k < 4; k++)
			assert_true(back->cases[1].samples[k].counters[i] ==
					    r->cases[1].samples[k].counters[i] ||
				    isnan(r->cases[1].samples[k].counters[i]));
	}
	for (; i < COUNTERS_MAX; i++)
		assert_true(isnan(back->cases[1].samples[0].counters[i]));
	assert_true(isnan(back->cases[1].samples[0].counters[5])); /* never 0 */
	results_free(back);
	results_free(r);
	counters_close(c);
}

static void a_refusal_is_in_the_file(void **state)
{
	struct counters *c;
	struct results *r, *back;
	char *text;
	size_t size;

	script.add_refuses = "REMOTE_HITM";
	script.add_code = -ENOENT;
	c = opened(&icelake, choice, true);
	r = counted_results(c);
	save(r, in_dir("a.json"));
	back = load(in_dir("a.json"));
	assert_true(back->counters_multiplexed);
	assert_true(back->cases[1].samples[0].counters_share == 0.5);
	assert_string_equal(back->counters[column(c, "hitm_remote")].state, "<not supported>");
	assert_non_null(strstr(back->counters[column(c, "hitm_remote")].reason, "is refused"));
	text = slurp(in_dir("a.json"), &size);
	assert_no_nan(text);
	free(text);
	results_free(back);
	results_free(r);
	counters_close(c);
}

/* a column that no window counted says so in the record that is saved last */
static void states_are_renewed(void **state)
{
	struct counters *c = opened(&icelake, choice, false);
	struct results *r = counted_results(c);
	struct counter_thread *t;
	double values[COUNTERS_MAX];

	script.count = -1;
	assert_int_equal(counters_thread_open(c, &t, NULL), 0);
	counters_start(t, 0);
	counters_stop(t);
	counters_values(c, &t, 1, 1, values);
	counters_thread_close(t);
	assert_int_equal(results_set_counters(r, c), 0);
	assert_string_equal(r->counters[column(c, "cycles")].state, "<not counted>");
	assert_non_null(strstr(r->counters[column(c, "cycles")].reason, "overflowed"));
	assert_int_equal(results_set_counters(r, NULL), 0);
	assert_int_equal(r->nr_counters, counters_nr(c));
	results_free(r);
	counters_close(c);
}

/* --------------------------------------------------------------- other files */

/* the file with a change; @pick_from: "counters" of the root, or of a window */
static void rewrite(const char *from, const char *to, void (*change)(json_t *root))
{
	json_t *root = json_load_file(in_dir(from), 0, NULL);

	assert_non_null(root);
	change(root);
	assert_int_equal(json_dump_file(root, in_dir(to), JSON_COMPACT), 0);
	json_decref(root);
}

static json_t *first_window(json_t *root)
{
	return json_array_get(
		json_object_get(json_array_get(json_object_get(root, "cases"), 1), "samples"), 0);
}

static json_t *first_column(json_t *root)
{
	return json_array_get(json_object_get(json_object_get(root, "counters"), "columns"), 0);
}

static void drop_counters(json_t *root)
{
	size_t i;
	json_t *s;

	json_object_del(root, "counters");
	json_array_foreach(
		json_object_get(json_array_get(json_object_get(root, "cases"), 1), "samples"), i, s)
		json_object_del(s, "counters");
}

static void too_few(json_t *root)
{
	json_array_remove(json_object_get(first_window(root), "counters"), 0);
}

static void negative(json_t *root)
{
	json_array_set_new(json_object_get(first_window(root), "counters"), 2, json_real(-1));
}

static void odd_state(json_t *root)
{
	json_object_set_new(first_column(root), "state", json_string("maybe"));
}

static void too_many(json_t *root)
{
	json_t *columns = json_object_get(json_object_get(root, "counters"), "columns");

	while (json_array_size(columns) <= COUNTERS_MAX)
		json_array_append(columns, json_array_get(columns, 0));
}

static void older_and_damaged_files_are_told_apart(void **state)
{
	struct counters *c = opened(&icelake, choice, false);
	struct results *r = counted_results(c), *back;
	struct err err = ERR_INIT;

	save(r, in_dir("a.json"));
	rewrite("a.json", "old.json", drop_counters);
	back = load(in_dir("old.json"));
	assert_int_equal(back->nr_counters, 0);
	assert_true(isnan(back->cases[1].samples[0].counters[0]));
	results_free(back);
	rewrite("a.json", "bad.json", too_few);
	assert_refused(results_load(&back, in_dir("bad.json"), &err), -EBADMSG,
		       "cases[1].samples[0].counters has", &err);
	rewrite("a.json", "bad.json", negative);
	assert_refused(results_load(&back, in_dir("bad.json"), &err), -EBADMSG,
		       "counters[2] is not a number of 0 or more", &err);
	rewrite("a.json", "bad.json", odd_state);
	assert_refused(results_load(&back, in_dir("bad.json"), &err), -EBADMSG,
		       "counters.columns[0].state is not counted", &err);
	rewrite("a.json", "bad.json", too_many);
	assert_refused(results_load(&back, in_dir("bad.json"), &err), -EBADMSG, "counters.columns",
		       &err);
	results_free(r);
	counters_close(c);
}

static void resuming_wants_the_same_counters(void **state)
{
	struct counters *c = opened(&icelake, choice, false), *other;
	struct results *r = counted_results(c);
	struct err err = ERR_INIT;
	struct plan plan;

	make_plan(&plan);
	plan.counters = c;
	assert_ok(results_resume(r, topo, &plan, &err), &err);
	assert_int_equal(plan.cases[1].nr_done, 4);
	plan.counters = NULL;
	assert_refused(results_resume(r, topo, &plan, &err), -EINVAL,
		       "the number of counters is 0 now", &err);
	script.window = false;
	other = opened(&icelake, "core,lock_loads,hitm_local,hitm_remote,forward_remote", false);
	plan.counters = other;
	assert_refused(results_resume(r, topo, &plan, &err), -EINVAL,
		       "a counter is 'lock_loads' now", &err);
	drop_plan(&plan);
	counters_close(other);
	results_free(r);
	counters_close(c);
}

/* -------------------------------------------------------------------- reports */

/* @per_page lines move for each page; every second window counts them */
static struct results *reported(struct counters *c, double per_page)
{
	static const int batches[] = {32, 64, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct sample *w;
	int i, k, n;

	s.batches = batches;
	r = synth_results(&s);
	assert_int_equal(results_set_counters(r, c), 0);
	for (i = 0; i < r->nr_cases; i++)
		for (k = 0; k < r->cases[i].nr_samples; k++) {
			w = &r->cases[i].samples[k];
			for (n = 0; n < COUNTERS_MAX; n++)
				w->counters[n] = NAN;
			w->counters_share = 1;
			w->counters[column(c, "task_clock")] = 2e9 / w->rate;
			if (k % 2)
				w->counters[column(c, "hitm_remote")] = per_page;
			else
				w->counters[column(c, "cycles")] = 123;
		}
	return r;
}

static void the_report_says_what_the_counters_show(void **state)
{
	struct counters *c = opened(&icelake, choice, false);
	struct results *r = reported(c, 0.98 / 32);
	char *text = report_as(r, report_text), *html;

	assert_says(text, "\nCounters\n");
	assert_says(text, "the usage line moves on every charge");
	assert_says(text, "0.98 lines from other cores per charge");
	assert_says(text, "had their CPUs for at least");
	assert_says(text, "hitm_remote");
	assert_says(text, " 123");
	assert_silent(text, "hitm_local"); /* no window has it: no column of dashes */
	check_all(r);
	html = report_as(r, report_html);
	assert_says(html, "moves on every charge");
	assert_says(html, "hitm_remote");
	free(html);
	free(text);
	results_free(r);

	r = reported(c, 0.3 / 32);
	text = report_as(r, report_text);
	assert_silent(text, "on every charge");
	assert_says(text, "most of the time it stays");
	free(text);
	results_free(r);
	counters_close(c);
}

static void the_report_says_what_was_not_counted(void **state)
{
	struct counter_machine guest = {.uarch = "icx", .no_pmu = "give the guest a virtual PMU"};
	struct counters *c;
	struct results *r;
	char *text;

	script.most = 0;
	c = opened(&guest, choice, false);
	r = reported(c, NAN);
	text = report_as(r, report_text);
	assert_says(text, "<not supported>");
	assert_says(text, "give the guest a virtual PMU");
	assert_says(text, "cycles, instructions, ipc");
	assert_silent(text, "moves on every");
	check_all(r); /* field report A16: no nan anywhere */
	free(text);
	results_free(r);

	r = reported(c, NAN);
	synth_spoil(r, NULL, 0, MARK_STEAL, 0);
	text = report_as(r, report_text);
	assert_says(text, "No undisturbed window counted anything.");
	free(text);
	check_all(r);
	results_free(r);
	counters_close(c);
}

static void without_counters_there_is_no_section(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	char *text = report_as(r, report_text);

	assert_silent(text, "\nCounters\n");
	free(text);
	results_free(r);
}

static int begin(void **state)
{
	begin_script(state);
	return make_dir(state);
}

static int end(void **state)
{
	return remove_dir(state) || end_script(state);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_keeps_columns_and_values),
		TEST(a_refusal_is_in_the_file),
		TEST(states_are_renewed),
		TEST(older_and_damaged_files_are_told_apart),
		TEST(resuming_wants_the_same_counters),
		TEST(the_report_says_what_the_counters_show),
		TEST(the_report_says_what_was_not_counted),
		TEST(without_counters_there_is_no_section),
	};

	return run_result_tests(tests);
}
