/* SPDX-License-Identifier: MIT */
/*
 * hwloc 2.9 trusts what it is given: a damaged file can make it crash or run for minutes, and what
 * it refuses it leaks. So foreign input is read in a child first, and here only when that went well.
 */
#include "topo_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_CPU_SECONDS 2
#define REFUSED		77 /* the child's exit status; a sanitizer's is another */

static void child_limits(void)
{
	struct rlimit cpu = {MAX_CPU_SECONDS, MAX_CPU_SECONDS}, core = {0, 0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), sig;
	static const int fatal[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGXCPU};

	for (sig = 0; sig < (int)(sizeof(fatal) / sizeof(fatal[0])); sig++)
		signal(fatal[sig], SIG_DFL);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
}

/* a process that cannot fork, or whose children are reaped by others, goes without the guard */
int guard_try(int (*read)(void *), void *arg, const char *what, struct err *err)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		child_limits();
		_exit(read(arg) ? REFUSED : 0);
	}
	if (pid < 0)
		return 0;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		return err_set(err, -EINVAL,
			       "'%.200s' takes hwloc more than %d s to read: is it damaged?", what,
			       MAX_CPU_SECONDS);
	if (WIFEXITED(status) && WEXITSTATUS(status) == REFUSED)
		return 1;
	if (WIFSIGNALED(status) || WEXITSTATUS(status))
		return err_set(err, -EINVAL, "'%.200s' is damaged: hwloc crashes when it reads it",
			       what);
	return 0;
}
