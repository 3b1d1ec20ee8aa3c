/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "inputs.h"

static const char about[] =
	"A and B are each a result file, or a folder of result files (*.json) of one machine class,\n"
	"which count as that side's runs. Instead of files, the sides may be runs of the store: with\n"
	"--kernel A,B those of two kernels, with --class A,B those of two machine classes.\n"
	"Rows are the cases that both sides have; lower is a regression.\n"
	"With 5 or more runs of each side, taken in turn (A B A B ...), runs are compared in pairs, so\n"
	"that drift of the machine cancels; see the report's own words for what was done.\n"
	"\n"
	"Exit status: 0 no regression, 3 a regression of more than --fail-over, 1 no answer (no case has\n"
	"enough undisturbed windows on both sides), or no regression, but a file was left out.";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "json", "markdown"};
#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* ---------------------------------------------------------------------- the sides */

/* what one side is: files, or what is asked of the store */
struct side {
	struct input_args args;
	char **files;
	int nr;
	char *class_name, *kernel; /* what args has of "A,B" */
};

/* this side's part of "A,B"; of what has no comma all. NULL stays NULL */
static int part(const char *text, int side, char **out, const char **arg, struct err *err)
{
	const char *comma = text ? strchr(text, ',') : NULL;

	if (!text)
		return 0;
	*out = !comma ? strdup(text) : side ? strdup(comma + 1) : strndup(text, comma - text);
	*arg = *out;
	return *out ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static int one_comma(const char *option, const char *text, struct err *err)
{
	const char *comma = text ? strchr(text, ',') : NULL;

	if (!comma)
		return 0;
	if (comma == text || !comma[1] || strchr(comma + 1, ','))
		return err_set(err, -EINVAL, "option --%s: '%.80s' is not one side, or two as A,B",
			       option, text);
	return 1;
}

static int find_sides(const struct input_args *a, char **files, int nr, struct side *sides,
		      struct err *err)
{
	int class_names = one_comma("class", a->class_name, err), kernels, i, rc = 0;

	kernels = class_names < 0 ? class_names : one_comma("kernel", a->kernel, err);
	if (kernels < 0)
		return kernels;
	if (!inputs_from_store(a) && nr != 2)
		return err_set(err, -EINVAL,
			       "compare needs two result files or folders of them, not %d; or two "
			       "sides of the store, as --kernel A,B or --class A,B",
			       nr);
	if (inputs_from_store(a) && !nr && !class_names && !kernels)
		return err_set(err, -EINVAL,
			       "two sides of the store are chosen by --kernel A,B or --class A,B");
	for (i = 0; i < 2 && !rc; i++) {
		sides[i].args = *a;
		sides[i].files = nr == 2 ? files + i : files;
		sides[i].nr = nr == 2 ? 1 : nr;
		rc = part(a->class_name, i, &sides[i].class_name, &sides[i].args.class_name, err);
		if (!rc)
			rc = part(a->kernel, i, &sides[i].kernel, &sides[i].args.kernel, err);
	}
	return rc;
}

struct taking {
	struct compare *c;
	enum compare_side side;
};

static int take(void *ctx, struct results *r, struct err *err)
{
	struct taking *to = ctx;
	int rc = compare_add(to->c, to->side, r, err);

	if (rc)
		err_prefix(err, "'%.200s': ", r->path ? r->path : "");
	results_free(r);
	return rc;
}

static int load_side(struct compare *c, enum compare_side which, const struct side *s,
		     bool *left_out)
{
	struct taking to = {c, which};
	struct err err = ERR_INIT;
	struct inputs in;
	int status = inputs_each(&s->args, s->files, s->nr, take, &to, &in), i, rc = 0;

	for (i = 0; i < in.nr_said && !rc; i++)
		rc = compare_leave_out(c, which, in.left_out[i]);
	if (rc) {
		err_set(&err, rc, "out of memory");
		status = cli_fail(&err);
	}
	*left_out |= in.nr_left_out > 0;
	inputs_end(&in, status);
	return status;
}

/* ----------------------------------------------------------------------- the answer */

static int print_comparison(const struct compare *c, enum format format)
{
	static int (*const writers[])(const struct compare *, FILE *) = {compare_text, compare_json,
									 compare_markdown};
	struct err err = ERR_INIT;

	if (writers[format](c, stdout) == -ENOMEM)
		err_set(&err, -ENOMEM, "out of memory");
	else if (!compare_tells(c))
		err_set(&err, -ENODATA,
			"no case has enough undisturbed windows on both sides: there is no answer");
	if (err.code)
		return cli_fail_input(&err);
	return compare_regressed(c) ? EXIT_REGRESSION : EXIT_DONE;
}

static int compare(const struct side *sides, double fail_over, enum format format)
{
	int status = EXIT_DONE, i, rc;
	struct err err = ERR_INIT;
	struct compare *c = NULL;
	bool left_out = false;

	rc = compare_new(&c);
	if (rc)
		err_set(&err, rc, "out of memory");
	for (i = 0; i < 2 && !rc && !status; i++)
		status = load_side(c, i, &sides[i], &left_out);
	if (!rc && !status)
		rc = compare_make(c, fail_over, &err);
	if (rc)
		status = cli_fail_input(&err);
	else if (!status)
		status = print_comparison(c, format);
	compare_free(c);
	return !status && left_out ? EXIT_FAILED : status;
}

int cmd_compare(const struct command *self, int argc, char **argv)
{
	double fail_over = COMPARE_FAIL_OVER;
	struct side sides[2] = {0};
	struct input_args from = {0};
	struct err err = ERR_INIT;
	const char *format = NULL;
	bool json = false;
	const struct option_row rows[] = {
		{"fail-over", 0, OPT_PERCENT, &fail_over, "PCT",
		 "a loss of more than this is a regression; default 3", 0, 100},
		INPUT_OPTION_ROWS(from),
		{"format", 0, OPT_TEXT, &format, "text|json|markdown", "default text"},
		{"json", 0, OPT_SWITCH, &json, NULL,
		 "--format json: one object, with every row and figure"},
		{NULL}};
	int first, i, rc, how, status;

	rc = options_parse(self, about, rows, argc, argv, &first, &err);
	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	how = json ? FORMAT_JSON : FORMAT_TEXT;
	if (format)
		how = option_choice("format", format, formats, NR_FORMATS, &err);
	rc = how < 0 ? how : find_sides(&from, argv + first, argc - first, sides, &err);
	status = rc ? cli_fail(&err) : compare(sides, fail_over, how);
	for (i = 0; i < 2; i++) {
		free(sides[i].class_name);
		free(sides[i].kernel);
	}
	return status;
}
