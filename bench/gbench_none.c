/* SPDX-License-Identifier: MIT */
#include "bench.h"

int gbench_main(const struct topo *topo, const struct plan *plan, int argc, char **argv,
		struct err *err)
{
	return err_set(err, -EOPNOTSUPP,
		       "this chargeline was built without libbenchmark (libbenchmark-dev, "
		       "google-benchmark-devel; meson option gbench); 'chargeline run' measures "
		       "the same cases");
}

const char *gbench_version(void)
{
	return NULL;
}

bool gbench_option(int i, const char **name, const char **arg, const char **help)
{
	return false;
}
