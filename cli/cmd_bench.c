/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_options.h"

/* libbenchmark's options go to it as they are; the order of the rest is kept */
static int split_args(int argc, char **argv, char **own, char **theirs, int *nr_theirs)
{
	int i, nr = 0;

	*nr_theirs = 0;
	theirs[(*nr_theirs)++] = argv[0];
	for (i = 0; i < argc; i++) {
		if (i && !strncmp(argv[i], "--benchmark_", 12))
			theirs[(*nr_theirs)++] = argv[i];
		else
			own[nr++] = argv[i];
	}
	own[nr] = theirs[*nr_theirs] = NULL;
	return nr;
}

static int run_bench(const struct plan_args *a, char **names, int nr, int argc, char **argv)
{
	struct topo *topo = NULL;
	struct plan plan = {0};
	struct err err = ERR_INIT;
	int status = EXIT_DONE;

	if (topo_load(&topo, NULL, &err) || plan_from_args(a, topo, names, nr, &plan, &err) ||
	    gbench_main(topo, &plan, argc, argv, &err))
		status = cli_fail(&err);
	plan_free(&plan);
	topo_free(topo);
	return status;
}

/* libbenchmark's options, from the table that parses them */
static void help_text(char *buf, size_t size)
{
	const char *name, *arg, *help;
	char left[80];
	size_t len;
	int i;

	len = snprintf(
		buf, size,
		"Every case is one benchmark of libbenchmark, which filters, repeats and prints. "
		"Threads and\nclocks are chargeline's own. Its options:\n");
	for (i = 0; len < size && gbench_option(i, &name, &arg, &help); i++) {
		snprintf(left, sizeof(left), "--benchmark_%s%s%s", name, arg ? "=" : "",
			 arg ? arg : "");
		len += snprintf(buf + len, size - len, "\n  %-50s %s", left, help);
	}
	if (len < size)
		snprintf(buf + len, size - len, "\n");
}

int cmd_bench(const struct command *self, int argc, char **argv)
{
	struct plan_args a = PLAN_ARGS_INIT;
	const struct option_row rows[] = {PLAN_OPTION_ROWS(a), {NULL}};
	char **own = calloc(argc + 1, sizeof(*own)), **theirs = calloc(argc + 1, sizeof(*theirs));
	struct err err = ERR_INIT;
	char text[6000];
	int nr_own, nr_theirs, first, rc, status;

	if (!own || !theirs) {
		err_set(&err, -ENOMEM, "out of memory");
		status = cli_fail(&err);
		goto out;
	}
	nr_own = split_args(argc, argv, own, theirs, &nr_theirs);
	help_text(text, sizeof(text));
	rc = options_parse(self, text, rows, nr_own, own, &first, &err);
	if (rc)
		status = rc > 0 ? EXIT_DONE : cli_fail(&err);
	else
		status = run_bench(&a, own + first, nr_own - first, nr_theirs, theirs);
out:
	free(a.sets.item);
	free(own);
	free(theirs);
	return status;
}
