/* SPDX-License-Identifier: MIT */
/*
 * The model's memory: one mapping, handed out from its start, so that a line's number does not
 * depend on where the mapping lies. What the model knows of a line is made when it is first touched.
 */
#include "sim_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARENA_SIZE (64UL << 20)
#define PAIR	   128UL

void *model_env_alloc(const struct env *env, size_t size, size_t align);
void *model_env_alloc_worker(const struct env *env, int idx, size_t size, size_t align);
void *model_env_keep(const struct env *env, size_t size);

struct sim_arena {
	char *base;
	size_t used;
	struct sim_line **line;
};

int arena_make(struct sim *s)
{
	struct sim_arena *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->line = calloc(ARENA_SIZE / LINE_SIZE, sizeof(*a->line));
	a->base = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (a->base == MAP_FAILED || !a->line) {
		free(a->line);
		free(a);
		return -ENOMEM;
	}
	s->arena = a;
	s->env.arena = a;
	return 0;
}

static void line_free(struct sim_line *l)
{
	if (!l)
		return;
	free(l->of);
	free(l->waiting);
	free(l->nr_in_group);
	free(l->group_sharers);
	free(l);
}

void arena_free(struct sim *s)
{
	struct sim_arena *a = s->arena;
	int i;

	if (!a)
		return;
	for (i = 0; i < arena_nr_lines(s); i++)
		line_free(a->line[i]);
	munmap(a->base, ARENA_SIZE);
	free(a->line);
	free(a);
}

static struct sim_line *line_new(const struct sim *s)
{
	struct sim_line *l = calloc(1, sizeof(*l));
	int nr_groups = s->profile->nr_groups;

	if (!l)
		return NULL;
	l->first = l->owner = l->old_owner = NOBODY;
	l->epoch = 1;
	l->of = calloc((unsigned)s->nr, sizeof(*l->of));
	l->waiting = calloc((unsigned)s->nr, sizeof(*l->waiting));
	l->nr_in_group = calloc(nr_groups, sizeof(int));
	l->group_sharers = calloc(nr_groups, sizeof(*l->group_sharers));
	if (!l->of || !l->waiting || !l->nr_in_group || !l->group_sharers) {
		line_free(l);
		return NULL;
	}
	return l;
}

struct sim_line *arena_line(struct sim *s, const volatile void *addr)
{
	struct sim_arena *a = s->arena;
	size_t at = (size_t)((const volatile char *)addr - a->base);

	if (at >= ARENA_SIZE)
		return NULL;
	at /= LINE_SIZE;
	if (!a->line[at])
		a->line[at] = line_new(s);
	s->no_memory |= !a->line[at];
	return a->line[at];
}

int64_t arena_offset(const struct sim *s, const volatile void *addr)
{
	size_t at = (size_t)((const volatile char *)addr - s->arena->base);

	return at < ARENA_SIZE ? (int64_t)at : -1;
}

int arena_nr_lines(const struct sim *s)
{
	return (int)((s->arena->used + LINE_SIZE - 1) / LINE_SIZE);
}

struct sim_line *arena_line_at(const struct sim *s, int i, int64_t *offset)
{
	*offset = (int64_t)i * LINE_SIZE;
	return s->arena->line[i];
}

static void *take(struct sim_arena *a, size_t size, size_t align)
{
	size_t at;

	if (align < PAIR)
		align = PAIR;
	at = (a->used + align - 1) & ~(align - 1);
	size = (size + PAIR - 1) & ~(PAIR - 1);
	if (at + size > ARENA_SIZE)
		return NULL;
	a->used = at + size;
	return a->base + at;
}

void *model_env_alloc(const struct env *env, size_t size, size_t align)
{
	return take(env->arena, size, align);
}

void *model_env_alloc_worker(const struct env *env, int idx, size_t size, size_t align)
{
	return take(env->arena, size, align);
}

void *model_env_keep(const struct env *env, size_t size)
{
	return take(env->arena, size, PAIR);
}
