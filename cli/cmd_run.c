/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_options.h"
#include "report.h"
#include "session.h"

int plan_from_args(const struct plan_args *a, const struct topo *topo, char **names, int nr,
		   struct plan *plan, struct err *err)
{
	struct plan_spec spec = {.experiments = (const char *const *)names,
				 .nr_experiments = nr,
				 .sets = a->sets.item,
				 .nr_sets = a->sets.nr,
				 .workers = a->workers,
				 .placement = a->placement,
				 .home = a->home,
				 .budget_ns = a->budget_ns,
				 .window_ns = a->window_ns,
				 .blocks = a->blocks,
				 .target = a->target > 0 ? a->target : -1,
				 .seed = a->seed};
	int64_t nr_pairs;

	if (a->pairs && !strcmp(a->pairs, "all")) {
		spec.nr_pairs = PLAN_ALL_PAIRS;
	} else if (a->pairs) {
		if (text_parse_int(a->pairs, 1, INT32_MAX, &nr_pairs, err))
			return err_prefix(err, "option --pairs: ");
		spec.nr_pairs = (int)nr_pairs;
	}
	return plan_build(topo, &spec, plan, err);
}

static int measure_and_report(const struct plan_args *a, struct session session, int first)
{
	const struct pick_options pick = {.margin = 0.03};
	struct results *r = NULL;
	struct report *rep = NULL;
	struct topo *topo = NULL;
	struct err err = ERR_INIT;
	struct plan plan = {0};
	char path[256];
	int status;

	if (topo_load(&topo, NULL, &err) ||
	    plan_from_args(a, topo, session.argv + first, session.argc - first, &plan, &err) ||
	    session_counters(&plan, topo, a->counters, a->multiplex, &err)) {
		status = cli_fail(&err);
		goto out;
	}
	if (!session.path) {
		session_default_path(topo, path, sizeof(path));
		session.path = path;
	}
	session_announce(topo, &plan, session.path);
	status = session_measure(&session, topo, &plan, session.path, &r);
	if (r && status != EXIT_INTERRUPTED && status != EXIT_FAILED) {
		printf("\n");
		if (report_build((const struct results *const *)&r, 1, &pick, &rep, &err))
			status = cli_fail_input(&err);
		else
			report_text(rep, stdout);
	}
out:
	report_free(rep);
	results_free(r);
	counters_close(plan.counters);
	plan_free(&plan);
	topo_free(topo);
	return status;
}

int cmd_run(const struct command *self, int argc, char **argv)
{
	struct session session = {.command = "run", .argc = argc, .argv = argv};
	struct plan_args a = PLAN_ARGS_INIT;
	const struct option_row rows[] = {
		PLAN_OPTION_ROWS(a),
		{"budget", 0, OPT_DURATION, &a.budget_ns, "T",
		 "time to measure; default 80s per worker count, at most 15m", 10000000},
		{"blocks", 0, OPT_INT, &a.blocks, "N",
		 "windows per case; default: as many as the time allows", 1, 100000},
		{"target", 0, OPT_PERCENT, &a.target, "PCT",
		 "a case is closed when its interval is +- this; default 0.5; 0: never", 0, 100},
		{"counters", 0, OPT_TEXT, &a.counters, "LIST",
		 "groups, metrics, events or none, see 'list counters';\n"
		 "default " COUNTERS_DEFAULT},
		{"multiplex", 0, OPT_SWITCH, &a.multiplex, NULL,
		 "count all at once, for a share of the time each, scaled"},
		{"output", 'o', OPT_TEXT, &session.path, "FILE",
		 "the record; default chargeline-CLASS-TIME.json"},
		{"resume", 0, OPT_SWITCH, &session.resume, NULL,
		 "go on with the interrupted run in FILE of -o"},
		{NULL}};
	struct err err = ERR_INIT;
	int first, rc, status;

	rc = options_parse(
		self,
		"Every combination of the values of --set is a case. All cases are measured\n"
		"block by block in random order; see 'list' for experiments and parameters.\n"
		"A published case, such as s0 of 'list cases', is all its rows, on all CPUs.",
		rows, argc, argv, &first, &err);
	if (rc) {
		status = rc > 0 ? EXIT_DONE : cli_fail(&err);
	} else if (session.resume && !session.path) {
		err_set(&err, -EINVAL, "--resume needs -o FILE: the record to go on with");
		status = cli_fail(&err);
	} else {
		status = measure_and_report(&a, session, first);
	}
	free(a.sets.item);
	return status;
}
