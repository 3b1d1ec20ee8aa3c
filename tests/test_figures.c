/* SPDX-License-Identifier: MIT */
/* Plots: what is drawn, what becomes of it where gnuplot is missing or fails, and the numbers. */
#include "golden.h"
#include "report_fixture.h"

#include <math.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "experiment.h"
#include "sim.h"

#define NR_WORKERS 8
#define SERVICE_NS 40.0

/* ------------------------------------------------------------------ a program of that name */

static char folder[] = "/tmp/chargeline-figures-XXXXXX";

/* @script becomes the gnuplot that is found; NULL: the real one, with what it needs */
static void use_gnuplot(const char *script)
{
	char path[64];
	FILE *f;

	if (!script) {
		setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
		return;
	}
	snprintf(path, sizeof(path), "%s/gnuplot", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", script);
	fclose(f);
	chmod(path, 0755);
	setenv("PATH", folder, 1);
}

static void no_gnuplot_again(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/gnuplot", folder);
	unlink(path);
	setenv("PATH", "/nonexistent", 1);
}

static void need_gnuplot(void)
{
	use_gnuplot(NULL);
	if (system("gnuplot --version >/dev/null 2>&1")) {
		no_gnuplot_again();
		test_skip("gnuplot is not installed");
	}
}

/* ------------------------------------------------------------------------------- the record */

/*
 * The line's law: a rate of X = P / (1 + k / batch), where P is that of undisturbed workers and k
 * the knee, P x 2 updates x service time. 8 workers at 250 ns: P = 8 / 253 ns, k = 2.53.
 */
static double knee_of(int work, int workers)
{
	return workers / (work + 3.0) * 2 * SERVICE_NS;
}

static void lawful(struct results *r, int scale)
{
	int64_t work, batch;
	double p, rate;
	int i, k;

	for (i = 0; i < r->nr_cases; i++) {
		if (!result_param(&r->cases[i], "batch", &batch))
			continue;
		result_param(&r->cases[i], "work_ns", &work);
		p = 1e9 * r->cases[i].nr_workers / (work + 3.0);
		rate = p / (1 + scale * knee_of(work, r->cases[i].nr_workers) / batch);
		for (k = 0; k < r->cases[i].nr_samples; k++) {
			r->cases[i].samples[k].rate = rate * (1 + 1e-3 * (k % 3));
			/* charges and uncharges, per page */
			r->cases[i].samples[k].metrics[0] = 2.0 / batch * scale;
		}
	}
}

static struct results *lawful_record(int scale)
{
	static const int workers[] = {1, 8, -1}, layouts[] = {0, 4, -1},
			 batches[] = {4, 8, 16, 32, 64, 128, 256, 512, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;

	s.workers = workers;
	s.layouts = layouts;
	s.batches = batches;
	s.blocks = 9;
	r = synth_results(&s);
	synth_limit(r, 8, 9, SERVICE_NS);
	lawful(r, scale);
	return r;
}

static int count(const char *text, const char *part)
{
	int nr = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		nr++;
	}
	return nr;
}

/* -------------------------------------------------------------------------------- drawing */

static const char *const ids[] = {"scaling", "scaling-load", "batch", "layouts", "layouts-load"};

static void test_every_plot_is_drawn(void **state)
{
	struct results *r = lawful_record(8);
	char from[64], *html, *part;
	int i;

	need_gnuplot();
	html = report_as(r, report_html);
	no_gnuplot_again();
	assert_page(html);
	assert_no_nan(html);
	assert_silent(html, "No plot");
	for (i = 0; i < 5; i++) {
		snprintf(from, sizeof(from), "<figure class=\"fig\" id=\"plot-%s\">", ids[i]);
		part = between(html, from, "</figure>");
		assert_says(part, "role=\"img\"");
		assert_says(part, "<desc>");
		assert_says(part, "class=\"curve s0\"");
		assert_says(part, i < 2 ? "class=\"sign m0\"" : "class=\"sign m1\"");
		assert_silent(part, "d=\"\"");
		/* titles of both axes, in words */
		assert_says(part, i < 2 ? ">workers</text>" : ">batch (pages)</text>");
		assert_says(part,
			    i == 2 ? ">pages/s, % of the largest batch</text>" : ">pages/s</text>");
		free(part);
	}
	assert_int_equal(count(html, "<ul class=\"legend\">"), 5);
	part = between(html, "id=\"plot-batch\"", "</figure>");
	assert_says(part, ">memory, MiB</text>");
	assert_says(part, "250 ns: saturation knee by the law (prediction)");
	assert_says(part, "250 ns: measured knee");
	/* the law's is dashed */
	assert_says(part, "class=\"curve s1 at\" stroke-dasharray=");
	free(part);
	free(html);
	results_free(r);
}

/* one curve for each placement */
static void test_placements(void **state)
{
	struct results *r = lawful_record(1), *other = lawful_record(1);
	const struct results *const all[] = {r, other};
	struct report *rep;
	char *html, *part;
	int i;

	for (i = 0; i < other->nr_cases; i++)
		synth_set(&other->cases[i].placement, "compact");
	synth_set(&other->started, "2026-11-30T13:00:00Z");
	need_gnuplot();
	rep = build_many(all, 2);
	html = written(rep, report_html);
	no_gnuplot_again();
	part = between(html, "id=\"plot-scaling\"", "</figure>");
	assert_says(part, "</svg>cores-first</li>");
	assert_says(part, "</svg>compact</li>");
	assert_says(part, "class=\"curve s1\"");
	free(part);
	free(html);
	report_free(rep);
	results_free(other);
	results_free(r);
}

static void test_same_input_same_drawing(void **state)
{
	struct results *r = lawful_record(1);
	char *one, *two;

	need_gnuplot();
	one = report_as(r, report_html);
	two = report_as(r, report_html);
	no_gnuplot_again();
	assert_string_equal(one, two);
	free(one);
	free(two);
	results_free(r);
}

/* what is in a file is shown; nothing of it is run, and no word of it reaches gnuplot */
static void test_hostile_names(void **state)
{
	static const char evil[] =
		"'; system('touch /tmp/chargeline-evil') `x` <script>alert(1)</script>";
	struct results *r = lawful_record(1);
	char *html;
	int i;

	for (i = 0; i < r->nr_cases; i++)
		synth_set(&r->cases[i].placement, evil);
	synth_set(&r->machine.hostname, evil);
	unlink("/tmp/chargeline-evil");
	need_gnuplot();
	html = report_as(r, report_html);
	no_gnuplot_again();
	assert_page(html);
	assert_silent(html, "No plot");
	assert_says(html, "</svg>&#39;; system(&#39;touch /tmp/chargeline-evil&#39;) `x` "
			  "&lt;script&gt;");
	assert_int_equal(access("/tmp/chargeline-evil", F_OK), -1);
	free(html);
	results_free(r);
}

/* --------------------------------------------------------------------- a gnuplot that fails */

static void says_no_plot(const char *script, const char *why, int asked)
{
	struct results *r = lawful_record(1);
	char *html, path[80], count_path[80], *n;
	char command[400];

	snprintf(count_path, sizeof(count_path), "%s/asked", folder);
	snprintf(path, sizeof(path), "echo >>%s/asked", folder);
	snprintf(command, sizeof(command), "%s\n%s", path, script);
	unlink(count_path);
	use_gnuplot(command);
	html = report_as(r, report_html);
	no_gnuplot_again();
	assert_page(html);
	assert_says(html, why);
	assert_int_equal(count(html, "No plot: "), 5);
	assert_silent(html, "class=\"curve s0\" stroke");
	/* the numbers are there all the same */
	assert_says(html, "id=\"plot-batch\"");
	assert_says(html, "Saturation knee by the law");
	n = read_file(count_path);
	assert_int_equal(count(n, "\n"), asked);
	free(n);
	unlink(count_path);
	free(html);
	results_free(r);
}

static void test_not_installed(void **state)
{
	struct results *r = lawful_record(1);
	char *html = report_as(r, report_html);

	assert_page(html);
	assert_says(html,
		    "No plot: gnuplot is not installed: install gnuplot-nox (Debian) or gnuplot "
		    "(Fedora). The numbers are in the tables.");
	free(html);
	results_free(r);
}

/* one that fails is not asked again for the page */
static void test_it_fails(void **state)
{
	says_no_plot("echo 'line 3: cannot <b>open</b>' >&2; exit 1",
		     "No plot: gnuplot failed: line 3: cannot &lt;b&gt;open&lt;/b&gt;.", 1);
}

static void test_it_writes_nonsense(void **state)
{
	says_no_plot("cat >/dev/null; echo hello", "No plot: gnuplot wrote no drawing.", 1);
	says_no_plot("cat >/dev/null; echo '<svg><defs></defs></svg>'",
		     "No plot: gnuplot&#39;s drawing is not understood.", 1);
}

/* nothing of a drawing gets in but paths, signs and texts */
static void test_it_writes_a_script(void **state)
{
	says_no_plot("cat >/dev/null; echo '<svg><defs></defs><g transform=\"x\" onload=\"evil()\">"
		     "<text>a<script>evil()</script></text></g><path stroke=\"rgb(1,0,0)\" "
		     "d=\"url(evil)\"/></svg>'",
		     "No plot: gnuplot&#39;s drawing is not understood.", 1);
}

static void test_it_hangs(void **state)
{
	time_t start = time(NULL);

	says_no_plot("exec sleep 100", "No plot: gnuplot took more than 5 s and was stopped.", 1);
	assert_true(time(NULL) - start < 60);
}

static void test_it_writes_for_ever(void **state)
{
	says_no_plot("exec yes", "No plot: gnuplot wrote more than 4 MiB.", 1);
}

/* -------------------------------------------------------------------------------- numbers */

/* 8 times the updates: the knee at 250 ns is 8 x 2.53, that at 1 us 8 x 0.64, at 4 us under 1 */
static void test_knee(void **state)
{
	struct results *r = lawful_record(8);
	char *text = report_as(r, report_text), *part, *row;
	double predicted = 8 * knee_of(250, 8);

	part = between(text, "Saturation knee by the law", "\n\n");
	row = between(part, "      250 ns", "\n");
	assert_true(fabs(predicted - 20.2) < 0.1);
	assert_says(row, " 254 ");
	assert_says(row, " 40 ");
	assert_says(row, " 20  about 2");
	free(row);
	row = between(part, "        1 us", "\n");
	assert_says(row, "5.1");
	free(row);
	row = between(part, "        4 us", "\n");
	assert_says(row, "1.3");
	assert_says(row, "under 4");
	free(row);
	free(part);
	free(text);
	results_free(r);
}

static void test_knee_needs_the_limit(void **state)
{
	struct results *r = lawful_record(8);
	char *text, *part;

	synth_set(&r->cases[r->nr_cases - 1].placement, "compact");
	text = report_as(r, report_text);
	part = between(text, "Saturation knee by the law", "\n\n");
	assert_says(part, "contended_line with as many workers was not measured");
	free(part);
	free(text);
	results_free(r);
}

/* who reads and writes is counted while the subject runs */
static void test_lines(void **state)
{
	struct results *r = lawful_record(1);
	char *html = report_as(r, report_html), *part;

	part = between(html, "<figcaption>packed_5_19</figcaption>", "</figure>");
	assert_says(part, "<li class=\"hot\"><p>bytes 0 to 63: what is read goes with what is "
			  "written</p>");
	assert_says(part, "<span class=\"w\">usage: written</span><span class=\"r\">min: read");
	assert_says(part, "<span class=\"r\">max: read</span>");
	free(part);
	part = between(html, "<figcaption>v6_15</figcaption>", "</figure>");
	assert_silent(part, "class=\"hot\"");
	assert_says(part, "</p><span class=\"w\">usage: written</span>"
			  "<span class=\"u\">failcnt</span></li>");
	free(part);
	free(html);
	results_free(r);
}

static void test_unknown_layout_has_no_picture(void **state)
{
	struct results *r = lawful_record(1);
	char *text;
	int i;

	for (i = 0; i < r->nr_cases - 1; i++)
		synth_set(&r->cases[i].params[0].text, "v99");
	text = report_as(r, report_text);
	assert_silent(text, "Which fields share a line");
	free(text);
	results_free(r);
}

/* a subject with a section of its own: its metric over what was swept, in percent */
static void test_stock(void **state)
{
	struct results *r = synth_record();
	struct synth s = SYNTH_DEFAULT;
	static const int one[] = {64, -1}, works[] = {0, -1};
	char *html, *part;
	int i, k;

	s.batches = one;
	s.works = works;
	synth_cases(r, &s);
	synth_cases(r, &s);
	synth_cases(r, &s);
	synth_windows(r, &s, 0);
	for (i = 0; i < r->nr_cases; i++) {
		synth_set(&r->cases[i].experiment, "memcg_stock");
		synth_set(&r->cases[i].params[1].name, "memcgs");
		synth_set(&r->cases[i].params[1].text, i ? i == 1 ? "4" : "16" : "1");
		r->cases[i].params[1].value = i ? i == 1 ? 4 : 16 : 1;
		synth_set(&r->cases[i].metrics[0].name, "hit_rate");
		for (k = 0; k < r->cases[i].nr_samples; k++)
			r->cases[i].samples[k].metrics[0] = 0.9 - 0.1 * i;
	}
	need_gnuplot();
	html = report_as(r, report_html);
	no_gnuplot_again();
	part = between(html, "id=\"plot-stock\"", "</figure>");
	assert_says(part, ">charges that the stock served, %</text>");
	assert_says(part, ">memcgs, memcgs</text>");
	assert_says(part, ">16</text>");
	free(part);
	part = between(html, "<section id=\"stock\">", "</section>");
	assert_says(part, "<caption><span>memcg_stock</span>");
	free(part);
	part = between(html, "<section id=\"repeat\">", "</section>");
	assert_says(part, "<pre><code>chargeline run memcg_stock --set memcgs=1,4,16 ");
	free(part);
	free(html);
	results_free(r);
}

/* -------------------------------------------------------------------------- the model */

static void test_overlay(void **state)
{
	struct results *r = lawful_record(1);
	const struct results *const all[] = {r};
	struct sim_profile *model = NULL;
	struct err err = ERR_INIT;
	struct report *rep = NULL;
	char *text, *html, *part;

	synth_set(&r->machine.class_name, "icx-2s40c2t-2n");
	assert_ok(report_model(all, 1, &model, &err), &err);
	assert_string_equal(model->name, "icx-8380");
	assert_ok(report_build_beside(all, 1, NULL, model, NULL, &rep, &err), &err);
	text = written(rep, report_text);
	part = between(text, "The model beside the measurement", "Read this before");
	assert_says(part, "Every figure of the model is a prediction");
	assert_says(part, "2 x Xeon Platinum 8380");
	assert_says(part, "      250 ns     64        8");
	free(part);
	need_gnuplot();
	html = written(rep, report_html);
	no_gnuplot_again();
	part = between(html, "id=\"plot-batch\"", "</figure>");
	assert_says(part, "250 ns (prediction)");
	assert_says(part, "class=\"curve s1\" stroke-dasharray=");
	assert_says(part, "class=\"sign o1\"");
	free(part);
	free(html);
	free(text);
	report_free(rep);
	sim_profile_free(model);
	results_free(r);
}

static void test_no_model_of_that_class(void **state)
{
	struct results *r = lawful_record(1);
	const struct results *const all[] = {r};
	struct sim_profile *model = NULL;
	struct err err = ERR_INIT;

	synth_set(&r->machine.class_name, "abacus-1s1c1t-1n");
	assert_int_equal(report_model(all, 1, &model, &err), -ENOENT);
	assert_null(model);
	results_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_plot_is_drawn),
		cmocka_unit_test(test_placements),
		cmocka_unit_test(test_same_input_same_drawing),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_not_installed),
		cmocka_unit_test(test_it_fails),
		cmocka_unit_test(test_it_writes_nonsense),
		cmocka_unit_test(test_it_writes_a_script),
		cmocka_unit_test(test_it_hangs),
		cmocka_unit_test(test_it_writes_for_ever),
		cmocka_unit_test(test_knee),
		cmocka_unit_test(test_knee_needs_the_limit),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_unknown_layout_has_no_picture),
		cmocka_unit_test(test_stock),
		cmocka_unit_test(test_overlay),
		cmocka_unit_test(test_no_model_of_that_class),
	};

	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = run_tests(tests);
	rmdir(folder);
	return failed;
}
