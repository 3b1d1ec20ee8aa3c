/* SPDX-License-Identifier: MIT */
/* doctor_fixture.h - a folder with /sys and /proc of an invented machine, and what is found in it */
#ifndef CHARGELINE_TESTS_DOCTOR_FIXTURE_H
#define CHARGELINE_TESTS_DOCTOR_FIXTURE_H

#include "test.h"

#include <ftw.h>
#include <sys/stat.h>

#include "doctor.h"

#define NR(a) ((int)(sizeof(a) / sizeof((a)[0])))

static char tree[64];

static inline int make_tree(void **state)
{
	strcpy(tree, "/tmp/chargeline-doctor-XXXXXX");
	return mkdtemp(tree) ? 0 : -1;
}

static inline int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	return remove(path);
}

static inline int remove_tree(void **state)
{
	return nftw(tree, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void fresh_tree(void)
{
	remove_tree(NULL);
	assert_int_equal(make_tree(NULL), 0);
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, make_tree, remove_tree)

static inline void put_bytes(const char *path, const void *data, size_t size)
{
	char full[512], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", tree, path);
	for (slash = strchr(full + strlen(tree) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static inline void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

static inline struct topo *machine(const char *synthetic)
{
	struct err err = ERR_INIT;
	struct topo *t = NULL;

	assert_ok(topo_load(&t, synthetic, &err), &err);
	return t;
}

/* a test may say what the machine is; the struct is on the heap */
static inline struct topo_info *info_of(struct topo *t)
{
	return (struct topo_info *)topo_info(t);
}

/* every text is one printable line, and what is bad comes with a remedy */
static inline void assert_sane(const struct finding *f)
{
	const char *const texts[] = {f->value, f->remedy};
	const char *c;
	int i;

	assert_non_null(f->name);
	assert_true((unsigned)f->state < FINDING_NR_STATES);
	assert_true(memchr(f->value, 0, sizeof(f->value)) != NULL);
	assert_true(memchr(f->remedy, 0, sizeof(f->remedy)) != NULL);
	for (i = 0; i < 2; i++)
		for (c = texts[i]; *c; c++)
			if (*c < ' ' || *c > '~')
				fail_msg("%s: byte %d in '%s'", f->name, *c, texts[i]);
	if (f->state == FINDING_OK ? !*f->value || *f->remedy : !*f->remedy)
		fail_msg("%s is %s: value '%s', remedy '%s'", f->name,
			 finding_state_names[f->state], f->value, f->remedy);
	if (f->state != FINDING_UNKNOWN && !*f->value)
		fail_msg("%s is %s without a value", f->name, finding_state_names[f->state]);
}

static inline struct finding *examine(const struct topo *t, const char *root, int *nr)
{
	struct finding *f = NULL;
	struct err err = ERR_INIT;
	int i;

	assert_ok(doctor_examine(t, root, &f, nr, &err), &err);
	for (i = 0; i < *nr; i++)
		assert_sane(&f[i]);
	return f;
}

static inline struct finding pick(const struct finding *f, int nr, const char *name)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(f[i].name, name))
			return f[i];
	fail_msg("no check '%s'", name);
	return f[0];
}

static inline struct finding look(const struct topo *t, const char *name)
{
	int nr;
	struct finding *all = examine(t, tree, &nr), one = pick(all, nr, name);

	free(all);
	return one;
}

static inline void expect_finding(const struct finding *f, enum finding_state state,
				  const char *value, const char *remedy)
{
	if (f->state != state || !strstr(f->value, value) || !strstr(f->remedy, remedy) ||
	    (!*value && *f->value))
		fail_msg("%s is %s, '%s', '%s' instead of %s, '%s', '%s'", f->name,
			 finding_state_names[f->state], f->value, f->remedy,
			 finding_state_names[state], value, remedy);
}

/* what @name finds in the tree; value "" means there must be none */
static inline void expect(const struct topo *t, const char *name, enum finding_state state,
			  const char *value, const char *remedy)
{
	struct finding f = look(t, name);

	expect_finding(&f, state, value, remedy);
}

#endif
