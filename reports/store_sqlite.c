/* SPDX-License-Identifier: MIT */
#include "store_private.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"

#define APPLICATION_ID 0x6368676c /* "chgl": the file says whose it is */

/* the bytes last: a row's columns are then read without them */
static const char tables[] =
	"CREATE TABLE runs (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE,"
	" class TEXT NOT NULL, model TEXT NOT NULL, kernel TEXT NOT NULL, started TEXT NOT NULL,"
	" host TEXT NOT NULL, experiments TEXT NOT NULL, complete INTEGER NOT NULL,"
	" size INTEGER NOT NULL, json BLOB NOT NULL);"
	"CREATE INDEX runs_by_class ON runs (class, started);"
	"CREATE INDEX runs_by_kernel ON runs (kernel, started);"
	"CREATE INDEX runs_by_start ON runs (started);";

struct store {
	sqlite3 *db;
	char *path;
};

/* ------------------------------------------------------------------------- sentences */

static int refuse_io(const struct store *s, const char *doing, int code, struct err *err)
{
	int error = sqlite3_system_errno(s->db);

	if (code == SQLITE_FULL || error == ENOSPC || error == EDQUOT)
		return err_set(err, -ENOSPC, "cannot %s store '%.160s': no space left on its disk",
			       doing, s->path);
	if (code == SQLITE_READONLY)
		return err_set(err, -EROFS, "cannot %s store '%.160s': it is read-only here", doing,
			       s->path);
	return err_set(err, error ? -error : -EIO, "cannot %s store '%.160s': %s", doing, s->path,
		       error ? strerror(error) : sqlite3_errmsg(s->db));
}

static int refuse(const struct store *s, const char *doing, struct err *err)
{
	int code = sqlite3_errcode(s->db) & 0xff;

	switch (code) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, -EBUSY,
			       "cannot %s store '%.160s': another process has had it locked for "
			       "%d s",
			       doing, s->path, STORE_WAIT_MS / 1000);
	case SQLITE_NOTADB:
		return err_set(err, -EBADMSG, "'%.160s' is not a store: no SQLite database",
			       s->path);
	case SQLITE_CORRUPT:
		return err_set(err, -EBADMSG,
			       "store '%.120s' is damaged: move it away and make it anew by store "
			       "add from the result files",
			       s->path);
	case SQLITE_NOMEM:
		return err_set(err, -ENOMEM, "out of memory");
	}
	return refuse_io(s, doing, code, err);
}

/* ---------------------------------------------------------------------------- opening */

static int run_sql(struct store *s, const char *sql, const char *doing, struct err *err)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) ? refuse(s, doing, err) : 0;
}

static int one_number(struct store *s, const char *sql, int64_t *out, struct err *err)
{
	sqlite3_stmt *q = NULL;
	int rc = 0;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) || sqlite3_step(q) != SQLITE_ROW)
		rc = refuse(s, "read", err);
	else
		*out = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return rc;
}

/* 1: a database without tables; 0: a store that this program knows */
static int look(struct store *s, struct err *err)
{
	int64_t nr_tables, id, version;
	int rc = one_number(s, "SELECT count(*) FROM sqlite_master", &nr_tables, err);

	if (!rc)
		rc = one_number(s, "PRAGMA application_id", &id, err);
	if (!rc)
		rc = one_number(s, "PRAGMA user_version", &version, err);
	if (rc)
		return rc;
	if (!nr_tables && !id && !version)
		return 1;
	if (id != APPLICATION_ID)
		return err_set(err, -EBADMSG,
			       "'%.160s' is not a store: an SQLite database of another program",
			       s->path);
	if (version != STORE_VERSION)
		return err_set(
			err, -EBADMSG,
			"store '%.120s' is of version %lld, this chargeline knows version %d",
			s->path, (long long)version, STORE_VERSION);
	return 0;
}

/* several processes may find it without tables at once: the lock decides who makes them */
static int make_tables(struct store *s, struct err *err)
{
	char versions[120];
	int rc = run_sql(s, "BEGIN IMMEDIATE", "write", err);

	if (rc)
		return rc;
	snprintf(versions, sizeof(versions), "PRAGMA application_id=%d; PRAGMA user_version=%d;",
		 APPLICATION_ID, STORE_VERSION);
	rc = look(s, err);
	if (rc == 1) {
		rc = run_sql(s, tables, "write", err);
		if (!rc)
			rc = run_sql(s, versions, "write", err);
	}
	if (!rc)
		rc = run_sql(s, "COMMIT", "write", err);
	if (rc)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

static int check_place(const char *path, bool writable, struct err *err)
{
	struct stat st;

	if (stat(path, &st)) {
		if (errno == ENOENT && writable)
			return store_make_folders(path, err);
		if (errno == ENOENT)
			return err_set(err, -ENOENT,
				       "there is no store '%.160s': store add makes it", path);
		return err_set(err, -errno, "cannot open store '%.160s': %s", path,
			       strerror(errno));
	}
	if (S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR, "cannot open store '%.160s': it is a directory", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EBADMSG, "'%.160s' is not a store: not a file", path);
	if (writable && access(path, W_OK))
		return err_set(err, -errno, "cannot write store '%.160s': %s", path,
			       strerror(errno));
	return 0;
}

static int open_database(struct store *s, bool writable, struct err *err)
{
	int flags = SQLITE_OPEN_READWRITE | (writable ? SQLITE_OPEN_CREATE : 0), rc;

	/* also to read: what a killed writer left must be rolled back; falls back to reading */
	if (sqlite3_open_v2(s->path, &s->db, flags, NULL))
		return refuse(s, "open", err);
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, STORE_WAIT_MS);
	rc = look(s, err);
	if (rc == 1)
		rc = writable ? make_tables(s, err)
			      : err_set(err, -ENOENT,
					"store '%.160s' is empty: nothing was added yet", s->path);
	return rc;
}

int store_open(struct store **out, const char *path, bool writable, struct err *err)
{
	int rc = check_place(path, writable, err);
	struct store *s;

	if (rc)
		return rc;
	s = calloc(1, sizeof(*s));
	if (s)
		s->path = strdup(path);
	rc = s && s->path ? open_database(s, writable, err)
			  : err_set(err, -ENOMEM, "out of memory");
	if (rc)
		store_close(s);
	else
		*out = s;
	return rc;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	free(s->path);
	free(s);
}

const char *store_path(const struct store *s)
{
	return s->path;
}

/* ---------------------------------------------------------------------------- writing */

static int put_one(struct store *s, sqlite3_stmt *q, const struct store_run *r)
{
	const char *const text[] = {r->digest,	r->class_name, r->model,      r->kernel,
				    r->started, r->host,       r->experiments};
	int i;

	for (i = 0; i < 7; i++)
		sqlite3_bind_text(q, i + 1, text[i], -1, SQLITE_STATIC);
	sqlite3_bind_int(q, 8, r->complete);
	sqlite3_bind_int64(q, 9, r->size);
	sqlite3_bind_blob64(q, 10, r->json, r->size, SQLITE_STATIC);
	if (sqlite3_step(q) != SQLITE_DONE)
		return -EIO;
	sqlite3_reset(q);
	return sqlite3_changes(s->db);
}

int store_put(struct store *s, const struct store_run *runs, int nr, int *nr_new, struct err *err)
{
	static const char insert[] =
		"INSERT INTO runs (digest, class, model, kernel, started, host, experiments,"
		" complete, size, json) VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT (digest) DO NOTHING";
	int rc = run_sql(s, "BEGIN IMMEDIATE", "write", err), i, n = 0, added = 0;
	sqlite3_stmt *q = NULL;

	if (rc)
		return rc;
	if (sqlite3_prepare_v2(s->db, insert, -1, &q, NULL))
		rc = refuse(s, "write", err);
	for (i = 0; i < nr && !rc; i++) {
		n = put_one(s, q, &runs[i]);
		added += n;
		if (n < 0)
			rc = refuse(s, "write", err);
	}
	sqlite3_finalize(q);
	if (!rc)
		rc = run_sql(s, "COMMIT", "write", err);
	if (rc)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	else
		*nr_new = added;
	return rc;
}

/* ---------------------------------------------------------------------------- reading */

#define MATCHES                                                                   \
	" WHERE (?1 IS NULL OR class GLOB ?1) AND (?2 IS NULL OR kernel GLOB ?2)" \
	" AND (?3 IS NULL OR started >= ?3)"

static int find(struct store *s, const struct store_filter *f, int64_t **ids, int *nr,
		struct err *err)
{
	static const char sql[] = "SELECT id FROM runs" MATCHES
				  " ORDER BY class, started, complete DESC, size DESC, digest";
	sqlite3_stmt *q = NULL;
	int64_t *grown;
	int step, room = 0, rc = 0;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL))
		return refuse(s, "read", err);
	sqlite3_bind_text(q, 1, f ? f->class_name : NULL, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, f ? f->kernel : NULL, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 3, f ? f->since : NULL, -1, SQLITE_STATIC);
	while ((step = sqlite3_step(q)) == SQLITE_ROW) {
		if (*nr == room) {
			room = room ? 2 * room : 64;
			grown = realloc(*ids, room * sizeof(*grown));
			if (!grown)
				break;
			*ids = grown;
		}
		(*ids)[(*nr)++] = sqlite3_column_int64(q, 0);
	}
	if (step == SQLITE_ROW)
		rc = err_set(err, -ENOMEM, "out of memory");
	else if (step != SQLITE_DONE)
		rc = refuse(s, "read", err);
	sqlite3_finalize(q);
	return rc;
}

static char *column(sqlite3_stmt *q, int i, char **end)
{
	const char *text = (const char *)sqlite3_column_text(q, i);
	char *at = *end;

	*end = stpcpy(at, text ? text : "") + 1;
	return at;
}

/* a copy, so that the lock is not held while @take works; one allocation: free() *to */
static int copy_row(sqlite3_stmt *q, bool bytes, struct store_run *run, char **to)
{
	const void *json = bytes ? sqlite3_column_blob(q, 9) : NULL;
	size_t json_size = json ? sqlite3_column_bytes(q, 9) : 0, size = json_size;
	char digest[STORE_DIGEST + 1];
	char *at;
	int i;

	for (i = 0; i < 7; i++)
		size += sqlite3_column_bytes(q, i) + 1;
	at = *to = malloc(size + 1);
	if (!at)
		return -ENOMEM;
	run->digest = column(q, 0, &at);
	run->class_name = column(q, 1, &at);
	run->model = column(q, 2, &at);
	run->kernel = column(q, 3, &at);
	run->started = column(q, 4, &at);
	run->host = column(q, 5, &at);
	run->experiments = column(q, 6, &at);
	run->complete = sqlite3_column_int(q, 7);
	run->size = bytes ? (int64_t)json_size : sqlite3_column_int64(q, 8);
	run->json = bytes ? at : NULL;
	if (json_size)
		memcpy(at, json, json_size);
	if (bytes) {
		digest_sha256(run->json, json_size, digest);
		run->damaged = strcmp(digest, run->digest) != 0;
	}
	return 0;
}

static int fetch(struct store *s, sqlite3_stmt *q, int64_t id, bool bytes, store_take *take,
		 void *ctx, struct err *err)
{
	struct store_run run = {0};
	char *copy = NULL;
	int rc = 0, step;

	sqlite3_bind_int64(q, 1, id);
	step = sqlite3_step(q);
	if (step == SQLITE_ROW && copy_row(q, bytes, &run, &copy))
		rc = err_set(err, -ENOMEM, "out of memory");
	else if (step == SQLITE_DONE)
		rc = err_set(err, -EBADMSG, "store '%.160s' was replaced while it was read",
			     s->path);
	else if (step != SQLITE_ROW)
		rc = refuse(s, "read", err);
	sqlite3_reset(q);
	if (!rc)
		rc = take(ctx, &run, err);
	free(copy);
	return rc;
}

static int each(struct store *s, const struct store_filter *f, bool bytes, store_take *take,
		void *ctx, struct err *err)
{
	static const char *const sql[] = {
		"SELECT digest, class, model, kernel, started, host, experiments, complete, size"
		" FROM runs WHERE id=?",
		"SELECT digest, class, model, kernel, started, host, experiments, complete, size,"
		" json FROM runs WHERE id=?"};
	sqlite3_stmt *q = NULL;
	int64_t *ids = NULL;
	int nr = 0, i, rc = find(s, f, &ids, &nr, err);

	if (!rc && sqlite3_prepare_v2(s->db, sql[bytes], -1, &q, NULL))
		rc = refuse(s, "read", err);
	for (i = 0; i < nr && !rc; i++)
		rc = fetch(s, q, ids[i], bytes, take, ctx, err);
	sqlite3_finalize(q);
	free(ids);
	return rc ? rc : nr;
}

int store_list(struct store *s, const struct store_filter *f, store_take *take, void *ctx,
	       struct err *err)
{
	return each(s, f, false, take, ctx, err);
}

int store_read(struct store *s, const struct store_filter *f, store_take *take, void *ctx,
	       struct err *err)
{
	return each(s, f, true, take, ctx, err);
}

/* ----------------------------------------------------------------------- what there is */

/* "a (5), b (7), ...": @sql gives names and counts */
static int say_counts(struct store *s, const char *sql, char *buf, size_t size, struct err *err)
{
	sqlite3_stmt *q = NULL;
	int step = SQLITE_DONE, nr = 0, rc = 0;
	size_t len = 0;

	*buf = 0;
	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL))
		return refuse(s, "read", err);
	while (len < size && (step = sqlite3_step(q)) == SQLITE_ROW) {
		if (nr++ == 3) {
			snprintf(buf + len, size - len, ", ...");
			break;
		}
		len += snprintf(buf + len, size - len, "%s%.24s (%d)", nr > 1 ? ", " : "",
				(const char *)sqlite3_column_text(q, 0), sqlite3_column_int(q, 1));
	}
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		rc = refuse(s, "read", err);
	sqlite3_finalize(q);
	return rc;
}

int store_no_match(struct store *s, const struct store_filter *f, struct err *err)
{
	char classes[110], kernels[110], newest[24];
	int64_t nr = 0;
	int rc = one_number(s, "SELECT count(*) FROM runs", &nr, err);

	if (!rc && !nr)
		return err_set(err, -ENOENT, "store '%.160s' is empty", s->path);
	if (!rc)
		rc = say_counts(s,
				"SELECT class, count(*) FROM runs GROUP BY class"
				" ORDER BY 2 DESC, 1",
				classes, sizeof(classes), err);
	if (!rc)
		rc = say_counts(s,
				"SELECT kernel, count(*) FROM runs GROUP BY kernel"
				" ORDER BY 2 DESC, 1",
				kernels, sizeof(kernels), err);
	if (!rc)
		rc = say_counts(s, "SELECT max(substr(started, 1, 10)), 1 FROM runs", newest,
				sizeof(newest), err);
	if (rc)
		return rc;
	return err_set(err, -ENOENT,
		       "no run in store '%.80s' matches; it has %lld, the newest of %.10s, "
		       "of class %s; with kernel %s",
		       s->path, (long long)nr, newest, classes, kernels);
}
