/* SPDX-License-Identifier: MIT */
/* what topo_load() says to files and strings that are no topology: one sentence, no crash */
#include "topo_machines.h"

#include <errno.h>
#include <fcntl.h>

static char *temp_file(const char *text, size_t size)
{
	static char path[64];
	int fd;

	strcpy(path, "/tmp/chargeline-XXXXXX.xml");
	fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), (ssize_t)size);
	close(fd);
	return path;
}

static void refuse_text(const char *text, const char *part)
{
	char *path = temp_file(text, strlen(text));
	struct err err = ERR_INIT;
	struct topo *t = NULL;

	assert_refused(topo_load(&t, path, &err), -EINVAL, part, &err);
	assert_null(t);
	assert_null(strchr(err.msg, '\n'));
	unlink(path);
}

static void bad_files(void **state)
{
	struct err err = ERR_INIT;
	struct topo *t = NULL;
	char *path;

	assert_refused(topo_load(&t, "/nowhere/x.xml", &err), -ENOENT, "/nowhere/x.xml", &err);
	assert_refused(topo_load(&t, "absent.xml", &err), -ENOENT, "absent.xml", &err);
	assert_refused(topo_load(&t, "/tmp", &err), -EINVAL, "is a directory", &err);
	assert_refused(topo_load(&t, "/dev/zero", &err), -EINVAL, "device", &err);
	refuse_text("", "is empty");
	refuse_text("hello", "no <topology>");
	refuse_text("<?xml version=\"1.0\"?>\n<html><p/></html>", "not an hwloc topology");
	refuse_text("<topology version=\"2.0\"></topology>", "not a topology that hwloc");
	refuse_text("<topology version=\"2.0\"><object type=\"Machine\"", "truncated");
	refuse_text("<topology version=\"2.0\"><object type=\"Machine\">", "truncated");
	refuse_text("<topology version=\"3.0\"></topology>", "hwloc 3");
	refuse_text("<!DOCTYPE topology SYSTEM \"hwloc3.dtd\">\n<topology></topology>", "hwloc 3");
	refuse_text("<!DOCTYPE t [<!ENTITY a \"b\">]><topology>&a;</topology>", "not");
	refuse_text("<topology><object type=\"PU\" os_index=\"4294967295\"/></topology>",
		    "without a number");
	refuse_text("<topology><object type=\"PU\"/></topology>", "without a number");
	refuse_text("<topology><<<<</topology>", "well-formed");
	refuse_text("</topology><topology>", "not");
	path = temp_file("<topology>\0</topology>", 22);
	assert_refused(topo_load(&t, path, &err), -EINVAL, "NUL", &err);
	assert_int_equal(truncate(path, 100 << 20), 0);
	assert_refused(topo_load(&t, path, &err), -EFBIG, "100 MiB", &err);
	unlink(path);
	assert_null(t);
}

/* every prefix of a good file, in steps: one sentence each, no crash */
static void truncated_anywhere(void **state)
{
	char text[16384], *path;
	struct err err = ERR_INIT;
	struct topo *t = NULL;
	size_t size, cut;
	FILE *f = fopen(OWN_XML("slow-memory-16t"), "re");

	assert_non_null(f);
	size = fread(text, 1, sizeof(text), f);
	fclose(f);
	for (cut = 0; cut < size - 2; cut += 97) {
		path = temp_file(text, cut);
		assert_int_equal(topo_load(&t, path, &err), -EINVAL);
		assert_true(*err.msg);
		unlink(path);
	}
}

/* hwloc crashes on some damaged files; that must not be our end */
static void damaged_anywhere(void **state)
{
	static const char *const values[] = {"0x0", "0xf...f", "", "-1", "PU", "Machine", "1"};
	char text[16384], damaged[sizeof(text) + 64], *path, *quote, *end;
	struct err err = ERR_INIT;
	struct topo *t;
	size_t size, i = 0;
	FILE *f = fopen(OWN_XML("no-local-8t"), "re");

	assert_non_null(f);
	size = fread(text, 1, sizeof(text) - 1, f);
	text[size] = 0;
	fclose(f);
	for (quote = strstr(text, "<object"); (quote = strstr(quote, "=\"")); quote = end, i++) {
		end = strchr(quote + 2, '"');
		if (i % 3)
			continue;
		size = snprintf(damaged, sizeof(damaged), "%.*s%s%s", (int)(quote + 2 - text), text,
				values[i / 3 % (sizeof(values) / sizeof(values[0]))], end);
		path = temp_file(damaged, size);
		t = NULL;
		if (topo_load(&t, path, &err))
			assert_true(*err.msg);
		topo_free(t);
		unlink(path);
	}
	assert_true(i > 50);
}

static void bad_synthetic(void **state)
{
	static const struct {
		const char *input, *part;
	} rows[] = {
		{"", "empty"},
		{"nonsense", "neither a file"},
		{"Package:2 [NUMANode(memory=1MB)] PU:2", "decimal unit in '1MB': write MiB"},
		{"Package:2 L3Cache:1(size=25gb) PU:2", "write GiB"},
		{"Package:2 L3Cache:1(size=25kB) PU:2", "write KiB"},
		{"Package:2 [NUMANode(memory=99999999999GiB)] PU:2", "1024 TiB"},
		{"PU:2147483648", "more than 8192 PUs"},
		{"Package:65536 Core:65536 PU:2", "more than 8192 PUs"},
		{"Package:99999999999999999999 PU:99999999999", "more than 8192 PUs"},
		{"Package:2 Core:4096 PU:1", "too many objects"},
		{"Package:0 PU:2", "no level"},
		{"Package:2 PU:", "no level"},
		{"Package:2 PU:2(indexes=0", "not closed"},
		{"Foo:2 PU:2", "neither a file nor"},
		{"PU:2 Core:2", "neither a file nor"},
		{"[NUMANode(memory=1GiB)]", "no level"},
		{"Package:2\nPU:2", "neither a file"},
		{"P\xc3\xa4"
		 "ckage:2 PU:2",
		 "neither a file"},
	};
	struct err err = ERR_INIT;
	struct topo *t = NULL;
	char deep[600] = "";
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_refused(topo_load(&t, rows[i].input, &err), -EINVAL, rows[i].part, &err);
	for (i = 0; i < 60; i++)
		strcat(deep, "Group:1 ");
	strcat(deep, "PU:1");
	assert_refused(topo_load(&t, deep, &err), -EINVAL, "levels", &err);
	assert_null(t);
	assert_int_equal(topo_load(&t, "nonsense", NULL), -EINVAL);
}

/* the largest that is taken must be read in reasonable time: the limits say so, this measures it */
static void largest_synthetic(void **state)
{
	struct topo *t = load("Package:64 L3Cache:4 L2Cache:8 Core:1 PU:4");

	assert_int_equal(topo_info(t)->pus, TOPO_MAX_PUS);
	topo_free(t);
}

int main(void)
{
	const struct CMUnitTest topo_input[] = {
		cmocka_unit_test(bad_files),	     cmocka_unit_test(truncated_anywhere),
		cmocka_unit_test(damaged_anywhere),  cmocka_unit_test(bad_synthetic),
		cmocka_unit_test(largest_synthetic),
	};

	return run_tests(topo_input);
}
