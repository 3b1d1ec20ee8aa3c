/* SPDX-License-Identifier: MIT */
#include "bench_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct noise {
	int stat_fd;	 /* /proc/stat; -1: hidden */
	int throttle_fd; /* cpu.stat of our cgroup; -1: none */
	char *text;
	size_t size;
};

/* cgroup v2 is the line "0::/path", v1 the one whose controllers include cpu */
static int open_cpu_stat(void)
{
	char line[1024], path[1200], *controllers, *dir;
	FILE *f = fopen("/proc/self/cgroup", "re");
	int fd = -1;

	while (f && fd < 0 && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		controllers = strchr(line, ':');
		dir = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!dir)
			continue;
		*dir++ = 0;
		controllers++;
		if (!*controllers)
			snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.stat", dir);
		else if (!strcmp(controllers, "cpu") || !strncmp(controllers, "cpu,", 4))
			snprintf(path, sizeof(path), "/sys/fs/cgroup/%s%s/cpu.stat", controllers,
				 dir);
		else
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (f)
		fclose(f);
	return fd;
}

int noise_open(struct noise **out)
{
	struct noise *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->size = 64 << 10;
	n->text = malloc(n->size);
	if (!n->text) {
		free(n);
		return -ENOMEM;
	}
	n->stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	n->throttle_fd = open_cpu_stat();
	*out = n;
	return 0;
}

void noise_close(struct noise *n)
{
	if (!n)
		return;
	if (n->stat_fd >= 0)
		close(n->stat_fd);
	if (n->throttle_fd >= 0)
		close(n->throttle_fd);
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

void noise_read(struct noise *n, struct noise_reading *r)
{
	unsigned long long steal;
	const char *s;
	int cpu;

	if (read_all(n, n->stat_fd)) {
		for (s = n->text; s; s = strchr(s, '\n')) {
			s += *s == '\n';
			/* user nice system idle iowait irq softirq steal */
			if (sscanf(s, "cpu%d %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &steal) ==
				    2 &&
			    cpu >= 0 && cpu <= CPULIST_MAX_CPU && grow_steal(r, cpu))
				r->steal[cpu] = steal;
			if (strncmp(s, "cpu", 3))
				break;
		}
	}
	r->throttled = 0;
	if (read_all(n, n->throttle_fd)) {
		s = strstr(n->text, "nr_throttled ");
		if (s)
			r->throttled = strtoull(s + strlen("nr_throttled "), NULL, 10);
	}
}
