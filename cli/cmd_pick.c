/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "report.h"
#include "sim.h"
#include "text.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_COMMIT, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "json", "commit", "markdown"};
#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* one pick for each machine class; they borrow from the results that they were made from */
struct picks {
	struct pick **pick;
	int nr;
	struct results **predicted;
	int nr_predicted;
};

static int add_pick(struct picks *to, const struct results *const *r, int nr,
		    const struct pick_options *opt, struct err *err)
{
	struct pick **grown = realloc(to->pick, sizeof(*grown) * (to->nr + 1));
	int rc;

	if (!grown)
		return err_set(err, -ENOMEM, "out of memory");
	to->pick = grown;
	rc = pick_make(r, nr, opt, &to->pick[to->nr], err);
	to->nr += !rc;
	return rc;
}

/* the results of one machine class, from @first on; NULL in @left: they are done */
static int gather_class(struct results **left, int nr, int first, const struct results **out)
{
	const char *class_name = left[first]->machine.class_name;
	int i, n = 0;

	for (i = first; i < nr; i++) {
		if (!left[i] || strcmp(left[i]->machine.class_name, class_name))
			continue;
		out[n++] = left[i];
		if (i != first)
			left[i] = NULL;
	}
	left[first] = NULL;
	return n;
}

static int pick_measured(struct picks *to, struct results **r, int nr,
			 const struct pick_options *opt)
{
	struct results **left = malloc(sizeof(*left) * nr);
	const struct results **group = malloc(sizeof(*group) * nr);
	struct err err = ERR_INIT;
	int i, n, status = EXIT_DONE;

	if (!left || !group) {
		err_set(&err, -ENOMEM, "out of memory");
		status = cli_fail(&err);
		nr = 0;
	}
	for (i = 0; i < nr; i++)
		left[i] = r[i];
	for (i = 0; i < nr; i++) {
		if (!left[i])
			continue;
		n = gather_class(left, nr, i, group);
		if (add_pick(to, group, n, opt, &err)) {
			err_prefix(&err, "'%s': ", group[0]->path ? group[0]->path : "");
			status = cli_fail_input(&err);
		}
	}
	free(left);
	free(group);
	return status;
}

static bool was_measured(const struct picks *p, const char *class_name)
{
	int i;

	for (i = 0; i < p->nr; i++)
		if (!p->pick[i]->predicted && !strcmp(p->pick[i]->class_name, class_name))
			return true;
	return false;
}

static int predict_one(struct picks *to, const char *machine, const struct pick_options *opt,
		       struct err *err)
{
	struct results *r = NULL, **grown;
	struct sim_profile *p = NULL;
	int rc = sim_profile_builtin(&p, machine, err);

	if (!rc)
		rc = pick_predict(&r, p, err);
	sim_profile_free(p);
	if (rc)
		return rc;
	if (was_measured(to, r->machine.class_name)) {
		fprintf(stderr, "chargeline: %s is not predicted: its class %s was measured\n",
			machine, r->machine.class_name);
		results_free(r);
		return 0;
	}
	grown = realloc(to->predicted, sizeof(*grown) * (to->nr_predicted + 1));
	if (!grown) {
		results_free(r);
		return err_set(err, -ENOMEM, "out of memory");
	}
	to->predicted = grown;
	to->predicted[to->nr_predicted++] = r;
	return add_pick(to, (const struct results *const *)&grown[to->nr_predicted - 1], 1, opt,
			err);
}

static int print_picks(const struct picks *p, enum format format)
{
	int i;

	if (format == FORMAT_COMMIT)
		return p->nr ? pick_commit((const struct pick *const *)p->pick, p->nr, stdout) : 0;
	if (format == FORMAT_JSON)
		printf("[");
	for (i = 0; i < p->nr; i++) {
		if (i)
			printf(format == FORMAT_JSON ? "," : "\n");
		if (format == FORMAT_JSON)
			pick_json(p->pick[i], stdout);
		else if (format == FORMAT_MARKDOWN)
			pick_markdown(p->pick[i], stdout);
		else
			pick_text(p->pick[i], stdout);
	}
	if (format == FORMAT_JSON)
		printf("]\n");
	return 0;
}

static void free_picks(struct picks *p)
{
	int i;

	for (i = 0; i < p->nr; i++)
		pick_free(p->pick[i]);
	for (i = 0; i < p->nr_predicted; i++)
		results_free(p->predicted[i]);
	free(p->pick);
	free(p->predicted);
}

struct pick_args {
	struct input_args inputs;
	struct pick_options opt;
	struct option_list machines, weights;
	const char *format;
	int64_t slots;
	bool json;
};

static int find_format(const struct pick_args *a, enum format *out, struct err *err)
{
	size_t i;

	*out = a->json ? FORMAT_JSON : FORMAT_TEXT;
	for (i = 0; a->format && i < NR_FORMATS; i++)
		if (!strcmp(a->format, formats[i])) {
			*out = i;
			return 0;
		}
	return a->format ? text_unknown(err, "format", a->format, formats, NR_FORMATS) : 0;
}

/* "250ns=3" */
static int find_weights(struct pick_args *a, struct err *err)
{
	struct pick_weight *w = calloc(a->weights.nr + 1, sizeof(*w));
	const char *equals;
	char work[32];
	int i, rc = w ? 0 : err_set(err, -ENOMEM, "out of memory");

	for (i = 0; i < a->weights.nr && !rc; i++) {
		equals = strchr(a->weights.item[i], '=');
		if (!equals || equals - a->weights.item[i] >= (int)sizeof(work)) {
			rc = err_set(
				err, -EINVAL,
				"option --weight: '%.40s' is not a demand and its weight, such "
				"as 250ns=3",
				a->weights.item[i]);
			break;
		}
		snprintf(work, sizeof(work), "%.*s", (int)(equals - a->weights.item[i]),
			 a->weights.item[i]);
		rc = text_parse_duration(work, &w[i].work_ns, err);
		if (!rc)
			rc = text_parse_percent(equals + 1, 0, 1e6, &w[i].weight, err);
		if (rc)
			err_prefix(err, "option --weight: ");
	}
	a->opt.weights = w;
	a->opt.nr_weights = a->weights.nr;
	return rc;
}

static int pick(struct pick_args *a, char **files, int nr)
{
	struct picks picks = {0};
	struct inputs in = {0};
	struct err err = ERR_INIT;
	enum format format;
	int status = EXIT_DONE, i;

	if (find_format(a, &format, &err) || find_weights(a, &err)) {
		free((void *)a->opt.weights);
		return cli_fail(&err);
	}
	a->opt.slots = a->slots;
	if (nr || inputs_from_store(&a->inputs))
		status = inputs_load(&a->inputs, files, nr, &in);
	a->opt.left_out = (const char *const *)in.left_out;
	a->opt.nr_left_out = in.nr_said;
	if (in.nr)
		status = pick_measured(&picks, in.r, in.nr, &a->opt);
	a->opt.predicted = true;
	for (i = 0; i < a->machines.nr; i++)
		if (predict_one(&picks, a->machines.item[i], &a->opt, &err))
			status = cli_fail(&err);
	print_picks(&picks, format);
	free_picks(&picks);
	free((void *)a->opt.weights);
	return inputs_end(&in, status);
}

int cmd_pick(const struct command *self, int argc, char **argv)
{
	struct pick_args a = {.opt.margin = 0.03, .slots = 1};
	const struct option_row rows[] = {
		{"margin", 0, OPT_PERCENT, &a.opt.margin, "PCT",
		 "a larger batch must gain more than this; default 3", 0, 100},
		{"weight", 0, OPT_LIST, &a.weights, "WORK=N",
		 "recommend by the mean over demands, this one weighing N (others 1),\n"
		 "instead of the worst of them; 0 leaves it out; may be repeated"},
		{"max-batch", 0, OPT_INT, &a.opt.max_batch, "N", "largest batch to pick", 1, 1024},
		{"max-stranded", 0, OPT_SIZE, &a.opt.max_stranded, "SIZE",
		 "most memory that batch x CPUs x slots may strand"},
		{"max-stale", 0, OPT_INT, &a.opt.max_stale, "N",
		 "most updates that statistics may be behind: batch x CPUs", 1, INT32_MAX},
		{"slots-8bit", 0, OPT_SWITCH, &a.opt.slots_8bit, NULL,
		 "the stock's slot counts have 8 bits: no batch over 127"},
		{"slots", 0, OPT_INT, &a.slots, "N",
		 "memory cgroups per CPU that hold a stock; default 1", 1, 15},
		{"layout", 0, OPT_TEXT, &a.opt.layout, "NAME",
		 "page_counter layout to pick for; default the newest measured"},
		INPUT_OPTION_ROWS(a.inputs),
		{"predict", 0, OPT_LIST, &a.machines, "MACHINE",
		 "also for this machine of 'predict -m list' by the model, marked as\n"
		 "such, unless its class was measured; may be repeated"},
		{"format", 0, OPT_TEXT, &a.format, "NAME",
		 "text, json, markdown, or commit: a table for a commit message"},
		{"json", 0, OPT_SWITCH, &a.json, NULL,
		 "--format json: an array with one object per machine class"},
		{NULL}};
	struct err err = ERR_INIT;
	int first, rc, status;

	rc = options_parse(
		self,
		"The smallest batch from which no larger one gains more than the margin, at\n"
		"each measured demand (local work per page), or why the data cannot tell;\n"
		"each machine class by itself.",
		rows, argc, argv, &first, &err);
	if (!rc && first == argc && !inputs_from_store(&a.inputs) && !a.machines.nr)
		rc = err_set(&err, -EINVAL,
			     "pick needs at least one result file, or --class or --predict");
	if (rc)
		status = rc > 0 ? EXIT_DONE : cli_fail(&err);
	else
		status = pick(&a, argv + first, argc - first);
	free(a.machines.item);
	free(a.weights.item);
	return status;
}
