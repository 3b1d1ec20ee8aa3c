/* SPDX-License-Identifier: MIT */
#include "bench_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_GROUPS 16

struct noise {
	int stat_fd; /* /proc/stat; -1: hidden */
	int cpu_stat_fd
		[MAX_GROUPS]; /* of our cgroup and those above it: any of them may have a quota */
	int nr_groups;
	char *text;
	size_t size;
};

/*
 * "/a/b" below @mount: cpu.stat of /a/b, /a and the mount itself. A container may show the path of
 * its group as the host sees it, with only the mount's root being there: that is the group then.
 */
static void open_groups(struct noise *n, const char *mount, char *dir)
{
	char path[1400];
	int fd;

	for (;;) {
		snprintf(path, sizeof(path), "%s%s/cpu.stat", mount, dir);
		fd = n->nr_groups < MAX_GROUPS ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		if (fd >= 0)
			n->cpu_stat_fd[n->nr_groups++] = fd;
		if (!*dir)
			return;
		*strrchr(dir, '/') = 0;
	}
}

/* cgroup v2 is the line "0::/path", v1 the one whose controllers include cpu */
static void open_cpu_stat(struct noise *n)
{
	char line[1024], mount[128], *controllers, *dir;
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		controllers = strchr(line, ':');
		dir = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!dir || dir[1] != '/')
			continue;
		*dir++ = 0;
		controllers++;
		if (!dir[1])
			*dir = 0;
		if (*controllers && strcmp(controllers, "cpu") && strncmp(controllers, "cpu,", 4))
			continue;
		snprintf(mount, sizeof(mount), "/sys/fs/cgroup%s%.64s", *controllers ? "/" : "",
			 controllers);
		open_groups(n, mount, dir);
	}
	if (f)
		fclose(f);
}

int noise_open(struct noise **out)
{
	struct noise *n = calloc(1, sizeof(*n));
	int rc;

	if (!n)
		return -ENOMEM;
	n->size = 64 << 10;
	n->text = malloc(n->size);
	if (!n->text) {
		free(n);
		return -ENOMEM;
	}
	n->stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	/* hidden is one thing, no descriptor for what would be seen another */
	if (n->stat_fd < 0 && (errno == EMFILE || errno == ENFILE)) {
		rc = -errno;
		noise_close(n);
		return rc;
	}
	open_cpu_stat(n);
	*out = n;
	return 0;
}

void noise_close(struct noise *n)
{
	if (!n)
		return;
	if (n->stat_fd >= 0)
		close(n->stat_fd);
	while (n->nr_groups)
		close(n->cpu_stat_fd[--n->nr_groups]);
	free(n->text);
	free(n);
}

/* the whole file as text in n->text; false when it cannot be read */
static bool read_all(struct noise *n, int fd)
{
	size_t len = 0;
	ssize_t got;
	char *grown;

	if (fd < 0)
		return false;
	for (;;) {
		got = pread(fd, n->text + len, n->size - 1 - len, len);
		if (got < 0)
			return false;
		if (!got)
			break;
		len += got;
		if (len == n->size - 1) {
			grown = realloc(n->text, 2 * n->size);
			if (!grown)
				return false;
			n->text = grown;
			n->size *= 2;
		}
	}
	n->text[len] = 0;
	return len > 0;
}

static bool grow_steal(struct noise_reading *r, int cpu)
{
	uint64_t *grown;

	if (cpu < r->nr_steal)
		return true;
	grown = realloc(r->steal, sizeof(*grown) * (cpu + 64));
	if (!grown)
		return false;
	memset(grown + r->nr_steal, 0, sizeof(*grown) * (cpu + 64 - r->nr_steal));
	r->steal = grown;
	r->nr_steal = cpu + 64;
	return true;
}

static void read_steal(const struct noise *n, struct noise_reading *r)
{
	unsigned long long steal;
	const char *s = n->text, *end;
	int cpu;

	for (; !strncmp(s, "cpu", 3); s = end + 1) {
		/* "cpu  " is the sum of all. user nice system idle iowait irq softirq steal */
		if (s[3] >= '0' && s[3] <= '9' &&
		    sscanf(s, "cpu%d %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &steal) == 2 &&
		    cpu >= 0 && cpu <= CPULIST_MAX_CPU && grow_steal(r, cpu))
			r->steal[cpu] = steal;
		end = strchr(s, '\n');
		if (!end)
			return;
	}
}

void noise_read(struct noise *n, struct noise_reading *r)
{
	const char *s;
	int i;

	if (read_all(n, n->stat_fd))
		read_steal(n, r);
	r->throttled = 0;
	for (i = 0; i < n->nr_groups; i++) {
		if (!read_all(n, n->cpu_stat_fd[i]))
			continue;
		s = strstr(n->text, "nr_throttled ");
		if (s)
			r->throttled += strtoull(s + strlen("nr_throttled "), NULL, 10);
	}
}
