/* SPDX-License-Identifier: MIT */
#include "store_private.h"

static int none(struct err *err)
{
	return err_set(err, -EOPNOTSUPP,
		       "this chargeline has no result store: it was built without libsqlite3");
}

int store_open(struct store **out, const char *path, bool writable, struct err *err)
{
	return none(err);
}

void store_close(struct store *s)
{
}

const char *store_path(const struct store *s)
{
	return "";
}

int store_put(struct store *s, const struct store_run *runs, int nr, int *nr_new, struct err *err)
{
	return none(err);
}

int store_list(struct store *s, const struct store_filter *f, store_take *take, void *ctx,
	       struct err *err)
{
	return none(err);
}

int store_read(struct store *s, const struct store_filter *f, store_take *take, void *ctx,
	       struct err *err)
{
	return none(err);
}

int store_no_match(struct store *s, const struct store_filter *f, struct err *err)
{
	return none(err);
}
