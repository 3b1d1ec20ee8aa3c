/* SPDX-License-Identifier: MIT */
#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parallel.h"

#define WAVE 64

/* -------------------------------------------------------------------- what was asked for */

bool inputs_from_store(const struct input_args *a)
{
	return a->store || a->class_name || a->since || a->kernel;
}

/* "30d", "12h", "2w" -> seconds; 0 when it is none */
static int64_t age_seconds(const char *s)
{
	static const struct {
		char unit;
		int seconds;
	} units[] = {{'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
	size_t digits = strspn(s, "0123456789"), i;

	if (!digits || digits > 6 || strlen(s) != digits + 1)
		return 0;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (s[digits] == units[i].unit)
			return strtoll(s, NULL, 10) * units[i].seconds;
	return 0;
}

static bool is_date(const char *s)
{
	struct tm tm = {0}, same;
	char *end = strptime(s, "%Y-%m-%d", &tm);
	time_t t;

	if (!end || *end || strlen(s) != 10)
		return false;
	same = tm;
	t = timegm(&same);
	return t != -1 && same.tm_mday == tm.tm_mday && same.tm_mon == tm.tm_mon;
}

int input_filter(const struct input_args *a, struct store_filter *f, char *since, struct err *err)
{
	time_t then = time(NULL);
	struct tm tm;

	*f = (struct store_filter){a->class_name, a->kernel, a->since ? since : NULL};
	if (!a->since)
		return 0;
	if (is_date(a->since)) {
		snprintf(since, 24, "%.10sT00:00:00Z", a->since);
		return 0;
	}
	if (!age_seconds(a->since))
		return err_set(
			err, -EINVAL,
			"option --since: '%.40s' is neither a date such as 2026-11-30 nor an "
			"age such as 12h, 30d or 8w",
			a->since);
	then -= age_seconds(a->since);
	strftime(since, 24, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&then, &tm));
	return 0;
}

int input_store_open(const struct input_args *a, bool writable, struct store **out, struct err *err)
{
	char *path = NULL;
	int rc = a->store ? 0 : store_default_path(&path, err);

	if (!rc)
		rc = store_open(out, a->store ? a->store : path, writable, err);
	free(path);
	return rc;
}

/* ------------------------------------------------------------------------------- loading */

static void leave_out(struct inputs *in, const struct err *why)
{
	in->nr_left_out++;
	if (in->nr_said >= INPUTS_MAX_SAID)
		return;
	cli_fail_input(why);
	in->left_out[in->nr_said] = strdup(why->msg);
	in->nr_said += in->left_out[in->nr_said] != NULL;
}

/* says the number of those that were not said one by one */
static void sum_up(struct inputs *in)
{
	struct err rest = ERR_INIT;

	if (in->nr_left_out <= INPUTS_MAX_SAID)
		return;
	err_set(&rest, -EBADMSG, "%d more files cannot be used", in->nr_left_out - in->nr_said);
	cli_fail_input(&rest);
	in->left_out[in->nr_said] = strdup(rest.msg);
	in->nr_said += in->left_out[in->nr_said] != NULL;
}

static int keep(struct inputs *in, struct results *r, struct err *err)
{
	struct results **grown =
		in->nr & (in->nr - 1)
			? in->r
			: realloc(in->r, sizeof(*grown) * (in->nr ? 2 * (size_t)in->nr : 1));

	if (!grown) {
		results_free(r);
		return err_set(err, -ENOMEM, "out of memory");
	}
	in->r = grown;
	in->r[in->nr++] = r;
	return 0;
}

/* some of the files, read at once on all CPUs */
struct wave {
	char *const *path;
	struct results *r[WAVE];
	struct err why[WAVE];
};

static void load_one(void *ctx, int i)
{
	struct wave *w = ctx;

	w->r[i] = NULL;
	w->why[i] = (struct err)ERR_INIT;
	results_load(&w->r[i], w->path[i], &w->why[i]);
}

static int load_wave(struct inputs *in, struct wave *w, int nr, struct err *err)
{
	int i, rc = 0;

	parallel_each(nr, load_one, w);
	for (i = 0; i < nr; i++) {
		if (!w->r[i])
			leave_out(in, &w->why[i]);
		else if (rc)
			results_free(w->r[i]);
		else
			rc = keep(in, w->r[i], err);
	}
	return rc;
}

static int load_files(struct inputs *in, char *const *files, int nr, struct err *err)
{
	struct paths paths;
	struct wave w;
	int at, n, rc = paths_expand(&paths, files, nr, err);

	for (at = 0; at < paths.nr && !rc; at += n) {
		n = paths.nr - at < WAVE ? paths.nr - at : WAVE;
		w.path = paths.path + at;
		rc = load_wave(in, &w, n, err);
	}
	paths_free(&paths);
	return rc;
}

static int take_run(void *ctx, const struct store_run *run, struct err *err)
{
	struct inputs *in = ctx;
	struct err why = ERR_INIT;
	struct results *r = NULL;
	char name[40];

	snprintf(name, sizeof(name), "store run %.12s", run->digest);
	if (run->damaged)
		err_set(&why, -EBADMSG, "%s: damaged: its bytes are not what was added", name);
	else if (!results_parse(&r, run->json, run->size, name, &why))
		return keep(in, r, err);
	leave_out(in, &why);
	return 0;
}

static int load_runs(struct inputs *in, const struct input_args *a, struct err *err)
{
	struct store *s = NULL;
	struct store_filter f;
	char since[24];
	int rc = input_filter(a, &f, since, err);

	if (!rc)
		rc = input_store_open(a, false, &s, err);
	if (!rc)
		rc = store_read(s, &f, take_run, in, err);
	if (!rc)
		rc = store_no_match(s, &f, err);
	store_close(s);
	return rc < 0 ? rc : 0;
}

int inputs_load(const struct input_args *a, char *const *files, int nr, struct inputs *out)
{
	struct err err = ERR_INIT;
	int rc;

	*out = (struct inputs){0};
	if (inputs_from_store(a) && nr)
		rc = err_set(
			&err, -EINVAL,
			"--class, --since, --kernel and --store take the place of files: '%.80s'",
			files[0]);
	else if (inputs_from_store(a))
		rc = load_runs(out, a, &err);
	else
		rc = load_files(out, files, nr, &err);
	sum_up(out);
	if (rc)
		return cli_fail(&err);
	return out->nr ? EXIT_DONE : EXIT_FAILED;
}

int inputs_end(struct inputs *in, int status)
{
	int i;

	for (i = 0; i < in->nr; i++)
		results_free(in->r[i]);
	for (i = 0; i < in->nr_said; i++)
		free(in->left_out[i]);
	free(in->r);
	return !status && in->nr_left_out ? EXIT_FAILED : status;
}
