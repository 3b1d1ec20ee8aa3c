/* SPDX-License-Identifier: MIT */
#include "map_rows.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "topo_map.h"

/* the next piece of @s that stays on one line; a list of lists is cut between its lists */
static int piece(const char *s, const char *separators)
{
	int len = (int)strcspn(s, separators);

	if (len > TOPO_MAP_WIDTH - INDENT)
		len = (int)strcspn(s, " ,");
	while (s[len] && strchr(",", s[len]))
		len++;
	return len;
}

void map_row(FILE *to, const char *label, const char *fmt, ...)
{
	const char *separators;
	int col = INDENT, len;
	char *text, *s;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text)
		return;
	separators = strstr(text, "; ") ? " " : " ,";
	fprintf(to, "%-*s", INDENT, label);
	for (s = text; *s; s += len) {
		len = piece(s + (*s == ' '), separators) + (*s == ' ');
		if (col + len > TOPO_MAP_WIDTH && col > INDENT) {
			fprintf(to, "\n%*s", INDENT, "");
			col = INDENT;
			s += *s == ' ';
			len = piece(s, separators);
		}
		col += fprintf(to, "%.*s", len, s);
	}
	fprintf(to, "\n");
	free(text);
}

const char *map_plural(int n)
{
	return n == 1 ? "" : "s";
}

void map_group_add(struct map_group *g, const struct topo_cpu *cpu)
{
	if (!cpulist_add(&g->cpus, cpu->os))
		g->cores += !cpu->smt;
}

void map_group_reset(struct map_group *g)
{
	cpulist_free(&g->cpus);
	g->cores = 0;
}

char *map_group_text(const struct map_group *g, const char *where)
{
	char *list = cpulist_text_sorted(&g->cpus), *text = NULL;
	int rc;

	if (g->cores == g->cpus.nr)
		rc = asprintf(&text, "%d core%s%s: %s", g->cores, map_plural(g->cores), where,
			      list ? list : "?");
	else
		rc = asprintf(&text, "%d core%s, %d CPUs%s: %s", g->cores, map_plural(g->cores),
			      g->cpus.nr, where, list ? list : "?");
	free(list);
	return rc < 0 ? NULL : text;
}

const char *map_memory_text(const struct topo_node *n, char *buf, size_t size)
{
	if (!n->memory_known)
		snprintf(buf, size, "memory unknown");
	else if (!n->memory)
		snprintf(buf, size, "no memory");
	else
		text_bytes(buf, size, (double)n->memory);
	return buf;
}
