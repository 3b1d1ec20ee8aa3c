/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "report.h"
#include "reproduce.h"
#include "session.h"
#include "sim.h"

struct report_args {
	struct input_args inputs;
	struct pick_options pick;
	const char *out, *html, *markdown, *csv, *protocol, *counters;
	int64_t budget_ns, seed, max_batch, slots;
	bool resume, multiplex;
};

#define PUBLISHED_SECONDS 10 /* for what the model predicts of published cases */

static const char about[] =
	"Without FILE: measures this machine by the default plan, keeps the record as JSON, prints the\n"
	"report with the recommended batch and writes it as one HTML page beside the record.\n"
	"With FILE (or a folder, or --class and the like): reports on records; several are put together\n"
	"when they are of one machine class.\n";

/* "x.json" -> "x.html" */
static char *html_path(const char *path)
{
	size_t len = strlen(path);
	char *html = malloc(len + 6);

	if (!html)
		return NULL;
	memcpy(html, path, len + 1);
	if (len > 5 && !strcmp(html + len - 5, ".json"))
		html[len - 5] = 0;
	strcat(html, ".html");
	return html;
}

static int write_as(const struct report *rep, int (*writer)(const struct report *, FILE *),
		    const char *path, struct err *err)
{
	FILE *f = fopen(path, "we");
	int rc;

	if (!f)
		return err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	rc = writer(rep, f);
	if (fclose(f) || rc)
		return err_set(err, -EIO, "cannot write '%s': %s", path, strerror(errno));
	return 0;
}

/* looks whether there is a matrix before it touches the file */
static int write_csv(const struct report *rep, const struct report_args *a, struct err *err)
{
	int rc = report_csv(rep, a->protocol, NULL, err);
	FILE *f;

	if (rc)
		return rc;
	f = fopen(a->csv, "we");
	if (!f)
		return err_set(err, -errno, "cannot write '%s': %s", a->csv, strerror(errno));
	rc = report_csv(rep, a->protocol, f, err);
	if (fclose(f) || rc)
		return err_set(err, -EIO, "cannot write '%s': %s", a->csv, strerror(errno));
	return 0;
}

static int print_report(const struct results *const *r, int nr, const struct report_args *a,
			const char *html)
{
	bool to_stdout = a->markdown && !strcmp(a->markdown, "-");
	struct reproduction *published = NULL;
	struct sim_profile *model = NULL;
	struct report *rep = NULL;
	struct err err = ERR_INIT;
	int status = EXIT_DONE;

	/* none is no fault: most records have no model of their machine */
	if (html || a->markdown)
		report_model(r, nr, &model, NULL);
	if (((html || a->markdown) &&
	     report_published(r, nr, PUBLISHED_SECONDS, &published, &err)) ||
	    report_build_beside(r, nr, &a->pick, model, published, &rep, &err)) {
		reproduce_free(published);
		sim_profile_free(model);
		return cli_fail_input(&err);
	}
	if (to_stdout)
		report_markdown(rep, stdout);
	else
		report_text(rep, stdout);
	if (html && write_as(rep, report_html, html, &err))
		status = cli_fail_input(&err);
	else if (html && !to_stdout)
		printf("\npage     %s\n", html);
	if (a->markdown && !to_stdout && write_as(rep, report_markdown, a->markdown, &err))
		status = cli_fail_input(&err);
	else if (a->markdown && !to_stdout)
		printf("%smarkdown %s\n", html ? "" : "\n", a->markdown);
	if (a->csv && write_csv(rep, a, &err))
		status = cli_fail_input(&err);
	else if (a->csv && !to_stdout)
		printf("%smatrix   %s\n", html ? "" : "\n", a->csv);
	report_free(rep);
	reproduce_free(published);
	sim_profile_free(model);
	return status;
}

static int report_files(char **paths, int nr, const struct report_args *a)
{
	struct report_args with = *a;
	struct inputs in;
	int status = inputs_load(&a->inputs, paths, nr, &in);

	with.pick.left_out = (const char *const *)in.left_out;
	with.pick.nr_left_out = in.nr_said;
	if (!status)
		status = print_report((const struct results *const *)in.r, in.nr, &with, a->html);
	return inputs_end(&in, status);
}

static int report_machine(const struct report_args *a, int argc, char **argv)
{
	struct session session = {"report", argc, argv, a->out, a->resume};
	struct results *r = NULL;
	struct topo *topo = NULL;
	struct err err = ERR_INIT;
	struct plan plan = {0};
	char path[256], *html = NULL;
	int status, said;

	if (topo_load(&topo, NULL, &err) ||
	    plan_default(topo, a->budget_ns, a->seed, &plan, &err) ||
	    session_counters(&plan, topo, a->counters, a->multiplex, &err)) {
		status = cli_fail(&err);
		goto out;
	}
	if (!a->out)
		session_default_path(topo, path, sizeof(path));
	session.path = a->out ? a->out : path;
	session_announce(topo, &plan, session.path);
	status = session_measure(&session, topo, &plan, session.path, &r);
	if (r && status != EXIT_INTERRUPTED && status != EXIT_FAILED) {
		html = a->html ? strdup(a->html) : html_path(session.path);
		printf("\n");
		said = print_report((const struct results *const *)&r, 1, a, html);
		status = said ? said : status;
	}
out:
	free(html);
	results_free(r);
	counters_close(plan.counters);
	plan_free(&plan);
	topo_free(topo);
	return status;
}

int cmd_report(const struct command *self, int argc, char **argv)
{
	struct report_args a = {.pick.margin = 0.03, .seed = 1};
	const struct option_row rows[] = {
		{"budget", 0, OPT_DURATION, &a.budget_ns, "T",
		 "time to measure, such as 30s or 10m", 100000000},
		{"output", 'o', OPT_TEXT, &a.out, "FILE",
		 "the record; default chargeline-CLASS-TIME.json"},
		{"resume", 0, OPT_SWITCH, &a.resume, NULL,
		 "go on with the interrupted run in FILE of -o"},
		{"counters", 0, OPT_TEXT, &a.counters, "LIST",
		 "groups, metrics, events or none, see 'list counters';\n"
		 "default " COUNTERS_DEFAULT},
		{"multiplex", 0, OPT_SWITCH, &a.multiplex, NULL,
		 "count all at once, for a share of the time each, scaled"},
		{"html", 0, OPT_TEXT, &a.html, "FILE",
		 "the page; default beside a new record, none for given ones"},
		{"markdown", 0, OPT_TEXT, &a.markdown, "FILE|-",
		 "the report for a wiki; '-': on standard output instead of the text"},
		{"csv", 0, OPT_TEXT, &a.csv, "FILE",
		 "the core_to_core matrix of given files: lower triangle, ns;\n"
		 "row k is the k-th CPU that occurs, by its number"},
		{"protocol", 0, OPT_TEXT, &a.protocol, "cas|read",
		 "which matrix --csv writes, cas or read;\n"
		 "default cas when it was measured"},
		{"margin", 0, OPT_PERCENT, &a.pick.margin, "PCT",
		 "a larger batch must gain more than this; default 3", 0, 100},
		{"max-batch", 0, OPT_INT, &a.pick.max_batch, "N", "largest batch to pick", 1, 1024},
		{"max-stranded", 0, OPT_SIZE, &a.pick.max_stranded, "SIZE",
		 "most memory that batch x CPUs x slots may strand"},
		INPUT_OPTION_ROWS(a.inputs),
		{"seed", 0, OPT_INT, &a.seed, "N", "of the random order; default 1", 0, INT32_MAX},
		{NULL}};
	struct err err = ERR_INIT;
	char text[1400];
	int first, rc;

	snprintf(text, sizeof(text), "%s\n%s\n", about, plan_rule());
	rc = options_parse(self, text, rows, argc, argv, &first, &err);
	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	if (a.resume && !a.out) {
		err_set(&err, -EINVAL, "--resume needs -o FILE: the record to go on with");
		return cli_fail(&err);
	}
	if (a.protocol && !a.csv)
		err_set(&err, -EINVAL, "--protocol chooses the matrix of --csv FILE");
	else if (a.csv && first == argc && !inputs_from_store(&a.inputs))
		err_set(&err, -EINVAL,
			"--csv needs result files: the default plan does not measure core_to_core");
	else if ((a.counters || a.multiplex) && first < argc)
		err_set(&err, -EINVAL,
			"--counters and --multiplex choose what is measured: files have what they "
			"have");
	if (err.code)
		return cli_fail(&err);
	if (first < argc || inputs_from_store(&a.inputs))
		return report_files(argv + first, argc - first, &a);
	return report_machine(&a, argc, argv);
}
