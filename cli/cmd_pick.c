/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "report.h"
#include "sim.h"
#include "text.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_COMMIT };
static const char *const formats[] = {"text", "json", "markdown", "commit"};
#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* one pick for each machine class; it borrows from what it was made from */
struct class_pick {
	struct pick_input *from; /* of measured results */
	struct results *predicted;
	char *first; /* the file that the class was met in */
	char *class_name;
	struct pick *pick; /* NULL: none could be made */
};

struct picks {
	struct class_pick *of;
	int nr;
};

static struct class_pick *add_class(struct picks *to, const struct results *r, struct err *err)
{
	struct class_pick *grown = realloc(to->of, sizeof(*grown) * (to->nr + 1)), *new;

	if (grown) {
		to->of = grown;
		new = &grown[to->nr];
		*new = (struct class_pick){.first = strdup(r->path ? r->path : ""),
					   .class_name = strdup(r->machine.class_name)};
		to->nr++;
		if (new->first &&new->class_name)
			return new;
	}
	err_set(err, -ENOMEM, "out of memory");
	return NULL;
}

static int take_measured(void *ctx, struct results *r, struct err *err)
{
	struct picks *to = ctx;
	struct class_pick *c = NULL;
	int i, rc = 0;

	for (i = 0; i < to->nr && !c; i++)
		if (!strcmp(to->of[i].class_name, r->machine.class_name))
			c = &to->of[i];
	if (!c) {
		c = add_class(to, r, err);
		rc = c ? pick_input_new(&c->from, err) : -ENOMEM;
	}
	if (!rc)
		rc = pick_input_add(c->from, r, err);
	results_free(r);
	return rc;
}

static int pick_measured(struct picks *to, const struct pick_options *opt)
{
	struct err err;
	int i, status = EXIT_DONE;

	for (i = 0; i < to->nr; i++) {
		err = (struct err)ERR_INIT;
		if (!pick_input_make(to->of[i].from, opt, &to->of[i].pick, &err))
			continue;
		err_prefix(&err, "'%s': ", to->of[i].first);
		status = cli_fail_input(&err);
	}
	return status;
}

static bool was_measured(const struct picks *p, const char *class_name)
{
	int i;

	for (i = 0; i < p->nr; i++)
		if (p->of[i].pick && !p->of[i].predicted &&
		    !strcmp(p->of[i].class_name, class_name))
			return true;
	return false;
}

static int predict_one(struct picks *to, const char *machine, const struct pick_options *opt,
		       struct err *err)
{
	struct sim_profile *p = NULL;
	struct results *r = NULL;
	struct class_pick *c;
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
	c = add_class(to, r, err);
	if (!c) {
		results_free(r);
		return -ENOMEM;
	}
	c->predicted = r;
	return pick_make((const struct results *const *)&c->predicted, 1, opt, &c->pick, err);
}

/* 0, or what the writer returned */
static int print_picks(const struct picks *p, enum format format)
{
	const struct pick **made = calloc(p->nr + 1, sizeof(*made));
	int i, nr = 0;

	for (i = 0; made && i < p->nr; i++)
		if (p->of[i].pick)
			made[nr++] = p->of[i].pick;
	if (format == FORMAT_COMMIT && nr)
		pick_commit(made, nr, stdout);
	if (format == FORMAT_JSON)
		printf("[");
	for (i = 0; format != FORMAT_COMMIT && i < nr; i++) {
		if (i)
			printf(format == FORMAT_JSON ? "," : "\n");
		if (format == FORMAT_JSON)
			pick_json(made[i], stdout);
		else if (format == FORMAT_MARKDOWN)
			pick_markdown(made[i], stdout);
		else
			pick_text(made[i], stdout);
	}
	if (format == FORMAT_JSON)
		printf("]\n");
	free(made);
	return made ? 0 : -ENOMEM;
}

static void free_picks(struct picks *p)
{
	int i;

	for (i = 0; i < p->nr; i++) {
		pick_free(p->of[i].pick);
		pick_input_free(p->of[i].from);
		results_free(p->of[i].predicted);
		free(p->of[i].first);
		free(p->of[i].class_name);
	}
	free(p->of);
}

struct pick_args {
	struct input_args inputs;
	struct pick_options opt;
	struct option_list machines, weights;
	const char *format;
	int64_t slots;
	bool json;
};

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
	int format = a->json ? FORMAT_JSON : FORMAT_TEXT, status = EXIT_DONE, i;

	if (a->format)
		format = option_choice("format", a->format, formats, NR_FORMATS, &err);
	if (format < 0 || find_weights(a, &err)) {
		free((void *)a->opt.weights);
		return cli_fail(&err);
	}
	a->opt.slots = a->slots;
	if (nr || inputs_from_store(&a->inputs))
		status = inputs_each(&a->inputs, files, nr, take_measured, &picks, &in);
	a->opt.left_out = (const char *const *)in.left_out;
	a->opt.nr_left_out = in.nr_said;
	if (!status)
		status = pick_measured(&picks, &a->opt);
	a->opt.predicted = true;
	for (i = 0; i < a->machines.nr; i++)
		if (predict_one(&picks, a->machines.item[i], &a->opt, &err))
			status = cli_fail(&err);
	if (print_picks(&picks, format)) {
		err_set(&err, -ENOMEM, "out of memory");
		status = cli_fail(&err);
	}
	free_picks(&picks);
	free((void *)a->opt.weights);
	a->opt.left_out = NULL;
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
		{"layout", 0, OPT_TEXT, &a.opt.layout, "LAYOUT",
		 "page_counter layout to pick for; default the newest measured"},
		INPUT_OPTION_ROWS(a.inputs),
		{"predict", 0, OPT_LIST, &a.machines, "MACHINE",
		 "also for this machine of 'predict -m list' by the model, marked as\n"
		 "such, unless its class was measured; may be repeated"},
		{"format", 0, OPT_TEXT, &a.format, "text|json|markdown|commit",
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
