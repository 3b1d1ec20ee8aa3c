/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <stdlib.h>
#include <string.h>

void cpulist_free(struct cpulist *list)
{
	free(list->cpu);
	list->cpu = NULL;
	list->nr = 0;
}

int cpulist_add(struct cpulist *list, int cpu)
{
	int *grown;

	/* room doubles at powers of two, so that the struct needs no capacity field */
	if (!(list->nr & (list->nr - 1))) {
		grown = realloc(list->cpu, sizeof(int) * (list->nr ? 2 * (size_t)list->nr : 1));
		if (!grown)
			return -ENOMEM;
		list->cpu = grown;
	}
	list->cpu[list->nr++] = cpu;
	return 0;
}

int cpulist_copy(struct cpulist *to, const struct cpulist *from)
{
	struct cpulist copy = CPULIST_INIT;
	int i;

	for (i = 0; i < from->nr; i++) {
		if (cpulist_add(&copy, from->cpu[i])) {
			cpulist_free(&copy);
			return -ENOMEM;
		}
	}
	cpulist_free(to);
	*to = copy;
	return 0;
}

bool cpulist_has(const struct cpulist *list, int cpu)
{
	int i;

	for (i = 0; i < list->nr; i++)
		if (list->cpu[i] == cpu)
			return true;
	return false;
}

static bool parse_number(const char **s, int *out)
{
	int v = 0;

	if (**s < '0' || **s > '9')
		return false;
	for (; **s >= '0' && **s <= '9'; (*s)++) {
		v = v * 10 + (**s - '0');
		if (v > CPULIST_MAX_CPU)
			return false;
	}
	*out = v;
	return true;
}

/* "a", "a-b", "a-b:every", "a-b:used/every" */
static bool parse_range(const char **s, int *from, int *to, int *used, int *every)
{
	*used = *every = 1;
	if (!parse_number(s, from))
		return false;
	*to = *from;
	if (**s != '-')
		return true;
	(*s)++;
	if (!parse_number(s, to) || *to < *from)
		return false;
	if (**s != ':')
		return true;
	(*s)++;
	if (!parse_number(s, every))
		return false;
	if (**s == '/') {
		(*s)++;
		*used = *every;
		if (!parse_number(s, every))
			return false;
	}
	return *every >= 1 && *used >= 1 && *used <= *every;
}

int cpulist_parse(const char *text, struct cpulist *out, struct err *err)
{
	unsigned char seen[CPULIST_MAX_CPU / 8 + 1] = {0};
	struct cpulist list = CPULIST_INIT;
	const char *s = text;
	int from, to, used, every, cpu, rc;

	do {
		if (!parse_range(&s, &from, &to, &used, &every) || (*s && *s != ',')) {
			rc = err_set(
				err, -EINVAL,
				"'%.80s' is not a CPU list such as 0-3,8 or 8-159:8 (at '%.20s')",
				text, s);
			goto fail;
		}
		for (cpu = from; cpu <= to; cpu++) {
			if ((cpu - from) % every >= used)
				continue;
			if (seen[cpu / 8] & (1 << cpu % 8)) {
				rc = err_set(err, -EINVAL, "CPU list '%.80s' names CPU %d twice",
					     text, cpu);
				goto fail;
			}
			seen[cpu / 8] |= 1 << cpu % 8;
			rc = cpulist_add(&list, cpu);
			if (rc) {
				err_set(err, rc, "out of memory");
				goto fail;
			}
		}
	} while (*s++ == ',');
	cpulist_free(out);
	*out = list;
	return 0;
fail:
	cpulist_free(&list);
	return rc;
}

char *cpulist_format(const struct cpulist *list, char *buf, size_t size)
{
	size_t len = 0;
	int i, run;

	if (!size)
		return buf;
	buf[0] = 0;
	for (i = 0; i < list->nr && len < size; i += run) {
		for (run = 1; i + run < list->nr; run++)
			if (list->cpu[i + run] != list->cpu[i] + run)
				break;
		len += snprintf(buf + len, size - len, "%s%d", i ? "," : "", list->cpu[i]);
		if (run > 1 && len < size)
			len += snprintf(buf + len, size - len, "%s%d", "-", list->cpu[i + run - 1]);
	}
	if (len >= size && size >= 4)
		memcpy(buf + size - 4, "...", 4);
	else if (len >= size)
		buf[0] = 0;
	return buf;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

char *cpulist_text_sorted(const struct cpulist *list)
{
	struct cpulist sorted = CPULIST_INIT;
	size_t size = 12 * (size_t)list->nr + 1;
	char *text;

	if (cpulist_copy(&sorted, list))
		return NULL;
	if (sorted.nr)
		qsort(sorted.cpu, sorted.nr, sizeof(int), by_number);
	text = malloc(size);
	if (text)
		cpulist_format(&sorted, text, size);
	cpulist_free(&sorted);
	return text;
}
