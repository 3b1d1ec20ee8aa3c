/* SPDX-License-Identifier: MIT */
/*
 * fuzz_topo - what "chargeline topo --input" does to a text that somebody made up
 *
 * The first byte chooses: a synthetic string, or an XML file. What loads is placed on and printed,
 * so that every reader of the loaded machine runs too. Built with clang only:
 *
 *   ninja -C build tests/fuzz_topo
 *   build/tests/fuzz_topo -max_total_time=60 CORPUS tests/topologies
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "topo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct topo *t)
{
	static const char *const specs[] = {"cores-first",  "compact", "scatter",      "one-socket",
					    "cross-socket", "one-l3",  "smt-siblings", "kind-0"};
	struct cpulist cpus = CPULIST_INIT;
	char note[200];
	size_t i;
	int node;

	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (topo_place(t, specs[i], 0, &cpus, NULL))
			continue;
		if (cpus.nr < 1 || !topo_cpu_by_os(t, cpus.cpu[0]))
			abort();
		topo_home(t, "local", &cpus, &node, note, sizeof(note), NULL);
		topo_home(t, "farthest", &cpus, &node, note, sizeof(note), NULL);
	}
	cpulist_free(&cpus);
}

static int load_file(struct topo **t, const uint8_t *data, size_t size, struct err *err)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), rc = -EIO;
	char path[64];

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		rc = topo_load(t, path, err);
	} else {
		err_set(err, rc, "no memory file");
	}
	close(fd);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	struct topo *t = NULL;
	char text[512];
	int rc;

	if (!size)
		return 0;
	if (data[0] != '<' && size < sizeof(text)) {
		memcpy(text, data, size);
		text[size] = 0;
		if (!access(text, F_OK))
			return 0; /* a file of this machine is not the input that was meant */
		rc = topo_load(&t, text, &err);
	} else {
		rc = load_file(&t, data, size, &err);
	}
	if (rc && (!*err.msg || strchr(err.msg, '\n') || t))
		abort();
	if (!rc)
		use(t);
	topo_free(t);
	return 0;
}
