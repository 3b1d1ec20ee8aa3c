/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "report.h"

/* the files of one machine class, from @first on; marks them done by setting *left to NULL */
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

static int pick_classes(struct results **r, int nr, const struct pick_options *opt, bool json)
{
	struct results **left = malloc(sizeof(*left) * nr);
	const struct results **group = malloc(sizeof(*group) * nr);
	int i, n, status = EXIT_DONE, done = 0;
	struct err err = ERR_INIT;
	struct pick *pick;

	if (!left || !group) {
		err_set(&err, -ENOMEM, "out of memory");
		status = cli_fail(&err);
		nr = 0;
	}
	for (i = 0; i < nr; i++)
		left[i] = r[i];
	if (json)
		printf("[");
	for (i = 0; i < nr; i++) {
		if (!left[i])
			continue;
		n = gather_class(left, nr, i, group);
		pick = NULL;
		if (pick_make(group, n, opt, &pick, &err)) {
			err_prefix(&err, "'%s': ", group[0]->path ? group[0]->path : "");
			status = cli_fail_input(&err);
			continue;
		}
		if (done++)
			printf(json ? "," : "\n");
		if (json)
			pick_json(pick, stdout);
		else
			pick_text(pick, stdout);
		pick_free(pick);
	}
	if (json)
		printf("]\n");
	free(left);
	free(group);
	return status;
}

int cmd_pick(const struct command *self, int argc, char **argv)
{
	struct pick_options opt = {.margin = 0.03};
	struct input_args inputs = {0};
	bool json = false;
	int64_t slots = 1;
	const struct option_row rows[] = {
		{"margin", 0, OPT_PERCENT, &opt.margin, "PCT",
		 "a larger batch must gain more than this; default 3", 0, 100},
		{"max-batch", 0, OPT_INT, &opt.max_batch, "N", "largest batch to pick", 1, 1024},
		{"max-stranded", 0, OPT_SIZE, &opt.max_stranded, "SIZE",
		 "most memory that batch x CPUs x slots may strand"},
		{"slots", 0, OPT_INT, &slots, "N",
		 "memory cgroups per CPU that hold a stock; default 1", 1, 15},
		{"layout", 0, OPT_TEXT, &opt.layout, "NAME",
		 "page_counter layout to pick for; default the newest measured"},
		INPUT_OPTION_ROWS(inputs),
		{"json", 0, OPT_SWITCH, &json, NULL, "an array with one object per machine class"},
		{NULL}};
	struct err err = ERR_INIT;
	struct inputs in;
	int first, rc, status;

	rc = options_parse(
		self,
		"The smallest batch from which no larger one gains more than the margin, at\n"
		"each measured demand (local work per page), or why the data cannot tell.",
		rows, argc, argv, &first, &err);
	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	opt.slots = slots;
	if (first == argc && !inputs_from_store(&inputs)) {
		err_set(&err, -EINVAL, "pick needs at least one result file, or --class");
		return cli_fail(&err);
	}
	status = inputs_load(&inputs, argv + first, argc - first, &in);
	opt.left_out = (const char *const *)in.left_out;
	opt.nr_left_out = in.nr_said;
	if (!status)
		status = pick_classes(in.r, in.nr, &opt, json);
	return inputs_end(&in, status);
}
