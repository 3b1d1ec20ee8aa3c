/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan_options.h"
#include "report.h"
#include "session.h"
#include "sim.h"

struct predict_args {
	struct plan_args plan;
	const char *machine, *input, *latency, *from, *html;
	struct session said; /* the command, for the page */
	bool json;
};

static const char about[] =
	"Predicts by the model: the subjects run on simulated CPUs, with the line-transfer costs of the\n"
	"machine's profile. Nothing is measured, and every figure is marked as a prediction.\n"
	"A built-in machine is named with --machine; else --input gives a topology (a file or a\n"
	"synthetic string, default this machine) and --latency its matrix, one row per CPU in ns;\n"
	"what a matrix does not say is that of icx-8380.\n"
	"--from takes all of it from what was measured here:\n"
	"  chargeline run core_to_core contended_line --workers 1,2 -o here.json\n";

static int list_machines(void)
{
	const char *const *names = sim_profile_names();
	struct err err = ERR_INIT;
	struct sim_profile *p;

	for (; *names; names++) {
		if (sim_profile_builtin(&p, *names, &err))
			return cli_fail(&err);
		printf("  %-16s %3d CPUs, class %s\n%19s%s\n", p->name, p->nr_cpus,
		       topo_info(p->topo)->class_name, "", p->source);
		sim_profile_free(p);
	}
	return EXIT_DONE;
}

/* this machine, as a record of it says */
static int load_measured(const char *path, struct sim_profile **out, struct err *err)
{
	struct results *r = NULL;
	struct topo *topo = NULL;
	int rc = results_load(&r, path, err);

	if (!rc)
		rc = topo_load(&topo, NULL, err);
	if (!rc && strcmp(topo_info(topo)->class_name, r->machine.class_name)) {
		rc = err_set(err, -EINVAL,
			     "'%s' is of %s, this machine is %s: its topology is not here", path,
			     r->machine.class_name, topo_info(topo)->class_name);
		topo_free(topo);
	} else if (!rc) {
		rc = profile_from_results(out, r, topo, err);
		if (rc)
			err_prefix(err, "'%s': ", path);
	}
	results_free(r);
	return rc;
}

/* what a matrix does not say (the atomic, a visit) is taken from an Ice Lake server's profile */
static int load_profile(const struct predict_args *a, struct sim_profile **out, struct err *err)
{
	struct sim_profile *like = NULL;
	struct topo *topo = NULL;
	int rc;

	if (!!a->machine + !!a->input + !!a->from > 1)
		return err_set(err, -EINVAL, "--machine, --input and --from exclude each other");
	if (a->from)
		return load_measured(a->from, out, err);
	if (a->machine)
		rc = sim_profile_builtin(out, a->machine, err);
	else if (!a->latency)
		return err_set(err, -EINVAL,
			       "name a machine with --machine (see --machine list), or "
			       "give its matrix with --latency");
	else if (!(rc = sim_profile_builtin(&like, "icx-8380", err)) &&
		 !(rc = topo_load(&topo, a->input, err)))
		rc = sim_profile_make(out, topo_info(topo)->class_name, topo, &like->costs, err);
	sim_profile_free(like);
	if (!rc && a->latency)
		rc = sim_profile_csv(*out, a->latency, err);
	return rc;
}

struct telling {
	int nr, told;
	bool terminal;
};

static bool tell_progress(void *ctx, int nr_done)
{
	struct telling *t = ctx;

	if (t->terminal && nr_done != t->told) {
		fprintf(stderr, "\r%d of %d predicted\033[K", nr_done, t->nr);
		fflush(stderr);
		t->told = nr_done;
	}
	return false;
}

static int write_page(const struct predict_args *a, const struct sim_profile *p,
		      const struct plan *plan, const struct sim_result *r, struct err *err)
{
	char *command = session_command(&a->said);
	FILE *f = fopen(a->html, "we");
	int rc;

	if (!f) {
		free(command);
		return err_set(err, -errno, "cannot write '%s': %s", a->html, strerror(errno));
	}
	rc = predictions_html(p, plan, r, command, f);
	free(command);
	if (fclose(f) || rc)
		return err_set(err, -EIO, "cannot write '%s': %s", a->html, strerror(errno));
	if (!a->json)
		printf("\npage     %s\n", a->html);
	return 0;
}

static int predict(const struct predict_args *a, const struct sim_profile *p,
		   const struct plan *plan, struct err *err)
{
	struct telling t = {.nr = plan->nr_cases, .terminal = isatty(STDERR_FILENO)};
	struct sim_config *config = calloc((size_t)plan->nr_cases, sizeof(*config));
	struct sim_result *r = calloc((size_t)plan->nr_cases, sizeof(*r));
	bool *done = calloc((size_t)plan->nr_cases, sizeof(*done));
	int i, rc = 0;

	if (!config || !r || !done)
		rc = err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < plan->nr_cases && !rc; i++)
		config[i] = (struct sim_config){.profile = p,
						.experiment = plan->cases[i].exp->name,
						.params = plan->cases[i].params,
						.cpus = plan->cases[i].cpus,
						.seed = plan->seed};
	if (!rc)
		rc = sim_sweep(config, plan->nr_cases, r, done, tell_progress, &t, err);
	if (t.told)
		fprintf(stderr, "\r\033[K");
	if (!rc)
		rc = a->json ? json_predictions(p, plan, r, stdout)
			     : predictions_text(p, plan, r, stdout);
	if (!rc && a->html)
		rc = write_page(a, p, plan, r, err);
	free(config);
	free(r);
	free(done);
	return rc;
}

static int run_predict(const struct predict_args *a, char **names, int nr)
{
	struct sim_profile *p = NULL;
	struct err err = ERR_INIT;
	struct plan plan = {0};
	int status = EXIT_DONE;

	if (load_profile(a, &p, &err) ||
	    plan_from_args(&a->plan, p->topo, names, nr, &plan, &err) || predict(a, p, &plan, &err))
		status = cli_fail(&err);
	plan_free(&plan);
	sim_profile_free(p);
	return status;
}

int cmd_predict(const struct command *self, int argc, char **argv)
{
	struct predict_args a = {.plan = PLAN_ARGS_INIT};
	const struct option_row rows[] = {
		{"machine", 'm', OPT_TEXT, &a.machine, "MACHINE",
		 "a built-in machine; 'list' names them"},
		{"input", 0, OPT_TEXT, &a.input, "TOPOLOGY",
		 "an hwloc XML file or a synthetic string"},
		{"latency", 0, OPT_TEXT, &a.latency, "CSV", "its core-to-core latencies in ns"},
		{"from", 0, OPT_TEXT, &a.from, "RECORD",
		 "this machine, from its core_to_core and contended_line"},
		PLAN_OPTION_ROWS(a.plan),
		{"html", 0, OPT_TEXT, &a.html, "FILE",
		 "one page with plots, every figure a prediction"},
		{"json", 0, OPT_SWITCH, &a.json, NULL,
		 "one object: the machine and its predictions"},
		{NULL}};
	struct err err = ERR_INIT;
	int first, rc, status;

	a.said = (struct session){.command = "predict", .argc = argc, .argv = argv};
	rc = options_parse(self, about, rows, argc, argv, &first, &err);
	if (rc)
		status = rc > 0 ? EXIT_DONE : cli_fail(&err);
	else if (a.machine && !strcmp(a.machine, "list"))
		status = list_machines();
	else
		status = run_predict(&a, argv + first, argc - first);
	free(a.plan.sets.item);
	return status;
}
