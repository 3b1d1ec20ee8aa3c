/* SPDX-License-Identifier: MIT */
#include "store_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "atomic.h"
#include "digest.h"
#include "fields.h"
#include "parallel.h"
#include "results.h"

#define GROUP_FILES 128
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

/* a file that was read and checked, or why it cannot be used */
struct checked {
	const char *path;
	int rc;
	struct err why;
	struct results *r; /* only what the row borrows */
	char *data, *experiments, digest[STORE_DIGEST + 1];
	size_t size;
};

/* files that are checked at once and then written in one transaction */
struct group {
	struct checked file[GROUP_FILES];
	struct store_run run[GROUP_FILES];
};

static void checked_free(struct checked *c)
{
	results_free(c->r);
	free(c->data);
	free(c->experiments);
	*c = (struct checked){0};
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

static void check_file(void *ctx, int i)
{
	struct checked *c = &((struct checked *)ctx)[i];

	c->rc = fields_read(c->path, RESULTS_MAX_FILE, &c->data, &c->size, &c->why);
	if (!c->rc)
		c->rc = results_parse(&c->r, c->data, c->size, c->path, &c->why);
	if (c->rc)
		return;
	c->experiments = experiments_of(c->r);
	if (!c->experiments)
		c->rc = err_set(&c->why, -ENOMEM, "file '%.200s': out of memory", c->path);
	drop_cases(c->r);
	digest_sha256(c->data, c->size, c->digest);
}

static struct store_run row_of(const struct checked *c)
{
	return (struct store_run){
		.digest = c->digest,
		.class_name = c->r->machine.class_name,
		.model = c->r->machine.model,
		.kernel = c->r->machine.kernel,
		.started = c->r->started,
		.host = c->r->machine.hostname,
		.experiments = c->experiments,
		.size = c->size,
		.complete = c->r->complete,
		.json = c->data,
	};
}

/* as many of the next files as make a group: a large one is a group of its own */
static int group_size(char *const *paths, int nr)
{
	size_t bytes = 0;
	struct stat st;
	int n;

	for (n = 0; n < nr && n < GROUP_FILES; n++) {
		if (!stat(paths[n], &st))
			bytes += st.st_size;
		if (n && bytes > GROUP_BYTES)
			break;
	}
	return n;
}

static int add_group(struct store *s, struct group *g, char *const *paths, int nr,
		     void (*left_out)(void *ctx, const struct err *why), void *ctx,
		     struct store_added *done, struct err *err)
{
	int i, n = 0, nr_new = 0, rc = 0;

	for (i = 0; i < nr; i++)
		g->file[i] = (struct checked){.path = paths[i]};
	parallel_each(nr, check_file, g->file);
	for (i = 0; i < nr; i++) {
		if (!g->file[i].rc) {
			g->run[n++] = row_of(&g->file[i]);
			continue;
		}
		done->nr_left_out++;
		left_out(ctx, &g->file[i].why);
	}
	if (n)
		rc = store_put(s, g->run, n, &nr_new, err);
	if (!rc) {
		done->nr_new += nr_new;
		done->nr_known += n - nr_new;
	}
	for (i = 0; i < nr; i++)
		checked_free(&g->file[i]);
	return rc;
}

int store_add(struct store *s, char *const *paths, int nr,
	      void (*left_out)(void *ctx, const struct err *why), void *ctx,
	      struct store_added *done, struct err *err)
{
	struct group *g = calloc(1, sizeof(*g));
	int at, n, rc = 0;

	memset(done, 0, sizeof(*done));
	if (!g)
		return err_set(err, -ENOMEM, "out of memory");
	for (at = 0; at < nr && !rc; at += n) {
		n = group_size(paths + at, nr - at);
		rc = add_group(s, g, paths + at, n, left_out, ctx, done, err);
	}
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
