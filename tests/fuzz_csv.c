/* SPDX-License-Identifier: MIT */
/*
 * fuzz_csv - what "chargeline predict --latency" does to a matrix that somebody made up
 *
 * The machine has four CPUs on two packages. A matrix that is taken leaves every hand-over with a
 * cost; one that is refused leaves the costs as they were.
 */
#include "fuzz.h"

#include "sim.h"

static struct sim_profile *machine(void)
{
	static struct sim_profile *p;
	struct sim_profile *like;
	struct topo *topo;

	if (p)
		return p;
	if (sim_profile_builtin(&like, "icx-8380", NULL) ||
	    topo_load(&topo, "Package:2 [NUMANode(memory=1GiB)] Core:2 PU:1", NULL) ||
	    sim_profile_make(&p, "fuzz", topo, &like->costs, NULL))
		abort();
	sim_profile_free(like);
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sim_profile *p = machine();
	int64_t before = sim_transfer(p, 0, 0, 3);
	struct err err = ERR_INIT;
	int i, k, rc, fd;
	char path[64];

	fd = fuzz_file(data, size, path);
	rc = sim_profile_csv(p, path, &err);
	close(fd);
	if (rc) {
		if (!*err.msg || sim_transfer(p, 0, 0, 3) != before)
			abort();
		fuzz_no_control(err.msg, strlen(err.msg));
		return 0;
	}
	for (i = 0; i < p->nr_cpus; i++)
		for (k = 0; k < p->nr_cpus; k++)
			if (i != k && sim_transfer(p, 0, i, k) <= 0)
				abort();
	return 0;
}
