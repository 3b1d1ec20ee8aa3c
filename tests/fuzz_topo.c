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
#include "fuzz.h"

#include "topo.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	struct topo *t = NULL;
	char text[512], path[64];
	int rc, fd;

	if (!size)
		return 0;
	if (data[0] != '<' && size < sizeof(text)) {
		memcpy(text, data, size);
		text[size] = 0;
		if (!access(text, F_OK))
			return 0; /* a file of this machine is not the input that was meant */
		rc = topo_load(&t, text, &err);
	} else {
		fd = fuzz_file(data, size, path);
		rc = topo_load(&t, path, &err);
		close(fd);
	}
	if (rc && (!*err.msg || strchr(err.msg, '\n') || t))
		abort();
	if (!rc)
		use(t);
	topo_free(t);
	return 0;
}
