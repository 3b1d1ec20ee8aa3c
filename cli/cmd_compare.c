/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "inputs.h"

static const char about[] =
	"A and B are each a result file, or a folder of result files (*.json) of one machine class,\n"
	"which count as that side's runs. Rows are the cases that both sides have; lower is a regression.\n"
	"With 5 or more runs of each side, taken in turn (A B A B ...), runs are compared in pairs, so\n"
	"that drift of the machine cancels; see the report's own words for what was done.\n"
	"\n"
	"Exit status: 0 no regression, 3 a regression of more than --fail-over, 1 no answer: a file that\n"
	"cannot be used, or no case with enough undisturbed windows on both sides.";

static int add_file(struct compare *c, enum compare_side side, const char *path, struct err *err)
{
	struct results *r = NULL;
	int rc = results_load(&r, path, err);

	if (rc)
		return rc;
	rc = compare_add(c, side, r, err);
	if (rc)
		err_prefix(err, "'%.200s': ", path);
	results_free(r);
	return rc;
}

/* one file of a folder that cannot be read is left out; two machine classes have no answer */
static int add_side(struct compare *c, enum compare_side side, const char *path, struct err *err)
{
	struct err why, first = ERR_INIT;
	int i, rc, used = 0;
	struct paths in;
	bool folder;

	rc = paths_expand(&in, (char *const[]){(char *)path}, 1, err);
	if (rc)
		return rc;
	folder = strcmp(in.path[0], path);
	for (i = 0; i < in.nr && !rc; i++) {
		why = (struct err)ERR_INIT;
		rc = add_file(c, side, in.path[i], &why);
		used += !rc;
		if (rc && folder && rc != -EINVAL && rc != -ENOMEM) {
			first = first.code ? first : why;
			rc = compare_leave_out(c, side, why.msg);
			if (rc)
				err_set(&why, rc, "out of memory");
		}
		if (rc)
			*err = why;
	}
	if (!rc && !used)
		rc = err_set(err, first.code, "folder '%.200s' has no file that can be used: %s",
			     path, first.msg);
	paths_free(&in);
	return rc;
}

static int print_comparison(const struct compare *c, bool json)
{
	struct err err = ERR_INIT;

	if ((json ? compare_json(c, stdout) : compare_text(c, stdout)) == -ENOMEM)
		err_set(&err, -ENOMEM, "out of memory");
	else if (!compare_tells(c))
		err_set(&err, -ENODATA,
			"no case has enough undisturbed windows on both sides: there is no answer");
	if (err.code)
		return cli_fail_input(&err);
	return compare_regressed(c) ? EXIT_REGRESSION : EXIT_DONE;
}

int cmd_compare(const struct command *self, int argc, char **argv)
{
	double fail_over = COMPARE_FAIL_OVER;
	struct err err = ERR_INIT;
	struct compare *c = NULL;
	bool json = false;
	const struct option_row rows[] = {
		{"fail-over", 0, OPT_PERCENT, &fail_over, "PCT",
		 "a loss of more than this is a regression; default 3", 0, 100},
		{"json", 0, OPT_SWITCH, &json, NULL, "one object, with every row and figure"},
		{NULL}};
	int first, side, status, rc;

	rc = options_parse(self, about, rows, argc, argv, &first, &err);
	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	if (argc - first != 2) {
		err_set(&err, -EINVAL, "compare needs two result files or folders of them, not %d",
			argc - first);
		return cli_fail(&err);
	}
	rc = compare_new(&c);
	if (rc)
		err_set(&err, rc, "out of memory");
	for (side = 0; side < 2 && !rc; side++)
		rc = add_side(c, side, argv[first + side], &err);
	if (!rc)
		rc = compare_make(c, fail_over, &err);
	status = rc ? cli_fail_input(&err) : print_comparison(c, json);
	compare_free(c);
	return status;
}
