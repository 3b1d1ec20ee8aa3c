/* SPDX-License-Identifier: MIT */
/*
 * Our control group: how it is mounted here, and what CPU time it and its ancestors leave us. Where
 * a container shows only a part of the tree, limits above that part stay hidden.
 */
#include "doctor_private.h"

#include <stdio.h>
#include <string.h>

#include "topo_private.h"

#define GROUP_MAX_PATH 1024

struct group {
	char top[GROUP_MAX_PATH]; /* where the tree is mounted */
	char dir[GROUP_MAX_PATH]; /* our group in it: top, or below */
	bool v2;
};

/* is @word in @list, which has commas? */
static bool listed(const char *list, const char *word, char comma)
{
	size_t len = strlen(word);
	const char *s;

	for (s = list; s; s = strchr(s, comma) ? strchr(s, comma) + 1 : NULL)
		if (!strncmp(s, word, len) && (!s[len] || s[len] == comma))
			return true;
	return false;
}

/* ---------------------------------------------------------------- where our group is */

/* the path in line "4:memory:/a/b" of that controller, or in "0::/a/b" when @controller is NULL */
static bool own_path(const struct exam *x, const char *controller, char *buf, size_t size)
{
	char line[GROUP_MAX_PATH + 256], *controllers, *path;
	FILE *f = exam_open(x, "/proc/self/cgroup");
	bool ok = false;

	while (f && !ok && exam_next_line(f, line, sizeof(line))) {
		controllers = strchr(line, ':');
		path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path || path[1] != '/')
			continue;
		*path++ = 0;
		controllers++;
		ok = controller ? listed(controllers, controller, ',') : !*controllers;
		ok = ok && (size_t)snprintf(buf, size, "%s", path) < size;
	}
	if (f)
		fclose(f);
	return ok;
}

struct mount {
	char *root, *point, *type, *options; /* options: of the file system, last on the line */
};

/* "31 23 0:28 ROOT POINT rw,relatime shared:1 - TYPE SOURCE OPTIONS", split in place */
static bool mount_parse(char *line, struct mount *m)
{
	char *dash = strstr(line, " - "), *save, *source;
	int i;

	if (!dash)
		return false;
	*dash = 0;
	strtok_r(line, " ", &save);
	for (i = 0; i < 2; i++)
		strtok_r(NULL, " ", &save);
	m->root = strtok_r(NULL, " ", &save);
	m->point = m->root ? strtok_r(NULL, " ", &save) : NULL;
	m->type = strtok_r(dash + 3, " ", &save);
	source = m->type ? strtok_r(NULL, " ", &save) : NULL;
	m->options = source ? strtok_r(NULL, " ", &save) : NULL;
	return m->point && m->options;
}

/* the group at @path of a tree of which only @m->root is mounted */
static bool group_place(const struct exam *x, struct group *g, const struct mount *m,
			const char *path)
{
	size_t len = strcmp(m->root, "/") ? strlen(m->root) : 0;

	if (strncmp(path, m->root, len) || (path[len] && path[len] != '/'))
		return false;
	path += len;
	if (!strcmp(path, "/"))
		path = "";
	if (!strncmp(path, "/..", 3))
		return false;
	return (size_t)snprintf(g->top, sizeof(g->top), "%s", m->point) < sizeof(g->top) &&
	       (size_t)snprintf(g->dir, sizeof(g->dir), "%s%s", m->point, path) < sizeof(g->dir) &&
	       exam_there(x, g->dir);
}

/* the group that governs @controller: in a tree of v1, else (or NULL) in the one tree of v2 */
static bool group_find(const struct exam *x, const char *controller, struct group *g)
{
	char line[2 * EXAM_MAX_LINE], path[2][GROUP_MAX_PATH];
	bool has[2], ok = false;
	struct mount m;
	FILE *f;

	has[0] = controller && own_path(x, controller, path[0], sizeof(path[0]));
	has[1] = !has[0] && own_path(x, NULL, path[1], sizeof(path[1]));
	f = has[0] || has[1] ? exam_open(x, "/proc/self/mountinfo") : NULL;
	while (f && !ok && exam_next_line(f, line, sizeof(line))) {
		if (!mount_parse(line, &m))
			continue;
		g->v2 = has[1];
		if (has[0] && !strcmp(m.type, "cgroup") && listed(m.options, controller, ','))
			ok = group_place(x, g, &m, path[0]);
		else if (has[1] && !strcmp(m.type, "cgroup2"))
			ok = group_place(x, g, &m, path[1]);
	}
	if (f)
		fclose(f);
	return ok;
}

/* ----------------------------------------------------------------------- CPU quota */

/* CPUs that the group in @dir may keep busy; 0: no limit there, -1: no answer */
static double quota_of(const struct exam *x, bool v2, const char *dir, char *file, size_t size)
{
	char text[64], quota[24] = "", period[24] = "100000", path[GROUP_MAX_PATH + 32];
	int64_t q, p;

	snprintf(file, size, "%s/%s", dir, v2 ? "cpu.max" : "cpu.cfs_quota_us");
	if (!exam_there(x, file))
		return 0; /* the root, or nobody asked for limits there */
	if (!exam_line(x, NULL, file, text, sizeof(text)))
		return -1;
	if (v2 && sscanf(text, "%23s %23s", quota, period) != 2)
		return -1;
	if (!v2) {
		snprintf(quota, sizeof(quota), "%.23s", strcmp(text, "-1") ? text : "max");
		snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
		if (strcmp(quota, "max") && !exam_line(x, NULL, path, period, sizeof(period)))
			return -1;
	}
	if (text_parse_int(period, 1, INT64_MAX, &p, NULL))
		return -1;
	if (!strcmp(quota, "max"))
		return 0;
	return text_parse_int(quota, 1, INT64_MAX, &q, NULL) ? -1 : (double)q / (double)p;
}

/* files that only the root has (v1), or all but the root (v2): is @top the root of its tree? */
static bool is_root(const struct exam *x, const struct group *g)
{
	char path[GROUP_MAX_PATH + 32];

	snprintf(path, sizeof(path), "%s/%s", g->top, g->v2 ? "cgroup.events" : "release_agent");
	return exam_there(x, path) != g->v2;
}

static void quota_advice(struct finding *f, double cpus, const char *file, bool v2)
{
	if (cpus >= 1)
		advise(f,
		       "a quota is not an affinity: more spinning workers are stopped for part "
		       "of every period; use at most %d, or echo %s > %.120s",
		       (int)cpus, v2 ? "max" : "-1", file);
	else
		advise(f,
		       "even one spinning worker is stopped for part of every period: echo %s > "
		       "%.150s",
		       v2 ? "max" : "-1", file);
}

void check_cpu_quota(const struct exam *x, struct finding *f)
{
	char file[GROUP_MAX_PATH + 32], least_file[GROUP_MAX_PATH + 32] = "", *slash;
	double cpus, least = 0;
	bool silent = false;
	struct group g;
	int nr;

	topo_cpus(x->topo, &nr);
	if (!group_find(x, "cpu", &g))
		return advise(f, "our control group is not found: /proc/self/cgroup or the mounted "
				 "tree does not show it");
	for (;;) {
		cpus = quota_of(x, g.v2, g.dir, file, sizeof(file));
		silent |= cpus < 0;
		if (cpus > 0 && (!least || cpus < least)) {
			least = cpus;
			strcpy(least_file, file);
		}
		slash = strrchr(g.dir, '/');
		if (strlen(g.dir) <= strlen(g.top) || !slash)
			break;
		*slash = 0;
	}
	if (least && least < nr) {
		found(f, FINDING_FAULT, "%.4g CPU%s for the %d that we may use", least,
		      least == 1 ? "" : "s", nr);
		quota_advice(f, least, least_file, g.v2);
	} else if (silent) {
		advise(f, "a quota file of our group, or of one above it, cannot be read");
	} else if (!is_root(x, &g)) {
		if (least)
			found(f, FINDING_UNKNOWN, "%.4g CPU%s for %d, as far as shown", least,
			      least == 1 ? "" : "s", nr);
		else
			found(f, FINDING_UNKNOWN, "none as far as shown");
		advise(f, "we are in a container that hides the groups above it, which may have "
			  "a quota");
	} else if (least) {
		found(f, FINDING_OK, "%.4g CPU%s for the %d that we may use", least,
		      least == 1 ? "" : "s", nr);
	} else {
		found(f, FINDING_OK, "none");
	}
}

/* --------------------------------------------------------------------- the hierarchy */

static void count_mounts(const struct exam *x, int *v1, int *v2)
{
	char line[2 * EXAM_MAX_LINE];
	FILE *f = exam_open(x, "/proc/self/mountinfo");
	struct mount m;

	*v1 = *v2 = 0;
	while (f && exam_next_line(f, line, sizeof(line))) {
		if (!mount_parse(line, &m))
			continue;
		*v2 += !strcmp(m.type, "cgroup2");
		*v1 += !strcmp(m.type, "cgroup") && !strstr(m.options, "name=");
	}
	if (f)
		fclose(f);
}

/* does v2 charge memory: 1 our group, 0 not ours but the tree can, -1 no, -2 not known */
static int memory_v2(const struct exam *x)
{
	char path[GROUP_MAX_PATH + 32], text[256];
	struct group g;

	if (!group_find(x, NULL, &g))
		return -2;
	snprintf(path, sizeof(path), "%s/cgroup.controllers", g.dir);
	if (!exam_line(x, NULL, path, text, sizeof(text)))
		return -2;
	if (listed(text, "memory", ' '))
		return 1;
	snprintf(path, sizeof(path), "%s/cgroup.controllers", g.top);
	exam_line(x, NULL, path, text, sizeof(text));
	return listed(text, "memory", ' ') || !is_root(x, &g) ? 0 : -1;
}

void check_cgroup(const struct exam *x, struct finding *f)
{
	int v1, v2, memory;
	const char *version;
	char path[GROUP_MAX_PATH];

	count_mounts(x, &v1, &v2);
	if (!v1 && !v2)
		return advise(f, "no control group tree is mounted, or /proc/self/mountinfo is "
				 "hidden");
	version = !v1 ? "v2" : !v2 ? "v1" : "hybrid";
	if (v1 && own_path(x, "memory", path, sizeof(path))) {
		found(f, FINDING_WARNING, "%s, memory controller on v1", version);
		advise(f, "v1 has no memory.min and memory.low, whose cost is measured here: boot "
			  "with systemd.unified_cgroup_hierarchy=1 to compare with this kernel");
		return;
	}
	memory = memory_v2(x);
	if (memory == 1) {
		found(f, FINDING_OK, "%s, memory controller on", version);
	} else if (memory == 0) {
		found(f, FINDING_WARNING, "%s, memory controller off for our group", version);
		advise(f, "what runs here is charged to a group above: echo +memory > "
			  "cgroup.subtree_control there");
	} else if (memory == -1) {
		found(f, FINDING_WARNING, "%s, no memory controller", version);
		advise(f, "this kernel charges memory to no group, so nothing measured here is "
			  "paid: boot without cgroup_disable=memory");
	} else {
		found(f, FINDING_UNKNOWN, "%s", version);
		advise(f, "whether memory is charged is not shown: our group is not found in the "
			  "tree");
	}
}
