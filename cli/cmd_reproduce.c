/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan_options.h"
#include "reproduce.h"
#include "session.h"
#include "text.h"

struct reproduce_args {
	bool no_measure, refit, json;
	int64_t budget_ns;
	const char *output;
};

static const char about[] =
	"A case is what others published, see 'list cases'; default all. Every row of it is predicted by\n"
	"the model on the machine that it was published for, and measured here as 'run CASE' does.\n"
	"At most two numbers of a case are fitted, on at most two of its rows; every other row is a\n"
	"prediction. --refit finds these numbers again from the published values alone: the exit status\n"
	"is 3 when one is not what the table has.";

/* ------------------------------------------------------------------------------ cases */

static int nr_published(void)
{
	int nr = 0;

	while (bench_published_cases[nr].name)
		nr++;
	return nr;
}

static int unknown_case(const char *name, struct err *err)
{
	const char *names[64];
	int i, nr = nr_published();

	for (i = 0; i < nr && i < 64; i++)
		names[i] = bench_published_cases[i].name;
	return text_unknown(err, "case", name, names, i);
}

/* the named ones, each once; none named: all. With @refit those of all that have something to fit */
static int choose(const struct bench_published_case **cases, char **names, int nr_names, bool refit,
		  struct err *err)
{
	const struct bench_published_case *c;
	int i, k, nr = 0;

	for (c = bench_published_cases; !nr_names && c->name; c++)
		if (!refit || reproduce_can_refit(c))
			cases[nr++] = c;
	for (i = 0; i < nr_names; i++) {
		c = bench_published_find(names[i]);
		if (!c)
			return unknown_case(names[i], err);
		for (k = 0; k < nr && cases[k] != c; k++)
			;
		if (k == nr)
			cases[nr++] = c;
	}
	return nr;
}

/* --------------------------------------------------------------------------- progress */

static bool tell_progress(void *ctx, const char *what, int nr_done, int nr)
{
	if (*(bool *)ctx) {
		fprintf(stderr, "\r%s: %d of %d runs of the model\033[K", what, nr_done, nr);
		fflush(stderr);
	}
	return session_interrupted();
}

static int predict(const struct reproduce_args *a, const struct bench_published_case **cases,
		   int nr, struct reproduction **out, struct err *err)
{
	bool terminal = isatty(STDERR_FILENO);
	struct reproduce_progress progress = {.tell = tell_progress, .ctx = &terminal};
	int rc;

	session_catch_signals();
	rc = reproduce_predict(out, cases, nr, a->refit, &progress, err);
	if (terminal)
		fprintf(stderr, "\r\033[K");
	return rc;
}

/* -------------------------------------------------------------------------- measuring */

/* the names of the cases that can be measured here; what keeps the others from it is said */
static int measurable(struct reproduction *r, const struct plan_args *pa, const struct topo *topo,
		      char **names)
{
	struct err err;
	struct plan plan;
	int i, nr = 0;

	for (i = 0; i < r->nr; i++) {
		names[nr] = (char *)(uintptr_t)r->cases[i].c->name;
		plan = (struct plan){0};
		err = (struct err)ERR_INIT;
		if (plan_from_args(pa, topo, names + nr, 1, &plan, &err))
			reproduce_not_measured(r, i, err.msg);
		else
			nr++;
		plan_free(&plan);
	}
	return nr;
}

/* the record is that of "run CASE...", which can also go on with it */
static int measure_cases(const struct reproduce_args *a, struct reproduction *r,
			 const struct plan_args *pa, const struct topo *topo, char **names, int nr)
{
	char run[] = "run", *argv[8 + 64] = {run}, budget[48], total[32];
	struct session s = {.command = "run", .argc = 1, .argv = argv, .path = a->output};
	struct results *record = NULL;
	struct err err = ERR_INIT;
	struct plan plan = {0};
	int i, status;

	for (i = 0; i < nr && i < 64; i++)
		argv[s.argc++] = names[i];
	snprintf(budget, sizeof(budget), "--budget=%lldns", (long long)a->budget_ns);
	if (a->budget_ns)
		argv[s.argc++] = budget;
	if (plan_from_args(pa, topo, names, nr, &plan, &err))
		return cli_fail(&err);
	text_duration(total, sizeof(total), plan_estimate_ns(&plan));
	fprintf(stderr, "chargeline: measuring %d rows here, on %d CPUs, at most %s\n",
		plan.nr_cases, plan.cases[0].cpus.nr, total);
	status = session_measure(&s, topo, &plan, a->output, &record);
	if (record && reproduce_measured(r, record, &err))
		status = cli_fail(&err);
	results_free(record);
	plan_free(&plan);
	return status;
}

static int measure(const struct reproduce_args *a, struct reproduction *r)
{
	struct plan_args pa = PLAN_ARGS_INIT;
	struct topo *topo = NULL;
	struct err err = ERR_INIT;
	char **names = calloc((size_t)r->nr + 1, sizeof(*names));
	int i, nr, status = EXIT_DONE;

	pa.budget_ns = a->budget_ns;
	if (!names)
		return cli_fail_input(&(struct err){-ENOMEM, "out of memory"});
	if (topo_load(&topo, NULL, &err)) {
		for (i = 0; i < r->nr; i++)
			reproduce_not_measured(r, i, err.msg);
	} else {
		nr = measurable(r, &pa, topo, names);
		if (nr)
			status = measure_cases(a, r, &pa, topo, names, nr);
	}
	topo_free(topo);
	free(names);
	return status;
}

/* ---------------------------------------------------------------------------- command */

static bool all_found_again(const struct reproduction *r)
{
	const struct reproduce_fit *f;
	int i, k;

	for (i = 0; i < r->nr; i++)
		for (k = 0; k < r->cases[i].nr_fits; k++) {
			f = &r->cases[i].fit[k];
			if (f->fit->on && (!f->refitted || f->differs))
				return false;
		}
	return true;
}

static int run_reproduce(const struct reproduce_args *a, char **names, int nr_names)
{
	const struct bench_published_case **cases =
		calloc((size_t)nr_published() + 1, sizeof(struct bench_published_case *));
	struct reproduction *r = NULL;
	struct err err = ERR_INIT;
	int nr = cases ? choose(cases, names, nr_names, a->refit, &err)
		       : err_set(&err, -ENOMEM, "out of memory");
	int rc = nr < 0 ? nr : predict(a, cases, nr, &r, &err), status = EXIT_DONE;

	free(cases);
	if (rc < 0)
		return cli_fail(&err);
	if (rc == 1)
		status = EXIT_INTERRUPTED;
	else if (!a->no_measure)
		status = measure(a, r);
	if (status == EXIT_DONE && a->refit && !all_found_again(r))
		status = EXIT_DISTRUST;
	rc = a->json ? json_reproduce(r, stdout) : reproduce_text(r, stdout);
	reproduce_free(r);
	if (rc == -ENOMEM)
		return cli_fail_input(&(struct err){rc, "out of memory"});
	return status;
}

int cmd_reproduce(const struct command *self, int argc, char **argv)
{
	struct reproduce_args a = {0};
	const struct option_row rows[] = {
		{"no-measure", 0, OPT_SWITCH, &a.no_measure, NULL,
		 "published and predicted only: nothing is measured"},
		{"refit", 0, OPT_SWITCH, &a.refit, NULL,
		 "find the fitted numbers again, and compare"},
		{"json", 0, OPT_SWITCH, &a.json, NULL, "one object: the cases and their rows"},
		{"budget", 0, OPT_DURATION, &a.budget_ns, "T",
		 "time to measure; default as of 'run'", 10000000},
		{"output", 'o', OPT_TEXT, &a.output, "FILE",
		 "keep the record of what was measured"},
		{NULL}};
	struct err err = ERR_INIT;
	int first, rc;

	rc = options_parse(self, about, rows, argc, argv, &first, &err);
	if (!rc && a.output && a.no_measure)
		rc = err_set(&err, -EINVAL, "-o keeps what is measured: not with --no-measure");
	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	return run_reproduce(&a, argv + first, argc - first);
}
