/* SPDX-License-Identifier: MIT */
#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parallel.h"

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

/* some of the files or runs, read at once on all CPUs and then taken in their order */
struct wave {
	struct inputs *in;
	input_take *take;
	void *ctx;
	bool refused; /* by take, not by what was asked for */
	int nr;
	struct item {
		const char *path;
		char *json; /* of a run: NULL of a file */
		size_t size;
		char name[40];
		struct results *r;
		struct err why;
	} item[INPUTS_WAVE];
};

static void load_one(void *ctx, int i)
{
	struct item *it = &((struct wave *)ctx)->item[i];

	if (it->why.code)
		return;
	if (it->json)
		results_parse(&it->r, it->json, it->size, it->name, &it->why);
	else
		results_load(&it->r, it->path, &it->why);
}

static int take_wave(struct wave *w, struct err *err)
{
	struct item *it;
	int rc = 0;

	parallel_each(w->nr, load_one, w);
	for (it = w->item; it < w->item + w->nr; it++) {
		free(it->json);
		if (!it->r) {
			leave_out(w->in, &it->why);
			continue;
		}
		if (rc) {
			results_free(it->r);
			continue;
		}
		w->in->nr++;
		rc = w->take(w->ctx, it->r, err);
		w->refused = rc;
	}
	w->nr = 0;
	return rc;
}

static int load_files(struct wave *w, char *const *files, int nr, struct err *err)
{
	struct paths paths;
	int i, rc = paths_expand(&paths, files, nr, err);

	for (i = 0; i < paths.nr && !rc; i++) {
		w->item[w->nr++] = (struct item){.path = paths.path[i], .why = ERR_INIT};
		if (w->nr == INPUTS_WAVE || i + 1 == paths.nr)
			rc = take_wave(w, err);
	}
	paths_free(&paths);
	return rc;
}

static int take_run(void *ctx, const struct store_run *run, struct err *err)
{
	struct wave *w = ctx;
	struct item *it = &w->item[w->nr];

	*it = (struct item){
		.json = malloc(run->size ? run->size : 1), .size = run->size, .why = ERR_INIT};
	if (!it->json)
		return err_set(err, -ENOMEM, "out of memory");
	snprintf(it->name, sizeof(it->name), "store run %.12s", run->digest);
	if (run->damaged)
		err_set(&it->why, -EBADMSG, "%s: damaged: its bytes are not what was added",
			it->name);
	else
		memcpy(it->json, run->json, run->size);
	return ++w->nr == INPUTS_WAVE ? take_wave(w, err) : 0;
}

static int load_runs(struct wave *w, const struct input_args *a, struct err *err)
{
	struct store *s = NULL;
	struct store_filter f;
	char since[24];
	int nr = input_filter(a, &f, since, err), rc;

	if (!nr)
		nr = input_store_open(a, false, &s, err);
	if (!nr)
		nr = store_read(s, &f, take_run, w, err);
	rc = take_wave(w, nr < 0 ? NULL : err);
	if (!nr)
		nr = store_no_match(s, &f, err);
	store_close(s);
	return nr < 0 ? nr : rc;
}

int inputs_each(const struct input_args *a, char *const *files, int nr, input_take *take, void *ctx,
		struct inputs *out)
{
	struct wave *w = calloc(1, sizeof(*w));
	struct err err = ERR_INIT;
	int rc, status = EXIT_DONE;

	*out = (struct inputs){0};
	if (w)
		*w = (struct wave){.in = out, .take = take, .ctx = ctx};
	if (!w)
		rc = err_set(&err, -ENOMEM, "out of memory");
	else if (inputs_from_store(a) && nr)
		rc = err_set(
			&err, -EINVAL,
			"--class, --since, --kernel and --store take the place of files: '%.80s'",
			files[0]);
	else if (inputs_from_store(a))
		rc = load_runs(w, a, &err);
	else
		rc = load_files(w, files, nr, &err);
	sum_up(out);
	if (rc)
		status = w && w->refused ? cli_fail_input(&err) : cli_fail(&err);
	free(w);
	return rc || out->nr ? status : EXIT_FAILED;
}

static int keep(void *ctx, struct results *r, struct err *err)
{
	struct inputs *in = ctx;
	int nr = in->nr - 1; /* without this one */
	struct results **grown =
		nr & (nr - 1) ? in->r : realloc(in->r, sizeof(*grown) * (nr ? 2 * (size_t)nr : 1));

	if (!grown) {
		in->nr = nr;
		results_free(r);
		return err_set(err, -ENOMEM, "out of memory");
	}
	in->r = grown;
	in->r[nr] = r;
	return 0;
}

int inputs_load(const struct input_args *a, char *const *files, int nr, struct inputs *out)
{
	return inputs_each(a, files, nr, keep, out, out);
}

int inputs_end(struct inputs *in, int status)
{
	int i;

	for (i = 0; in->r && i < in->nr; i++)
		results_free(in->r[i]);
	for (i = 0; i < in->nr_said; i++)
		free(in->left_out[i]);
	free(in->r);
	return !status && in->nr_left_out ? EXIT_FAILED : status;
}
