/* SPDX-License-Identifier: MIT */
/* The result store: what is kept, how it is found again, and what it says of a store that is none. */
#include "results_fixture.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "../reports/digest.h"
#include "store.h"
#include "synthetic.h"

/* ---------------------------------------------------------------------------- helpers */

static int nr_refused;

static void refused(void *ctx, const struct err *why)
{
	nr_refused++;
	if (ctx)
		*(struct err *)ctx = *why;
}

static struct store *open_store(bool writable)
{
	struct err err = ERR_INIT;
	struct store *s = NULL;

	assert_ok(store_open(&s, in_dir("s.sqlite"), writable, &err), &err);
	return s;
}

/* a run of its own for each @idx: three classes, two kernels, one day after another */
static char *make_file(int idx)
{
	static const int one[] = {64, -1}, idle[] = {0, -1};
	struct synth how = SYNTH_DEFAULT;
	char name[40], text[40], *path;
	struct results *r;

	how.batches = one;
	how.works = idle;
	how.blocks = 2;
	how.seed = idx + 1;
	r = synth_results(&how);
	snprintf(text, sizeof(text), "icx-%ds40c2t-2n", 1 + idx % 3);
	synth_set(&r->machine.class_name, text);
	snprintf(text, sizeof(text), "6.%d.0", 12 + idx % 2);
	synth_set(&r->machine.kernel, text);
	snprintf(text, sizeof(text), "2026-11-%02dT12:00:00Z", 1 + idx % 30);
	synth_set(&r->started, text);
	r->seed = idx;
	snprintf(name, sizeof(name), "r%d.json", idx);
	path = strdup(in_dir(name));
	save(r, path);
	results_free(r);
	return path;
}

static struct store_added add_files(struct store *s, char *const *paths, int nr)
{
	struct err err = ERR_INIT;
	struct store_added done;

	assert_ok(store_add(s, paths, nr, refused, NULL, &done, &err), &err);
	return done;
}

static void fill(int nr)
{
	struct store *s = open_store(true);
	char *path;
	int i;

	for (i = 0; i < nr; i++) {
		path = make_file(i);
		assert_int_equal(add_files(s, &path, 1).nr_new, 1);
		free(path);
	}
	store_close(s);
}

static int count(void *ctx, const struct store_run *run, struct err *err)
{
	assert_null(run->json);
	return 0;
}

static int nr_matches(const char *class_name, const char *kernel, const char *since)
{
	const struct store_filter f = {class_name, kernel, since};
	struct store *s = open_store(false);
	struct err err = ERR_INIT;
	int nr = store_list(s, &f, count, NULL, &err);

	store_close(s);
	return nr;
}

/* --------------------------------------------------------------------------- contents */

/* FIPS 180-4's own examples, and the lengths at which the padding needs another block */
static void test_sha256(void **state)
{
	static const struct {
		const char *text, *hex;
	} known[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		 "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		 "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
	};
	char hex[65];
	int i;

	for (i = 0; i < NR(known); i++) {
		digest_sha256(known[i].text, strlen(known[i].text), hex);
		assert_string_equal(hex, known[i].hex);
	}
}

static int compare_bytes(void *ctx, const struct store_run *run, struct err *err)
{
	const char *path = ctx;

	assert_same_file(path, run->json, run->size);
	assert_string_equal(run->class_name, "icx-1s40c2t-2n");
	assert_string_equal(run->kernel, "6.12.0");
	assert_string_equal(run->started, "2026-11-01T12:00:00Z");
	assert_string_equal(run->host, "testhost");
	assert_string_equal(run->experiments, "page_counter");
	assert_true(run->complete);
	return 0;
}

static void test_bytes_come_back(void **state)
{
	struct err err = ERR_INIT;
	struct store *s;
	char *path;

	fill(1);
	path = strdup(in_dir("r0.json"));
	s = open_store(false);
	assert_int_equal(store_read(s, NULL, compare_bytes, path, &err), 1);
	store_close(s);
	free(path);
}

static void test_the_same_twice(void **state)
{
	char *paths[3] = {make_file(0), make_file(1), make_file(0)};
	struct store *s = open_store(true);
	struct store_added done = add_files(s, paths, 3);

	assert_int_equal(done.nr_new, 2);
	assert_int_equal(done.nr_known, 1);
	done = add_files(s, paths, 3);
	assert_int_equal(done.nr_new, 0);
	assert_int_equal(done.nr_known, 3);
	store_close(s);
	assert_int_equal(nr_matches(NULL, NULL, NULL), 2);
	free(paths[0]);
	free(paths[1]);
	free(paths[2]);
}

static void test_filters(void **state)
{
	fill(12);
	assert_int_equal(nr_matches(NULL, NULL, NULL), 12);
	assert_int_equal(nr_matches("icx-2s40c2t-2n", NULL, NULL), 4);
	assert_int_equal(nr_matches("icx-?s40*", NULL, NULL), 12);
	assert_int_equal(nr_matches("icx-2s", NULL, NULL), 0);
	assert_int_equal(nr_matches(NULL, "6.13.0", NULL), 6);
	assert_int_equal(nr_matches(NULL, NULL, "2026-11-05T00:00:00Z"), 8);
	assert_int_equal(nr_matches("icx-1s*", "6.12.*", "2026-11-05T00:00:00Z"), 1);
}

static void test_no_match_says_what_there_is(void **state)
{
	const struct store_filter f = {"skx-2s", NULL, NULL};
	struct err err = ERR_INIT;
	struct store *s;

	fill(4);
	s = open_store(false);
	assert_int_equal(store_list(s, &f, count, NULL, &err), 0);
	assert_refused(store_no_match(s, &f, &err), -ENOENT,
		       "it has 4, the newest of 2026-11-04, of class icx-1s40c2t-2n (2), "
		       "icx-2s40c2t-2n (1), icx-3s40c2t-2n (1); with kernel 6.12.0 (2), 6.13.0 (2)",
		       &err);
	store_close(s);
}

static int list_of(FILE *to)
{
	struct err err = ERR_INIT;
	struct store *s = open_store(false);
	int nr = store_list_json(s, NULL, to, &err);

	store_close(s);
	return nr;
}

static char *listing(void)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_true(list_of(to) > 0);
	fclose(to);
	return text;
}

/* made anew from its export, in another order: the same list, the same bytes */
static void test_made_anew(void **state)
{
	char sub[128], *before, *after, *paths[8];
	struct err err = ERR_INIT;
	struct dirent *e;
	struct store *s;
	int nr = 0;
	DIR *d;

	fill(7);
	before = listing();
	snprintf(sub, sizeof(sub), "%s", in_dir("out"));
	s = open_store(false);
	assert_int_equal(store_export(s, NULL, sub, &err), 7);
	/* once more: nothing is written twice */
	assert_int_equal(store_export(s, NULL, sub, &err), 7);
	store_close(s);
	assert_int_equal(count_files(sub), 7);
	d = opendir(sub);
	while ((e = readdir(d)))
		if (*e->d_name != '.' && asprintf(&paths[nr++], "%s/%s", sub, e->d_name) < 0)
			fail();
	closedir(d);
	unlink(in_dir("s.sqlite"));
	s = open_store(true);
	while (nr) {
		assert_int_equal(add_files(s, &paths[--nr], 1).nr_new, 1);
		unlink(paths[nr]);
		free(paths[nr]);
	}
	store_close(s);
	rmdir(sub);
	after = listing();
	assert_string_equal(before, after);
	free(before);
	free(after);
}

/* a class is what a file says: it must not lead an export out of its folder */
static void test_export_stays_in_its_folder(void **state)
{
	struct results *r = synth_record();
	struct err err = ERR_INIT;
	char *path = strdup(in_dir("evil.json")), sub[128];
	struct dirent *e;
	struct store *s;
	DIR *d;

	synth_set(&r->machine.class_name, "../../evil \"<x>");
	save(r, path);
	results_free(r);
	s = open_store(true);
	add_files(s, &path, 1);
	snprintf(sub, sizeof(sub), "%s", in_dir("out"));
	assert_int_equal(store_export(s, NULL, sub, &err), 1);
	store_close(s);
	assert_int_equal(count_files(sub), 1);
	free(path);
	d = opendir(sub);
	while ((e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	assert_int_equal(rmdir(sub), 0);
}

static void test_the_fullest_first(void **state)
{
	struct results *r = synth_record();
	char *paths[2] = {strdup(in_dir("half.json")), strdup(in_dir("whole.json"))};
	struct store *s = open_store(true);
	char *text;

	r->complete = false;
	save(r, paths[0]);
	r->complete = true;
	save(r, paths[1]);
	results_free(r);
	add_files(s, paths, 2);
	store_close(s);
	text = listing();
	assert_true(strstr(text, "\"complete\": true") < strstr(text, "\"complete\": false"));
	free(text);
	free(paths[0]);
	free(paths[1]);
}

/* -------------------------------------------------------------------------- bad input */

static void test_bad_files_are_left_out(void **state)
{
	char *paths[4] = {strdup(in_dir("bad.json")), make_file(0), strdup(in_dir("none.json")),
			  strdup("/tmp")};
	struct err err = ERR_INIT, why = ERR_INIT;
	struct store *s = open_store(true);
	struct store_added done;
	int i;

	write_file(paths[0], "{\"schema\": NaN}", 15);
	nr_refused = 0;
	assert_ok(store_add(s, paths, 3, refused, &why, &done, &err), &err);
	assert_int_equal(done.nr_new, 1);
	assert_int_equal(done.nr_left_out, 2);
	assert_int_equal(nr_refused, 2);
	assert_non_null(strstr(why.msg, "none.json"));
	assert_ok(store_add(s, paths + 3, 1, refused, &why, &done, &err), &err);
	assert_non_null(strstr(why.msg, "it is a directory"));
	store_close(s);
	assert_int_equal(nr_matches(NULL, NULL, NULL), 1);
	for (i = 0; i < 4; i++)
		free(paths[i]);
}

static void change(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(in_dir("s.sqlite"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* refused to read and to write, and not one byte of it changed */
static void assert_no_store(int code, const char *part)
{
	char *path = strdup(in_dir("s.sqlite")), *data;
	struct store *s = NULL;
	struct err err;
	size_t size;

	data = slurp(path, &size);
	assert_refused(store_open(&s, path, false, &err), code, part, &err);
	assert_non_null(strstr(err.msg, "s.sqlite"));
	assert_refused(store_open(&s, path, true, &err), code, part, &err);
	assert_null(s);
	assert_same_file(path, data, size);
	free(data);
	free(path);
}

static void test_newer_version(void **state)
{
	fill(1);
	change("PRAGMA user_version=2");
	assert_no_store(-EBADMSG, "is of version 2, this chargeline knows version 1");
}

static void test_other_database(void **state)
{
	change("CREATE TABLE other (x)");
	assert_no_store(-EBADMSG, "an SQLite database of another program");
}

static void test_no_database(void **state)
{
	char text[4096];

	memset(text, 'x', sizeof(text));
	write_file(in_dir("s.sqlite"), text, sizeof(text));
	assert_no_store(-EBADMSG, "no SQLite database");
}

static int count_damaged(void *ctx, const struct store_run *run, struct err *err)
{
	*(int *)ctx += run->damaged;
	return 0;
}

static void test_truncated_anywhere(void **state)
{
	char *path = strdup(in_dir("s.sqlite")), *data;
	struct err err = ERR_INIT;
	struct store *s;
	size_t size, cut;
	int rc, damaged;

	fill(3);
	data = slurp(path, &size);
	for (cut = 1; cut < size; cut += cut < 600 ? 37 : 1019) {
		write_file(path, data, cut);
		s = NULL;
		damaged = 0;
		rc = store_open(&s, path, false, &err);
		if (!rc)
			rc = store_read(s, NULL, count_damaged, &damaged, &err);
		store_close(s);
		if (!damaged && (rc >= 0 || !strstr(err.msg, "s.sqlite")))
			fail_msg("cut at %zu of %zu: %d, '%s'", cut, size, rc, err.msg);
	}
	free(data);
	free(path);
}

static void test_changed_bytes_are_found(void **state)
{
	struct err err = ERR_INIT;
	struct store *s;
	char sub[128];

	fill(1);
	change("UPDATE runs SET json = replace(json, '2026', '2025')");
	s = open_store(false);
	snprintf(sub, sizeof(sub), "%s", in_dir("out"));
	assert_refused(store_export(s, NULL, sub, &err), -EBADMSG,
		       "the bytes of 1 of 1 runs are not what was added", &err);
	store_close(s);
	assert_int_equal(rmdir(sub), 0);
}

static void test_absent_and_empty(void **state)
{
	struct store *s = NULL;
	struct err err;

	assert_refused(store_open(&s, in_dir("none.sqlite"), false, &err), -ENOENT,
		       "there is no store", &err);
	assert_int_equal(count_files(dir), 0);
	write_file(in_dir("s.sqlite"), "", 0);
	assert_refused(store_open(&s, in_dir("s.sqlite"), false, &err), -ENOENT,
		       "nothing was added yet", &err);
	assert_refused(store_open(&s, dir, true, &err), -EISDIR, "it is a directory", &err);
	assert_refused(store_open(&s, "/dev/null", true, &err), -EBADMSG, "not a file", &err);
	/* what a writer was killed on before it wrote anything */
	s = open_store(true);
	store_close(s);
}

static void test_locked(void **state)
{
	char *path = make_file(1);
	struct store_added done;
	struct store *s;
	struct err err;
	sqlite3 *db;

	fill(1);
	s = open_store(true);
	assert_int_equal(sqlite3_open(in_dir("s.sqlite"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	assert_refused(store_add(s, &path, 1, refused, NULL, &done, &err), -EBUSY,
		       "another process has had it locked", &err);
	assert_int_equal(done.nr_new, 0);
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(add_files(s, &path, 1).nr_new, 1);
	store_close(s);
	free(path);
}

/* ---------------------------------------------------------------------- several at once */

#define WRITERS 4
#define FILES	12

/* each adds half of the files, in its own order; every file is added by two of them */
static void child(int who, char *const *paths)
{
	struct err err = ERR_INIT;
	struct store_added done;
	struct store *s = NULL;
	int i, rc;

	for (i = 0; i < FILES; i++) {
		if ((i + who) % 2)
			continue;
		rc = store_open(&s, in_dir("s.sqlite"), true, &err);
		if (!rc)
			rc = store_add(s, &paths[who < 2 ? i : FILES - 1 - i], 1, refused, NULL,
				       &done, &err);
		store_close(s);
		if (rc || done.nr_new + done.nr_known != 1) {
			fprintf(stderr, "writer %d: %s\n", who, err.msg);
			_exit(1);
		}
	}
	_exit(0);
}

static void test_many_writers(void **state)
{
	char *paths[FILES];
	int i, status, failed = 0;

	for (i = 0; i < FILES; i++)
		paths[i] = make_file(i);
	for (i = 0; i < WRITERS; i++)
		if (!fork())
			child(i, paths);
	for (i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		failed += status != 0;
	}
	assert_int_equal(failed, 0);
	assert_int_equal(nr_matches(NULL, NULL, NULL), FILES);
	for (i = 0; i < FILES; i++)
		free(paths[i]);
}

/* a writer killed in the middle of a transaction leaves what was there */
static void test_killed_writer(void **state)
{
	int status, i;
	sqlite3 *db;

	fill(2);
	if (!fork()) {
		sqlite3_open(in_dir("s.sqlite"), &db);
		/* so small a cache that pages are written before the end */
		sqlite3_exec(db, "PRAGMA cache_size=1; BEGIN", NULL, NULL, NULL);
		for (i = 0; i < 8; i++)
			sqlite3_exec(db,
				     "INSERT INTO runs SELECT NULL, hex(randomblob(8)), class, "
				     "model, kernel, started, host, experiments, complete, size, "
				     "json FROM runs",
				     NULL, NULL, NULL);
		kill(getpid(), SIGKILL);
	}
	assert_true(wait(&status) > 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(nr_matches(NULL, NULL, NULL), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sha256),
		TEST(test_bytes_come_back),
		TEST(test_the_same_twice),
		TEST(test_filters),
		TEST(test_no_match_says_what_there_is),
		TEST(test_made_anew),
		TEST(test_export_stays_in_its_folder),
		TEST(test_the_fullest_first),
		TEST(test_bad_files_are_left_out),
		TEST(test_newer_version),
		TEST(test_other_database),
		TEST(test_no_database),
		TEST(test_truncated_anywhere),
		TEST(test_changed_bytes_are_found),
		TEST(test_absent_and_empty),
		TEST(test_locked),
		TEST(test_many_writers),
		TEST(test_killed_writer),
	};

	return run_result_tests(tests);
}
