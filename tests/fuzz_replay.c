/* SPDX-License-Identifier: MIT */
/*
 * fuzz_replay - a fuzz target over files, without libFuzzer: what was found once stays found
 *
 * usage: fuzz_TARGET FOLDER
 *
 * TAP, a case for each file of the folder. A target that finds something aborts; a folder without
 * files is a failure.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>

static void replay(const char *folder, const char *name, int nr)
{
	char *path = NULL, *data = NULL;
	size_t size = 0;
	FILE *in;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		abort();
	in = fopen(path, "re");
	if (!in || (getdelim(&data, &size, EOF, in) < 0 && !feof(in))) {
		printf("not ok %d - %s: %s\n", nr, name, strerror(errno));
	} else {
		LLVMFuzzerTestOneInput((const uint8_t *)data, (size_t)ftell(in));
		printf("ok %d - %s\n", nr, name);
	}
	fflush(stdout);
	if (in)
		fclose(in);
	free(data);
	free(path);
}

static int is_file(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **file = NULL;
	int i, nr = argc == 2 ? scandir(argv[1], &file, is_file, alphasort) : -1;

	for (i = 0; i < nr; i++) {
		replay(argv[1], file[i]->d_name, i + 1);
		free(file[i]);
	}
	free(file);
	printf("1..%d\n", nr > 0 ? nr : 0);
	return nr > 0 ? 0 : 1;
}
