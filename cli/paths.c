/* SPDX-License-Identifier: MIT */
#include "inputs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add(struct paths *p, char *path)
{
	char **grown = p->nr & (p->nr - 1)
			       ? p->path
			       : realloc(p->path, sizeof(*grown) * (p->nr ? 2 * (size_t)p->nr : 1));

	if (grown)
		p->path = grown;
	if (!grown || !path) {
		free(path);
		return -ENOMEM;
	}
	p->path[p->nr++] = path;
	return 0;
}

static int is_result(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return *e->d_name != '.' && len > 5 && !strcmp(e->d_name + len - 5, ".json");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct paths *p, const char *dir, struct err *err)
{
	size_t len = strlen(dir);
	struct dirent **entry;
	int nr = scandir(dir, &entry, is_result, by_name), i, rc = 0;
	char *path;

	if (nr < 0)
		return err_set(err, -errno, "cannot read the folder '%.200s': %s", dir,
			       strerror(errno));
	for (i = 0; i < nr; i++) {
		if (!rc) {
			if (asprintf(&path, "%s%s%s", dir, dir[len - 1] == '/' ? "" : "/",
				     entry[i]->d_name) < 0)
				path = NULL;
			rc = add(p, path);
		}
		free(entry[i]);
	}
	free(entry);
	if (rc)
		return err_set(err, rc, "out of memory");
	return nr ? 0 : err_set(err, -ENOENT, "the folder '%.200s' has no *.json file", dir);
}

int paths_expand(struct paths *out, char *const *args, int nr, struct err *err)
{
	struct stat st;
	int i, rc = 0;

	*out = (struct paths){0};
	for (i = 0; i < nr && !rc; i++) {
		if (!stat(args[i], &st) && S_ISDIR(st.st_mode))
			rc = add_folder(out, args[i], err);
		else if (add(out, strdup(args[i])))
			rc = err_set(err, -ENOMEM, "out of memory");
	}
	if (rc)
		paths_free(out);
	return rc;
}

void paths_free(struct paths *p)
{
	int i;

	for (i = 0; i < p->nr; i++)
		free(p->path[i]);
	free(p->path);
	*p = (struct paths){0};
}
