/* SPDX-License-Identifier: MIT */
/* gnuplot as a program: started, given its script, waited for, ended. */
#include "gnuplot.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_OUTPUT (4 << 20)

struct program {
	pid_t pid;
	int out; /* what it writes */
	struct timespec until;
};

/* ms until its time is over; 0: it is */
static int time_left(const struct program *g)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (g->until.tv_sec - now.tv_sec) * 1000 + (g->until.tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? (int)ms : 0;
}

/* with nothing of ours but PATH: no init file, no setting of the user */
static int start(struct program *g, FILE *in, FILE *complaints, struct err *err)
{
	static char name[] = "gnuplot", no_init[] = "-d", locale[] = "LC_ALL=C.UTF-8",
		    home[] = "HOME=/";
	char *argv[] = {name, no_init, NULL}, *env[] = {locale, home, NULL, NULL};
	char *path = getenv("PATH"), *env_path = NULL;
	posix_spawn_file_actions_t act;
	int ends[2], rc;

	if (asprintf(&env_path, "PATH=%s", path ? path : "/usr/bin:/bin") < 0)
		return err_set(err, -ENOMEM, "out of memory");
	env[2] = env_path;
	if (pipe2(ends, O_CLOEXEC)) {
		free(env_path);
		return err_set(err, -errno, "no pipe to gnuplot: %s", strerror(errno));
	}
	posix_spawn_file_actions_init(&act);
	posix_spawn_file_actions_adddup2(&act, fileno(in), 0);
	posix_spawn_file_actions_adddup2(&act, ends[1], 1);
	posix_spawn_file_actions_adddup2(&act, fileno(complaints), 2);
	rc = posix_spawnp(&g->pid, argv[0], &act, NULL, argv, env);
	posix_spawn_file_actions_destroy(&act);
	close(ends[1]);
	free(env_path);
	g->out = ends[0];
	clock_gettime(CLOCK_MONOTONIC, &g->until);
	g->until.tv_sec += GNUPLOT_SECONDS;
	if (!rc)
		return 0;
	close(ends[0]);
	if (rc == ENOENT || rc == ENOTDIR || rc == EACCES)
		return err_set(err, -ENOENT,
			       "gnuplot is not installed: install gnuplot-nox (Debian) or "
			       "gnuplot (Fedora)");
	return err_set(err, -rc, "gnuplot cannot be started: %s", strerror(rc));
}

static int collect(struct program *g, FILE *to, struct err *err)
{
	struct pollfd fd = {g->out, POLLIN, 0};
	char buf[16384];
	ssize_t n;
	size_t all = 0;

	while (time_left(g)) {
		n = poll(&fd, 1, time_left(g));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		n = read(g->out, buf, sizeof(buf));
		if (n < 0)
			return err_set(err, -EIO, "gnuplot cannot be read: %s", strerror(errno));
		if (!n)
			return 0;
		all += fwrite(buf, 1, n, to);
		if (all > MAX_OUTPUT)
			return err_set(err, -EIO, "gnuplot wrote more than %d MiB",
				       MAX_OUTPUT >> 20);
	}
	return err_set(err, -ETIME, "gnuplot took more than %d s and was stopped", GNUPLOT_SECONDS);
}

/* it has closed its output: it ends now, or it is ended */
static int reap(struct program *g, bool kill_it)
{
	const struct timespec nap = {0, 2000000};
	int status = -1;

	while (!kill_it && time_left(g)) {
		if (waitpid(g->pid, &status, WNOHANG) == g->pid)
			return status;
		nanosleep(&nap, NULL);
	}
	kill(g->pid, SIGKILL);
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	return -1;
}

/* the last line says what was wrong; those before repeat the script */
static void last_complaint(FILE *f, char *line, size_t size)
{
	char *text = NULL, *c;
	size_t room = 0;
	ssize_t n;

	rewind(f);
	line[0] = '\0';
	while ((n = getline(&text, &room, f)) > 0)
		if (strspn(text, " \t\n^") < (size_t)n)
			snprintf(line, size, "%s", text);
	free(text);
	for (c = line; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = *c == '\n' ? '\0' : '?';
}

static int run(FILE *in, FILE *complaints, FILE *to, struct err *err)
{
	struct program g;
	char line[120];
	int rc = start(&g, in, complaints, err), status;

	if (rc)
		return rc;
	rc = collect(&g, to, err);
	close(g.out);
	status = reap(&g, rc < 0);
	if (rc || !status)
		return rc;
	last_complaint(complaints, line, sizeof(line));
	return err_set(err, -EIO, "gnuplot failed%s%s", *line ? ": " : "", line);
}

int gnuplot_draw(const struct doc_plot *p, char **svg, struct err *err)
{
	FILE *in = tmpfile(), *complaints = tmpfile(), *to = NULL;
	size_t size;
	int rc;

	*svg = NULL;
	if (!in || !complaints) {
		rc = err_set(err, -EIO, "no temporary file for gnuplot: %s", strerror(errno));
		goto out;
	}
	rc = gnuplot_script(in, p);
	if (!rc && fflush(in))
		rc = -EIO;
	if (rc) {
		err_set(err, rc,
			rc == -ENODATA ? "there is nothing to draw"
				       : "the script for gnuplot cannot be written");
		goto out;
	}
	rewind(in);
	to = open_memstream(svg, &size);
	if (!to) {
		rc = err_set(err, -ENOMEM, "out of memory");
		goto out;
	}
	rc = run(in, complaints, to, err);
out:
	if (to && fclose(to) && !rc)
		rc = err_set(err, -ENOMEM, "out of memory");
	if (in)
		fclose(in);
	if (complaints)
		fclose(complaints);
	if (rc) {
		free(*svg);
		*svg = NULL;
	}
	return rc;
}
