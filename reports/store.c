/* SPDX-License-Identifier: MIT */
#include "store_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "atomic.h"
#include "digest.h"
#include "fields.h"
#include "results.h"

#define GROUP_FILES 256
#define GROUP_BYTES (8 << 20)

/* ------------------------------------------------------------------------------ places */

int store_default_path(char **out, struct err *err)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	int n;

	if (data && *data == '/')
		n = asprintf(out, "%s/chargeline/store.sqlite", data);
	else if (home && *home == '/')
		n = asprintf(out, "%s/.local/share/chargeline/store.sqlite", home);
	else
		return err_set(err, -ENOENT,
			       "no place for a store: neither XDG_DATA_HOME nor HOME is set; name "
			       "one with --store FILE");
	return n < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

static int make_folder(const char *path, struct err *err)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		return err_set(err, -errno, "cannot make the folder '%.200s': %s", path,
			       strerror(errno));
	return 0;
}

int store_make_folders(const char *path, struct err *err)
{
	char *copy = strdup(path), *slash;
	int rc = 0;

	if (!copy)
		return err_set(err, -ENOMEM, "out of memory");
	for (slash = strchr(copy + (*copy == '/'), '/'); slash && !rc;
	     slash = strchr(slash + 1, '/')) {
		*slash = 0;
		rc = make_folder(copy, err);
		*slash = '/';
	}
	free(copy);
	return rc;
}

/* ------------------------------------------------------------------------------ adding */

/* files that are checked and not yet written */
struct group {
	struct store_run run[GROUP_FILES];
	struct results *r[GROUP_FILES]; /* only what the rows borrow */
	char *data[GROUP_FILES], *experiments[GROUP_FILES], digest[GROUP_FILES][65];
	int nr;
	size_t bytes;
};

static void group_empty(struct group *g)
{
	int i;

	for (i = 0; i < g->nr; i++) {
		results_free(g->r[i]);
		free(g->data[i]);
		free(g->experiments[i]);
	}
	g->nr = 0;
	g->bytes = 0;
}

static bool named_before(const struct results *r, int idx)
{
	int i;

	for (i = idx - 1; i >= 0; i--)
		if (!strcmp(r->cases[i].experiment, r->cases[idx].experiment))
			return true;
	return false;
}

/* "page_counter,memcg_stock": in the order of the file; NULL without memory */
static char *experiments_of(const struct results *r)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int i;

	if (!to)
		return NULL;
	for (i = 0; i < r->nr_cases; i++)
		if (!named_before(r, i))
			fprintf(to, "%s%s", i ? "," : "", r->cases[i].experiment);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

/* the cases are most of a record and no row needs them */
static void drop_cases(struct results *r)
{
	struct results *whole = calloc(1, sizeof(*whole));

	if (!whole)
		return;
	whole->cases = r->cases;
	whole->nr_cases = r->nr_cases;
	r->cases = NULL;
	r->nr_cases = 0;
	results_free(whole);
}

static int group_take(struct group *g, const char *path, struct err *err)
{
	struct results *r = NULL;
	char *data = NULL, *names = NULL;
	size_t size = 0;
	int i = g->nr, rc = fields_read(path, RESULTS_MAX_FILE, &data, &size, err);

	if (!rc)
		rc = results_parse(&r, data, size, path, err);
	if (!rc) {
		names = experiments_of(r);
		if (!names)
			rc = err_set(err, -ENOMEM, "file '%.200s': out of memory", path);
	}
	if (rc) {
		results_free(r);
		free(data);
		return rc;
	}
	drop_cases(r);
	digest_sha256(data, size, g->digest[i]);
	g->r[i] = r;
	g->data[i] = data;
	g->experiments[i] = names;
	g->run[i] = (struct store_run){
		.digest = g->digest[i],
		.class_name = r->machine.class_name,
		.model = r->machine.model,
		.kernel = r->machine.kernel,
		.started = r->started,
		.host = r->machine.hostname,
		.experiments = names,
		.size = size,
		.complete = r->complete,
		.json = data,
	};
	g->bytes += size;
	g->nr++;
	return 0;
}

static int group_write(struct store *s, struct group *g, struct store_added *done, struct err *err)
{
	int nr_new = 0, rc = g->nr ? store_put(s, g->run, g->nr, &nr_new, err) : 0;

	if (!rc) {
		done->nr_new += nr_new;
		done->nr_known += g->nr - nr_new;
	}
	group_empty(g);
	return rc;
}

int store_add(struct store *s, char *const *paths, int nr,
	      void (*left_out)(void *ctx, const struct err *why), void *ctx,
	      struct store_added *done, struct err *err)
{
	struct group *g = calloc(1, sizeof(*g));
	struct err why = ERR_INIT;
	int i, rc = 0;

	memset(done, 0, sizeof(*done));
	if (!g)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr && !rc; i++) {
		if (group_take(g, paths[i], &why)) {
			done->nr_left_out++;
			left_out(ctx, &why);
		}
		if (g->nr == GROUP_FILES || g->bytes >= GROUP_BYTES)
			rc = group_write(s, g, done, err);
	}
	if (!rc)
		rc = group_write(s, g, done, err);
	group_empty(g);
	free(g);
	return rc;
}

/* --------------------------------------------------------------------------- exporting */

/* a class and a time are what a file said: nothing but harmless characters, and not too many */
static void put_name(char **at, const char *text, int max, const char *drop)
{
	for (; *text && max; text++) {
		if (strchr(drop, *text))
			continue;
		*(*at)++ =
			strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_",
			       *text)
				? *text
				: '_';
		max--;
	}
}

static bool holds(const char *path, const struct store_run *run)
{
	char *data = NULL;
	size_t size;
	bool same = !access(path, R_OK) &&
		    !fields_read(path, RESULTS_MAX_FILE, &data, &size, NULL) &&
		    size == (size_t)run->size && !memcmp(data, run->json, size);

	free(data);
	return same;
}

static int write_run(const char *path, const struct store_run *run, struct err *err)
{
	struct atomic_file *f = malloc(sizeof(*f));
	int rc;

	if (!f)
		return err_set(err, -ENOMEM, "out of memory");
	rc = atomic_begin(f, path, err);
	if (!rc) {
		atomic_put(run->json, run->size, f);
		rc = atomic_end(f, err);
	}
	free(f);
	return rc;
}

struct exporting {
	const char *dir;
	int nr_damaged;
};

static int export_run(void *ctx, const struct store_run *run, struct err *err)
{
	struct exporting *to = ctx;
	char name[128], *at = name, *path;
	int rc = 0;

	to->nr_damaged += run->damaged;
	if (run->damaged)
		return 0;
	put_name(&at, run->class_name, 60, "");
	*at++ = '-';
	put_name(&at, run->started, 24, "-:");
	*at++ = '-';
	put_name(&at, run->digest, 12, "");
	*at = 0;
	if (asprintf(&path, "%s/%s.json", to->dir, name) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	if (!holds(path, run))
		rc = write_run(path, run, err);
	free(path);
	return rc;
}

int store_export(struct store *s, const struct store_filter *f, const char *dir, struct err *err)
{
	struct exporting to = {dir, 0};
	int rc = store_make_folders(dir, err);

	if (!rc)
		rc = make_folder(dir, err);
	if (!rc)
		rc = store_read(s, f, export_run, &to, err);
	if (rc > 0 && to.nr_damaged)
		return err_set(err, -EBADMSG,
			       "store '%.160s' is damaged: the bytes of %d of %d runs are not what "
			       "was added; the others are in '%.160s'",
			       store_path(s), to.nr_damaged, rc, dir);
	return rc;
}
