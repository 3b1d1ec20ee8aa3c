/* SPDX-License-Identifier: MIT */
#include "results_fixture.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void test_keeps_mode_and_link(void **state)
{
	const char *path = in_dir("real.json"), *link = in_dir("link.json");
	struct results *r = make_results();
	struct stat st;
	struct err err;

	umask(022);
	save(r, path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(symlink("real.json", link), 0);
	r->complete = true;
	save(r, link);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	results_free(r);
	r = load(link);
	assert_true(r->complete);
	assert_int_equal(unlink(path), 0);
	assert_refused(results_save(r, link, &err), -ENOENT, "symbolic link to nothing", &err);
	assert_int_equal(count_files(dir), 1);
	results_free(r);
}

static void test_only_regular_files(void **state)
{
	struct results *r = make_results(), *none;
	struct stat st;
	struct err err;

	assert_refused(results_save(r, dir, &err), -EISDIR, "is a directory", &err);
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	assert_refused(results_save(r, in_dir("fifo"), &err), -EINVAL, "not a regular file", &err);
	assert_int_equal(stat(in_dir("fifo"), &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_refused(results_save(r, in_dir("no/r.json"), &err), -ENOENT, "No such file", &err);
	assert_refused(results_save(r, "", &err), -ENOENT, "cannot write ''", &err);
	assert_refused(results_load(&none, in_dir("fifo"), &err), -EBADMSG, "not JSON", &err);
	assert_refused(results_load(&none, dir, &err), -EISDIR, "is a directory", &err);
	assert_refused(results_load(&none, in_dir("none"), &err), -ENOENT, "none': No such file",
		       &err);
	assert_refused(results_load(&none, "/dev/null", &err), -EBADMSG, "is not a file", &err);
	assert_int_equal(count_files(dir), 1);
	results_free(r);
}

/* a save that fails leaves the old file, byte by byte, and nothing beside it */
static void assert_save_fails(const struct results *r, const char *path, int code, const char *part)
{
	struct err err;
	size_t size;
	char *old = slurp(path, &size), folder[128];
	int files;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	files = count_files(folder);
	assert_refused(results_save(r, path, &err), code, part, &err);
	assert_non_null(strstr(err.msg, path));
	assert_same_file(path, old, size);
	assert_int_equal(count_files(folder), files);
	free(old);
}

static void test_over_the_size_limit(void **state)
{
	struct results *r = make_results();
	struct rlimit was, small;
	struct err err = ERR_INIT;
	struct sample s;
	int i;

	save(r, in_dir("r.json"));
	for (i = 0; i < 1000; i++) {
		s = make_sample(i);
		assert_ok(results_add_sample(r, 2, &s, &err), &err);
	}
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = was;
	small.rlim_cur = 100000;
	signal(SIGXFSZ, SIG_IGN); /* as main does */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_save_fails(r, in_dir("r.json"), -EFBIG, "File too large");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	save(r, in_dir("r.json"));
	results_free(r);
}

/* root makes mounts of its own; others must be root of a user namespace first */
static bool own_mounts(void)
{
	char uids[32], gids[32];

	if (unshare(CLONE_NEWNS)) {
		snprintf(uids, sizeof(uids), "0 %u 1", geteuid());
		snprintf(gids, sizeof(gids), "0 %u 1", getegid());
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
			return false;
		write_file("/proc/self/setgroups", "deny", 4);
		write_file("/proc/self/uid_map", uids, strlen(uids));
		write_file("/proc/self/gid_map", gids, strlen(gids));
	}
	mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL);
	return !mount("tmpfs", dir, "tmpfs", 0, "size=64k");
}

/* in a process with mounts of its own: a disk of 64 KiB, then the same read-only */
static int full_and_read_only(const struct results *small, const struct results *large)
{
	const char *path = in_dir("r.json");

	if (!own_mounts())
		return 77;
	save(small, path);
	assert_save_fails(large, path, -ENOSPC, "No space left on device");
	if (mount("tmpfs", dir, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k"))
		return 77;
	assert_save_fails(small, path, -EROFS, "Read-only file system");
	return 0;
}

static void test_disk_full_and_read_only(void **state)
{
	struct results *r = make_results(), *large = make_results();
	struct err err = ERR_INIT;
	struct sample s;
	int i, status;
	pid_t pid;

	for (i = 0; i < 1000; i++) {
		s = make_sample(i);
		assert_ok(results_add_sample(large, 2, &s, &err), &err);
	}
	pid = fork();
	if (!pid) {
		setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failed assertion ends the child */
		_exit(full_and_read_only(r, large));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	results_free(r);
	results_free(large);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		test_skip("no mounts of our own here");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define ANYBODY 65534 /* root may write everywhere, so it becomes somebody who may not */

static void test_forbidden_folder(void **state)
{
	struct results *r = make_results();
	uid_t self = geteuid();

	save(r, in_dir("r.json"));
	assert_int_equal(chmod(dir, 0555), 0);
	if (!self && seteuid(ANYBODY)) {
		assert_int_equal(chmod(dir, 0755), 0);
		results_free(r);
		test_skip("root may write everywhere, and cannot become somebody else here");
	}
	assert_save_fails(r, in_dir("r.json"), -EACCES, "Permission denied");
	assert_int_equal(seteuid(self), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	results_free(r);
}

/* killed at any moment: there is one whole file, and it says incomplete */
static void test_killed_while_saving(void **state)
{
	struct results *r = make_results(), *back;
	const char *path = in_dir("r.json");
	struct err err = ERR_INIT;
	int round, i, status;
	struct sample s;
	pid_t pid;

	for (i = 0; i < 200; i++) {
		s = make_sample(i);
		assert_ok(results_add_sample(r, 2, &s, &err), &err);
	}
	save(r, path);
	for (round = 0; round < 30; round++) {
		pid = fork();
		while (!pid) {
			s = make_sample(0);
			results_add_sample(r, 1, &s, NULL);
			results_save(r, path, NULL);
		}
		usleep(500 + 137 * round);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		back = load(path);
		assert_false(back->complete);
		assert_true(back->cases[1].nr_samples >= 3 && back->cases[2].nr_samples == 200);
		results_free(back);
	}
	results_free(r);
}

int main(void)
{
	const struct CMUnitTest results_save[] = {
		TEST(test_keeps_mode_and_link), TEST(test_only_regular_files),
		TEST(test_over_the_size_limit), TEST(test_disk_full_and_read_only),
		TEST(test_forbidden_folder),	TEST(test_killed_while_saving),
	};

	return run_result_tests(results_save);
}
