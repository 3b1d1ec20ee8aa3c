/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "text.h"

static const char about[] =
	"Keeps result files in one SQLite file, so that pick, compare and report take --class, --since\n"
	"and --kernel instead of files.\n"
	"  add FILE...   checks and keeps files, or the *.json of folders; the same file twice is one\n"
	"  list          the runs that match\n"
	"  export DIR    the runs that match as files again, byte for byte\n"
	"The files stay the truth: a store is made anew by adding what was exported.";

struct store_args {
	struct input_args inputs;
	bool json;
};

static const char *plural(int nr, const char *one, const char *more)
{
	return nr == 1 ? one : more;
}

/* as many sentences as a screen holds; the number of all is said at the end */
static void say_left_out(void *ctx, const struct err *why)
{
	int *said = ctx;

	if ((*said)++ < INPUTS_MAX_SAID)
		cli_fail_input(why);
}

static int add(const struct store_args *a, char **files, int nr)
{
	struct store_added done = {0};
	struct err err = ERR_INIT;
	struct store *s = NULL;
	struct paths paths;
	int said = 0, status = EXIT_DONE;

	if (!nr) {
		err_set(&err, -EINVAL, "store add needs at least one result file or folder");
		return cli_fail(&err);
	}
	if (paths_expand(&paths, files, nr, &err))
		return cli_fail(&err);
	if (input_store_open(&a->inputs, true, &s, &err) ||
	    store_add(s, paths.path, paths.nr, say_left_out, &said, &done, &err))
		status = cli_fail(&err);
	if (s)
		printf("%d %s added, %d %s there already, %d %s left out: %s\n", done.nr_new,
		       plural(done.nr_new, "run", "runs"), done.nr_known,
		       plural(done.nr_known, "was", "were"), done.nr_left_out,
		       plural(done.nr_left_out, "file", "files"), store_path(s));
	store_close(s);
	paths_free(&paths);
	return !status && done.nr_left_out ? EXIT_FAILED : status;
}

/* list and export: what to do with the runs that match */
static int read_store(const struct store_args *a, const char *dir)
{
	struct err err = ERR_INIT;
	struct store *s = NULL;
	struct store_filter f;
	char since[24];
	int rc = input_filter(&a->inputs, &f, since, &err);

	if (!rc)
		rc = input_store_open(&a->inputs, false, &s, &err);
	if (!rc) {
		if (dir)
			rc = store_export(s, &f, dir, &err);
		else if (a->json)
			rc = store_list_json(s, &f, stdout, &err);
		else
			rc = store_list_text(s, &f, stdout, &err);
		if (!rc)
			rc = store_no_match(s, &f, &err);
		else if (rc > 0 && dir)
			printf("%d %s in %s\n", rc, plural(rc, "run", "runs"), dir);
	}
	store_close(s);
	return rc < 0 ? cli_fail(&err) : EXIT_DONE;
}

int cmd_store(const struct command *self, int argc, char **argv)
{
	static const char *const actions[] = {"add", "list", "export"};
	struct store_args a = {0};
	const struct option_row rows[] = {
		{"store", 0, OPT_TEXT, &a.inputs.store, "FILE",
		 "default $XDG_DATA_HOME/chargeline/store.sqlite"},
		{"class", 0, OPT_TEXT, &a.inputs.class_name, "CLASS",
		 "list, export: only this machine class; * stands for any text"},
		{"since", 0, OPT_TEXT, &a.inputs.since, "DATE|AGE",
		 "list, export: not older than 2026-11-30 (UTC), 30d or 12h"},
		{"kernel", 0, OPT_TEXT, &a.inputs.kernel, "RELEASE",
		 "list, export: only of this kernel, such as '6.12.*'"},
		{"json", 0, OPT_SWITCH, &a.json, NULL, "list: an array with one object per run"},
		{NULL}};
	struct err err = ERR_INIT;
	int first, rc = options_parse(self, about, rows, argc, argv, &first, &err), nr;

	if (rc)
		return rc > 0 ? EXIT_DONE : cli_fail(&err);
	nr = argc - first - 1;
	if (nr < 0)
		err_set(&err, -EINVAL, "store needs to be told what to do: add, list or export");
	else if (!strcmp(argv[first], "add"))
		return add(&a, argv + first + 1, nr);
	else if (!strcmp(argv[first], "list") && !nr)
		return read_store(&a, NULL);
	else if (!strcmp(argv[first], "export") && nr == 1)
		return read_store(&a, argv[first + 1]);
	else if (!strcmp(argv[first], "list"))
		err_set(&err, -EINVAL, "store list takes no file: '%.80s'", argv[first + 1]);
	else if (!strcmp(argv[first], "export"))
		err_set(&err, -EINVAL, "store export needs one folder to write to");
	else
		text_unknown(&err, "action of store", argv[first], actions, 3);
	return cli_fail(&err);
}
