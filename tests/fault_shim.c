/* SPDX-License-Identifier: MIT */
/*
 * fault_shim - a system that refuses, for LD_PRELOAD; faults.sh chooses what and how
 *
 *   FAULT_SYSCALLS=mbind,move_pages   the kernel refuses them with EPERM, as a container's
 *                                     seccomp filter does; exit status 77 where there is no seccomp
 *   FAULT_CALLS=pthread_create=11@2   the C library's call fails with that errno from its second
 *                                     call on; without @N from the first. fsync=-9@3: its third
 *                                     call is the end of the process, by signal 9
 *   FAULT_CLOCK=1                     the wall clock steps back one hour at every look at it
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------------- system calls */

static const struct {
	const char *name;
	int nr;
} syscalls[] = {{"mbind", SYS_mbind},
		{"set_mempolicy", SYS_set_mempolicy},
		{"get_mempolicy", SYS_get_mempolicy},
		{"move_pages", SYS_move_pages},
		{"sched_setaffinity", SYS_sched_setaffinity},
		{"sched_getaffinity", SYS_sched_getaffinity},
		{"perf_event_open", SYS_perf_event_open}};
#define NR_SYSCALLS (int)(sizeof(syscalls) / sizeof(syscalls[0]))

/* whether @list, by commas, has @name, which may be followed by "=..." */
static const char *find(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *s = list;

	while (s && *s) {
		if (!strncmp(s, name, len) && strchr(",=", s[len]))
			return s + len;
		s = strchr(s, ',');
		s += s != NULL;
	}
	return NULL;
}

__attribute__((constructor)) static void refuse_syscalls(void)
{
	struct sock_filter code[2 * NR_SYSCALLS + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog filter = {.len = 1, .filter = code};
	const char *list = getenv("FAULT_SYSCALLS");
	int i;

	for (i = 0; list && i < NR_SYSCALLS; i++) {
		if (!find(list, syscalls[i].name))
			continue;
		code[filter.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								  syscalls[i].nr, 0, 1);
		code[filter.len++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	code[filter.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (list && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)))
		_exit(77);
}

/* ------------------------------------------------------------------------------- calls */

/* the errno of this call of @name; 0: it goes through */
static int refused(const char *name, atomic_int *nr_calls)
{
	const char *s = find(getenv("FAULT_CALLS"), name);
	char *end;
	int error;

	if (!s || *s != '=')
		return 0;
	error = strtol(s + 1, &end, 10);
	if (atomic_fetch_add(nr_calls, 1) + 1 < (*end == '@' ? atoi(end + 1) : 1))
		return 0;
	if (error < 0)
		kill(getpid(), -error);
	return error;
}

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))
#define REFUSE(name)                                   \
	do {                                           \
		static atomic_int nr_calls;            \
		int error = refused(#name, &nr_calls); \
                                                       \
		if (error) {                           \
			errno = error;                 \
			return -1;                     \
		}                                      \
	} while (0)

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	static atomic_int nr_calls;
	int error = refused("pthread_create", &nr_calls);

	return error ? error : REAL(pthread_create)(thread, attr, start, arg);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	REFUSE(sched_setaffinity);
	return REAL(sched_setaffinity)(pid, size, set);
}

int sched_getcpu(void)
{
	REFUSE(sched_getcpu);
	return REAL(sched_getcpu)();
}

void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	static atomic_int nr_calls;
	int error = fd < 0 ? refused("mmap", &nr_calls) : 0;

	if (!error)
		return REAL(mmap)(addr, size, prot, flags, fd, offset);
	errno = error;
	return MAP_FAILED;
}

int fsync(int fd)
{
	REFUSE(fsync);
	return REAL(fsync)(fd);
}

int rename(const char *from, const char *to)
{
	REFUSE(rename);
	return REAL(rename)(from, to);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	REFUSE(linkat);
	return REAL(linkat)(from_fd, from, to_fd, to, flags);
}

ssize_t write(int fd, const void *data, size_t size)
{
	REFUSE(write);
	return REAL(write)(fd, data, size);
}

/* ------------------------------------------------------------------------------- clock */

static time_t step_back(void)
{
	static atomic_long nr_looks;

	return getenv("FAULT_CLOCK") ? 3600 * atomic_fetch_add(&nr_looks, 1) : 0;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int rc = syscall(SYS_clock_gettime, id, ts);

	if (!rc && id != CLOCK_MONOTONIC && id != CLOCK_THREAD_CPUTIME_ID)
		ts->tv_sec -= step_back();
	return rc;
}

time_t time(time_t *out)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, CLOCK_REALTIME, &ts);
	ts.tv_sec -= step_back();
	if (out)
		*out = ts.tv_sec;
	return ts.tv_sec;
}
