/* SPDX-License-Identifier: MIT */
#include "bench_private.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREAD_STACK (256 << 10)

struct member {
	pthread_t thread;
	struct crew *crew;
	int cpu;
	bool started, bound;
	sem_t go;
	struct job *job; /* NULL with go: end */
	struct worker_slot *slot;
};

struct crew {
	int nr;
	struct member *member;
	sem_t done; /* posted once per job, by the last thread: nobody else is woken meanwhile */
	atomic_int nr_starting;
};

static bool bind_self(int cpu)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	bool ok;

	if (!set)
		return false;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	ok = !sched_setaffinity(0, size, set);
	CPU_FREE(set);
	return ok && sched_getcpu() == cpu;
}

/* being on the CPU is not enough: one that went offline, or left our cpuset, has undone the binding
 * and the scheduler may move us again in the middle of a window */
static bool is_bound(int cpu)
{
	unsigned long mask[(CPULIST_MAX_CPU + 1) / (8 * sizeof(long))];
	long size, i, nr = 0;

	size = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	for (i = 0; i < size / (long)sizeof(*mask) && nr < 2; i++)
		nr += __builtin_popcountl(mask[i]);
	/* a container may refuse the call */
	return (nr == 1 || size < 0) && sched_getcpu() == cpu;
}

static void run_job(struct member *m, struct job *job)
{
	m->slot->migrated = !is_bound(m->cpu) && !bind_self(m->cpu);
	job->body(job, m->slot);
	m->slot->migrated |= !is_bound(m->cpu);
	if (atomic_fetch_sub(&job->nr_running, 1) == 1)
		sem_post(&m->crew->done);
}

static void *member_main(void *arg)
{
	struct member *m = arg;

	char name[16];

	snprintf(name, sizeof(name), "worker-%d", m->cpu);
	pthread_setname_np(pthread_self(), name);
	m->bound = bind_self(m->cpu);
	if (atomic_fetch_sub(&m->crew->nr_starting, 1) == 1)
		sem_post(&m->crew->done);
	for (;;) {
		while (sem_wait(&m->go))
			;
		if (!m->job)
			return NULL;
		run_job(m, m->job);
	}
}

static int start_members(struct crew *crew, struct err *err)
{
	pthread_attr_t attr;
	struct member *m;
	int i, rc = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	atomic_store(&crew->nr_starting, crew->nr);
	for (i = 0; i < crew->nr && !rc; i++) {
		m = &crew->member[i];
		rc = pthread_create(&m->thread, &attr, member_main, m);
		m->started = !rc;
	}
	pthread_attr_destroy(&attr);
	if (rc) {
		/* those that never started are not waited for */
		i = crew->nr - (i - 1);
		if (atomic_fetch_sub(&crew->nr_starting, i) == i)
			sem_post(&crew->done);
	}
	while (sem_wait(&crew->done))
		;
	if (rc)
		return err_set(err, -EAGAIN, "cannot make a thread for each of %d CPUs: %s",
			       crew->nr, strerror(rc));
	for (i = 0; i < crew->nr; i++)
		if (!crew->member[i].bound)
			return err_set(
				err, -EOPNOTSUPP,
				"cannot bind a thread to CPU %d: the system refused, or ran it "
				"elsewhere",
				crew->member[i].cpu);
	return 0;
}

int crew_open(struct crew **out, const struct cpulist *cpus, struct err *err)
{
	struct crew *crew = calloc(1, sizeof(*crew));
	int i, rc;

	if (!crew)
		return err_set(err, -ENOMEM, "out of memory");
	crew->member = calloc(cpus->nr, sizeof(*crew->member));
	if (!crew->member) {
		free(crew);
		return err_set(err, -ENOMEM, "out of memory");
	}
	sem_init(&crew->done, 0, 0);
	crew->nr = cpus->nr;
	for (i = 0; i < cpus->nr; i++) {
		crew->member[i].crew = crew;
		crew->member[i].cpu = cpus->cpu[i];
		sem_init(&crew->member[i].go, 0, 0);
	}
	rc = start_members(crew, err);
	if (rc) {
		crew_close(crew);
		return rc;
	}
	*out = crew;
	return 0;
}

void crew_close(struct crew *crew)
{
	int i;

	if (!crew)
		return;
	for (i = 0; i < crew->nr; i++) {
		if (!crew->member[i].started)
			continue;
		crew->member[i].job = NULL;
		sem_post(&crew->member[i].go);
	}
	for (i = 0; i < crew->nr; i++) {
		if (crew->member[i].started)
			pthread_join(crew->member[i].thread, NULL);
		sem_destroy(&crew->member[i].go);
	}
	sem_destroy(&crew->done);
	free(crew->member);
	free(crew);
}

/* a thread on @cpu that has no job yet; there is one, by contract */
static struct member *idle_member(struct crew *crew, int cpu)
{
	struct member *m = crew->member;

	while (m->cpu != cpu || m->job)
		m++;
	return m;
}

void crew_run(struct crew *crew, struct job *job, const struct cpulist *cpus,
	      struct worker_slot *slots)
{
	struct member *m;
	int i;

	atomic_store(&job->nr_running, cpus->nr);
	for (i = 0; i < cpus->nr; i++) {
		m = idle_member(crew, cpus->cpu[i]);
		m->job = job;
		m->slot = &slots[i];
		sem_post(&m->go);
	}
	while (sem_wait(&crew->done))
		;
	for (i = 0; i < crew->nr; i++)
		crew->member[i].job = NULL;
}
