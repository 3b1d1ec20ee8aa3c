/* SPDX-License-Identifier: MIT */
#include "golden.h"
#include "report_fixture.h"

/* a small virtual machine, with disturbed windows, a case without any, and a thinned plan */
static struct results *golden_results(void)
{
	static const int layouts[] = {0, 2, 4, -1}, batches[] = {8, 32, 64, 127, 128, -1},
			 workers[] = {1, 2, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	int i;

	s.layouts = layouts;
	s.batches = batches;
	s.workers = workers;
	s.blocks = 9;
	r = synth_results(&s);
	synth_set(&r->machine.class_name, "icx-1s2c1t-1n-vm");
	synth_set(&r->machine.hypervisor, "kvm");
	synth_set(&r->thinned, "base offsets and placements are not swept");
	synth_set(&r->note, "memory of node 0 for all");
	results_add_warning(r, "virtual machine (kvm): other guests disturb the measurement");
	synth_finding(r, "governor", "unknown", NULL, "the CPUs have no cpufreq folder");
	synth_finding(r, "turbo", "warning", "on (intel_pstate/no_turbo is 0)",
		      "the clock depends on how many cores are busy: "
		      "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo");
	synth_finding(r, "smt", "ok", "notsupported", NULL);
	synth_finding(r, "cpu_quota", "fault", "1 CPU for the 2 that we may use",
		      "use at most 1, or echo max > /sys/fs/cgroup/a.slice/cpu.max");
	r->complete = false;
	r->context.work_error = 0.08;
	r->context.memory_verified = false;
	strcpy(r->context.memory_note, "the kernel would not say where memory is");
	for (i = 0; i < r->nr_cases; i += 3)
		r->cases[i].samples[i % 9].marks = i % 2 ? MARK_STEAL : MARK_SWITCHED | MARK_STEAL;
	for (i = 0; i < r->cases[7].nr_samples; i++)
		r->cases[7].samples[i].marks = MARK_OVERLAP;
	r->cases[100].nr_samples = 3;
	r->cases[101].nr_samples = 0;
	return r;
}

static void test_golden_text(void **state)
{
	struct results *r = golden_results();
	char *text = report_as(r, report_text);

	assert_mail(text);
	assert_no_nan(text);
	check_golden("report.txt", text);
	free(text);
	results_free(r);
}

static void test_golden_html(void **state)
{
	struct results *r = golden_results();
	char *html = report_as(r, report_html);

	assert_page(html);
	assert_no_nan(html);
	check_golden("report.html", html);
	free(html);
	results_free(r);
}

/* what a wiki would take for markup is shown as it is */
static void hostile(struct results *r)
{
	synth_set(&r->machine.hostname, "<script>alert(1)</script>");
	synth_set(&r->machine.kernel, "# 1 | `rm` *b* [x](http://h) \\ \n- _y_");
	synth_set(&r->command, "run ```\n# not a heading");
}

static void test_golden_markdown(void **state)
{
	struct results *r = golden_results();
	char *text;

	hostile(r);
	text = report_as(r, report_markdown);
	assert_no_nan(text);
	assert_silent(text, "<script");
	assert_says(text, "host &lt;script&gt;alert(1)&lt;/script&gt;");
	assert_says(text, "# 1 \\| \\`rm\\` \\*b\\* \\[x\\](http://h) \\\\  - \\_y\\_");
	assert_says(text, "````sh\nrun ```?# not a heading\n````\n");
	check_golden("report.md", text);
	free(text);
	results_free(r);
}

static void test_golden_pick(void **state)
{
	struct results *r = golden_results();
	const struct results *const all[] = {r};
	struct pick_options opt = {.margin = 0.03, .max_batch = 127, .slots = 7};
	struct err err = ERR_INIT;
	struct pick *p;
	char *text = NULL;
	size_t size;
	FILE *to;

	assert_ok(pick_make(all, 1, &opt, &p, &err), &err);
	to = open_memstream(&text, &size);
	assert_int_equal(pick_json(p, to), 0);
	fclose(to);
	assert_no_nan(text);
	check_golden("pick.json", text);
	free(text);
	to = open_memstream(&text, &size);
	assert_int_equal(pick_text(p, to), 0);
	fclose(to);
	assert_mail(text);
	check_golden("pick.txt", text);
	free(text);
	to = open_memstream(&text, &size);
	assert_int_equal(pick_markdown(p, to), 0);
	fclose(to);
	assert_no_nan(text);
	check_golden("pick.md", text);
	free(text);
	pick_free(p);
	results_free(r);
}

/* --------------------------------------------------------------------- what it must say */

static void test_recommendation_first(void **state)
{
	struct results *r = golden_results();
	char *html = report_as(r, report_html), *text = report_as(r, report_text);

	assert_true(strstr(html, "id=\"answer\"") < strstr(html, "id=\"machine\""));
	assert_true(strstr(text, "Recommended batch") < strstr(text, "The machine"));
	free(html);
	free(text);
	results_free(r);
}

static void test_counts_of_the_run(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	char *text;

	r->complete = false;
	r->cases[0].samples[0].marks = MARK_SWITCHED;
	r->cases[0].samples[1].marks = MARK_SWITCHED | MARK_STEAL;
	text = report_as(r, report_html);
	assert_says(text, "28 cases in 20 blocks: 560 windows of 20 ms in 45 s; 2 left out as "
			  "disturbed: 2 switched, 1 steal<");
	assert_says(text, "is not complete: it can be resumed");
	free(text);
	results_free(r);
}

static void test_one_worker_claims_nothing(void **state)
{
	static const int one[] = {1, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	char *text, *part;

	s.layouts = synth_all_layouts;
	s.workers = one;
	r = synth_results(&s);
	r->machine.pus = 1;
	text = report_as(r, report_text);
	assert_says(text, "contention cannot be measured");
	part = between(text, "What alignment gives", "\n\n");
	assert_says(part, "Nothing can be said");
	assert_silent(part, "%");
	free(part);
	free(text);
	check_all(r);
	results_free(r);
}

static void test_no_base_layout(void **state)
{
	static const int layouts[] = {2, 4, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	char *text;

	s.layouts = layouts;
	r = synth_results(&s);
	text = report_as(r, report_text);
	assert_says(text, "packed_5_19, the layout without alignment, was not measured");
	free(text);
	results_free(r);
}

/* 25% planted for batch 8 saturated; none at 4 us */
static void test_planted_effect(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	char *text, *part, *row;

	s.layouts = synth_all_layouts;
	s.drift = 0.3;
	r = synth_results(&s);
	text = report_as(r, report_text);
	part = between(text, "What alignment gives", "What each doubling");
	row = between(part, "   saturated      8", "\n");
	assert_silent(row, "~");
	assert_says(row, "+26.");
	free(row);
	row = between(part, "        4 us    256", "\n");
	assert_says(row, "~ +-");
	free(row);
	free(part);
	part = between(text, "What each doubling", "More workers");
	/* T = 3 + 200 / batch: 28 -> 15.5 ns */
	row = between(part, "     8 -> 16", "\n");
	assert_says(row, "+80.");
	free(row);
	assert_says(part, "64 -> 127");
	free(part);
	free(text);
	results_free(r);
}

/* B13: one half under load, the other not; unchanged code must not look changed */
static void test_no_false_effects(void **state)
{
	static const int layouts[] = {0, 4, -1}, batches[] = {64, -1}, works[] = {250, -1};
	struct synth s = SYNTH_DEFAULT;
	int run, i, k, found = 0;
	struct results *r;
	char *text, *part, *row;

	s.layouts = layouts;
	s.batches = batches;
	s.works = works;
	s.cost[0] = 1;
	s.noise = 0.02;
	s.blocks = 10;
	for (run = 0; run < 200; run++) {
		s.seed = 1000 + run;
		r = synth_results(&s);
		for (i = 0; i < r->nr_cases; i++)
			for (k = 5; k < r->cases[i].nr_samples; k++)
				r->cases[i].samples[k].rate /= 2;
		text = report_as(r, report_text);
		part = between(text, "What alignment gives", "Which fields");
		row = between(part, "      250 ns     64", "\n");
		found += !strstr(row, "~ +-");
		free(row);
		free(part);
		free(text);
		results_free(r);
	}
	/* 5% of 200, and two standard deviations of that count */
	if (found > 10 + 6)
		fail_msg("%d of 200 repetitions show an effect where there is none", found);
}

static void test_same_input_same_bytes(void **state)
{
	struct results *r = golden_results();
	char *one = report_as(r, report_text), *two = report_as(r, report_text);

	assert_string_equal(one, two);
	free(one);
	free(two);
	results_free(r);
}

static void test_full_disk(void **state)
{
	struct results *r = golden_results();
	const struct results *const all[] = {r};
	struct report *rep = build_many(all, 1);
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		test_skip("no /dev/full here");
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(report_text(rep, full), -EIO);
	assert_int_equal(report_html(rep, full), -EIO);
	assert_int_equal(report_markdown(rep, full), -EIO);
	fclose(full);
	report_free(rep);
	results_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_text),
		cmocka_unit_test(test_golden_html),
		cmocka_unit_test(test_golden_markdown),
		cmocka_unit_test(test_golden_pick),
		cmocka_unit_test(test_recommendation_first),
		cmocka_unit_test(test_counts_of_the_run),
		cmocka_unit_test(test_one_worker_claims_nothing),
		cmocka_unit_test(test_no_base_layout),
		cmocka_unit_test(test_planted_effect),
		cmocka_unit_test(test_no_false_effects),
		cmocka_unit_test(test_same_input_same_bytes),
		cmocka_unit_test(test_full_disk),
	};

	return run_tests(tests);
}
