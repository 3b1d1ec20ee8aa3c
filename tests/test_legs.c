/* SPDX-License-Identifier: MIT */
/*
 * Legs: exact matrices come back, measured ones are predicted from a fifth of their pairs.
 * The lines that begin with | are the table of docs/model.md.
 */
#include "legs.h"
#include "stats.h"
#include "test.h"

#include <math.h>

struct machine {
	struct topo *topo;
	const struct topo_cpu *cpu;
	int nr;
	double *all, *known, *rest; /* ns; 0: not there */
};

static void open_machine(struct machine *m, const char *topology)
{
	struct err err = ERR_INIT;

	assert_ok(topo_load(&m->topo, topology, &err), &err);
	m->cpu = topo_cpus(m->topo, &m->nr);
	m->all = calloc((size_t)m->nr * m->nr, sizeof(double));
	m->known = calloc((size_t)m->nr * m->nr, sizeof(double));
	m->rest = calloc((size_t)m->nr * m->nr, sizeof(double));
}

static void close_machine(struct machine *m)
{
	topo_free(m->topo);
	free(m->all);
	free(m->known);
	free(m->rest);
}

static double draw(uint64_t *rng)
{
	return (double)(stats_rng(rng) >> 11) / (1ULL << 53);
}

/* each pair by itself; one direction of it is enough */
static int deal(struct machine *m, double share, uint64_t seed)
{
	size_t cells = (size_t)m->nr * m->nr, i;
	int nr = 0;
	bool take;

	for (i = 0; i < cells; i++) {
		take = draw(&seed) < share && m->all[i] > 0;
		m->known[i] = take ? m->all[i] : 0;
		m->rest[i] = take ? 0 : m->all[i];
		nr += take;
	}
	return nr;
}

static struct legs *fit(const struct machine *m)
{
	struct err err = ERR_INIT;
	struct legs *l;

	assert_ok(legs_fit(&l, m->topo, m->known, &err), &err);
	return l;
}

/* ------------------------------------------------------------------ planted ones */

#define STAR "Package:2 [NUMANode(memory=1GiB)] L3Cache:1 Core:12 PU:2"
#define CCXS "Package:2 [NUMANode(memory=1GiB)] L3Cache:5 Core:4 PU:2"

static double planted_leg(int core)
{
	return 0.7 * ((core * 5) % 12) - 0.3 * (core % 5);
}

static double planted(const struct topo_cpu *a, const struct topo_cpu *b)
{
	int low = a->cluster < b->cluster ? a->cluster : b->cluster,
	    high = a->cluster < b->cluster ? b->cluster : a->cluster;

	if (a->core == b->core)
		return 8;
	if (a->cluster >= 0 && low == high)
		return 25 + low;
	return (a->socket != b->socket ? 130
		: a->socket	       ? 200
				       : 100) +
	       planted_leg(a->core) + planted_leg(b->core) +
	       (a->cluster >= 0 ? 2.5 * ((low * 7 + high * 4) % 6) : 0);
}

static void plant(struct machine *m)
{
	int i, k;

	for (i = 0; i < m->nr; i++)
		for (k = 0; k < i; k++)
			m->all[i * m->nr + k] = planted(&m->cpu[i], &m->cpu[k]);
}

/* the largest error over all pairs of different CPUs, both directions */
static double worst(const struct machine *m, const struct legs *l)
{
	double most = 0, error;
	int i, k;

	for (i = 0; i < m->nr; i++) {
		for (k = 0; k < m->nr; k++) {
			if (i == k)
				continue;
			error = fabs(legs_predict(l, i, k) - planted(&m->cpu[i], &m->cpu[k]));
			assert_false(isnan(error));
			most = error > most ? error : most;
		}
	}
	return most;
}

static void an_exact_star_comes_back(void **state)
{
	const struct legs_class *c;
	struct machine m;
	struct legs *l;
	double mean = 0, c_in_socket[2] = {0};
	int i, nr, dealt, fitted = 0;

	open_machine(&m, STAR);
	plant(&m);
	dealt = deal(&m, 0.25, 1);
	l = fit(&m);
	assert_true(worst(&m, l) < 1e-6);
	assert_true(legs_rms(l, m.rest, &nr) < 1e-6);
	assert_int_equal(nr, m.nr * (m.nr - 1) / 2 - dealt);
	/* legs are the planted ones less their mean, which is in c */
	assert_true(legs_has_legs(l, LEGS_SOCKET) && legs_has_legs(l, LEGS_CROSS));
	assert_false(legs_has_legs(l, LEGS_SMT));
	for (i = 0; i < 12; i++)
		mean += planted_leg(i) / 12;
	for (i = 0; i < 24; i++)
		assert_true(fabs(legs_leg(l, LEGS_SOCKET, i) - planted_leg(m.cpu[i].core) + mean) <
			    1e-6);
	c = legs_classes(l, &nr);
	assert_int_equal(nr, 5); /* siblings and others of each socket, and across */
	for (i = 0; i < nr; i++) {
		fitted += c[i].nr_pairs;
		if (c[i].kind == LEGS_SOCKET)
			c_in_socket[c[i].socket_a] = c[i].c_ns;
	}
	assert_int_equal(fitted, dealt);
	assert_true(fabs(c_in_socket[0] - 100 - 2 * mean) < 1e-6);
	legs_free(l);
	close_machine(&m);
}

static void an_exact_table_comes_back(void **state)
{
	struct machine m;
	struct legs *l;

	open_machine(&m, CCXS);
	plant(&m);
	deal(&m, 0.4, 1);
	l = fit(&m);
	assert_true(worst(&m, l) < 1e-6);
	assert_true(legs_has_table(l, LEGS_SOCKET) && legs_has_legs(l, LEGS_SOCKET));
	legs_free(l);
	close_machine(&m);
}

/* a page that moved, an interrupt: one value in each class is three times too large */
static void outliers_have_no_say(void **state)
{
	bool spoilt[2] = {false, false};
	struct machine m;
	struct legs *l;
	int i, k, across;

	open_machine(&m, STAR);
	plant(&m);
	deal(&m, 0.25, 1);
	for (i = 0; i < m.nr; i++) {
		for (k = 0; k < i; k++) {
			across = m.cpu[i].socket != m.cpu[k].socket;
			if (spoilt[across] || m.cpu[i].core == m.cpu[k].core ||
			    !m.known[i * m.nr + k])
				continue;
			m.known[i * m.nr + k] *= 3;
			spoilt[across] = true;
		}
	}
	l = fit(&m);
	assert_true(spoilt[0] && spoilt[1]);
	assert_true(worst(&m, l) < 1e-6);
	legs_free(l);
	close_machine(&m);
}

#define FLAT "Package:1 [NUMANode(memory=1GiB)] L3Cache:1 Core:24 PU:1"

static void plant_noise(struct machine *m, uint64_t seed)
{
	int i, k;

	for (i = 0; i < m->nr; i++)
		for (k = 0; k < i; k++)
			m->all[i * m->nr + k] = 50 + 6 * (draw(&seed) - 0.5);
}

/* where no core is near or far, none is said to be */
static void noise_has_no_legs(void **state)
{
	struct machine m;
	struct legs *l;
	int nr;

	open_machine(&m, FLAT);
	plant_noise(&m, 7);
	deal(&m, 0.2, 1);
	l = fit(&m);
	assert_false(legs_has_legs(l, LEGS_SOCKET));
	assert_true(legs_rms(l, m.rest, &nr) < 6 / sqrt(12) * 1.1);
	legs_free(l);
	close_machine(&m);
}

static void what_was_never_measured_has_no_prediction(void **state)
{
	struct machine m;
	struct legs *l;
	int i, nr;

	open_machine(&m, STAR);
	plant(&m);
	deal(&m, 0.3, 1);
	for (i = 0; i < m.nr * m.nr; i++)
		if (m.cpu[i / m.nr].socket != m.cpu[i % m.nr].socket)
			m.known[i] = NAN;
	l = fit(&m);
	assert_true(isnan(legs_predict(l, 0, m.nr - 1)) && isnan(legs_median(l, 0, m.nr - 1)));
	assert_true(fabs(legs_predict(l, 0, 2) - planted(&m.cpu[0], &m.cpu[2])) < 1e-6);
	memset(m.known, 0, sizeof(double) * m.nr * m.nr);
	assert_true(isnan(legs_rms(l, m.known, &nr)) && !nr);
	legs_free(l);
	close_machine(&m);
}

/* noise, where the choice is a near thing: whatever was drawn would show */
static void the_same_matrix_gives_the_same_bits(void **state)
{
	struct legs *first, *again;
	struct machine m;
	double a, b;
	int seed, i;

	open_machine(&m, FLAT);
	for (seed = 1; seed <= 30; seed++) {
		plant_noise(&m, seed);
		deal(&m, 0.3, seed);
		first = fit(&m);
		again = fit(&m);
		for (i = 0; i < m.nr * m.nr; i++) {
			a = legs_predict(first, i / m.nr, i % m.nr);
			b = legs_predict(again, i / m.nr, i % m.nr);
			assert_true(isnan(a) ? isnan(b) : !memcmp(&a, &b, sizeof(a)));
		}
		legs_free(first);
		legs_free(again);
	}
	close_machine(&m);
}

static void too_few_pairs_are_refused(void **state)
{
	struct machine m;
	struct legs *l = NULL;
	struct err err;
	int i;

	open_machine(&m, STAR);
	assert_refused(legs_fit(&l, m.topo, m.known, &err), -EINVAL,
		       "0 known pairs between 0 cores", &err);
	/* a chain: each core in two pairs, fewer than two for each */
	for (i = 2; i < m.nr; i += 2)
		m.known[i * m.nr + i - 2] = 100;
	assert_refused(legs_fit(&l, m.topo, m.known, &err), -EINVAL,
		       "23 known pairs between 24 cores: legs need 2 for each core", &err);
	assert_null(l);
	legs_free(NULL);
	close_machine(&m);
}

/* ------------------------------------------------------------------ measured ones */

static const struct file {
	const char *name;
	int sockets, cores, threads, llc; /* as in index.csv; threads that the file has */
	double limit; /* ns rms; 0: not predicted, but not made worse than by medians */
} files[] = {
	{"icx-8375c-2s32c2t", 2, 32, 2, 0, 1},	    {"icx-8360y-2s36c2t-first128", 2, 36, 2, 0, 1},
	{"clx-8275cl-2s24c2t", 2, 24, 2, 0, 1},	    {"clx-6242-2s16c2t", 2, 16, 2, 0, 1},
	{"bdx-e5-2695v4-2s18c2t", 2, 18, 2, 0, 1},  {"zen3-7r13-2s48c2t", 2, 48, 2, 8, 1.5},
	{"zen4-9454-2s48c2t", 2, 48, 2, 6, 1.5},    {"zen4-9654-2s96c1t", 2, 96, 1, 8, 1.5},
	{"zen4c-9754-1s128c1t", 1, 128, 1, 8, 1.5}, {"zen4c-9754-2s128c2t", 2, 128, 2, 8, 1.5},
	{"n1-graviton2-1s64c1t", 1, 64, 1, 0, 3},   {"v1-graviton3-1s64c1t", 1, 64, 1, 0, 3},
	{"zen3-74f3-1s24c2t", 1, 24, 2, 3, 0},	    {"zen3-7773x-1s64c2t", 1, 64, 2, 8, 0},
	{"zen3-7763-2s64c2t", 2, 64, 2, 8, 0},	    {"zen2-7742-2s64c2t", 2, 64, 2, 4, 0},
};
#define NR_FILES ((int)(sizeof(files) / sizeof(files[0])))

/* rows and columns are CPU numbers; those that the topology does not have are left out */
static void read_matrix(struct machine *m, FILE *f)
{
	int *at = malloc(sizeof(*at) * m->nr), row, col;
	char *line = malloc(64 << 10), *cell, *rest;

	for (row = 0; row < m->nr; row++)
		at[m->cpu[row].os] = row;
	for (row = 0; row < m->nr && fgets(line, 64 << 10, f); row++) {
		rest = line;
		for (col = 0; col < row && (cell = strsep(&rest, ",\r\n")); col++)
			m->all[(size_t)at[row] * m->nr + at[col]] = strtod(cell, NULL);
	}
	free(line);
	free(at);
}

/* @threads 1: only the first thread of each core, which have the lowest numbers */
static void open_file(struct machine *m, const struct file *file, int threads)
{
	int all = file->sockets * file->cores, llc = file->llc ? file->llc : file->cores;
	char path[512], topology[160], indexes[40] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/machines/%s.csv", test_shared() ? test_shared() : "",
		 file->name);
	f = fopen(path, "re");
	if (!f)
		test_skip("no %s.csv among the measured machines", file->name);
	if (threads == 2)
		snprintf(indexes, sizeof(indexes), "(indexes=2*%d:%d*1)", all, all);
	snprintf(topology, sizeof(topology),
		 "Package:%d [NUMANode(memory=1GiB)] L3Cache:%d Core:%d PU:%d%s", file->sockets,
		 file->cores / llc, llc, threads, indexes);
	open_machine(m, topology);
	read_matrix(m, f);
	fclose(f);
}

struct score {
	int fitted, held; /* of one draw */
	double legs, median;
};

/* predicted from a fifth, pooled over a few draws; each held-out pair of any class counts */
static struct score hold_out(struct machine *m, int draws)
{
	struct score s = {0};
	double legs = 0, median = 0, error;
	struct legs *l;
	int draw, i, nr = 0;

	for (draw = 1; draw <= draws; draw++) {
		s.fitted = deal(m, 0.2, draw);
		l = fit(m);
		error = legs_rms(l, m->rest, &s.held);
		legs += error * error * s.held;
		nr += s.held;
		for (i = 0; i < m->nr * m->nr; i++) {
			if (!(m->rest[i] > 0))
				continue;
			error = legs_median(l, i / m->nr, i % m->nr) - m->rest[i];
			median += error * error;
		}
		legs_free(l);
	}
	s.legs = sqrt(legs / nr);
	s.median = sqrt(median / nr);
	return s;
}

static void judge(const struct file *file, int threads)
{
	struct machine m;
	struct score s;

	open_file(&m, file, threads);
	s = hold_out(&m, m.nr > 200 ? 1 : 5);
	close_machine(&m);
	print_message("| `%s` | %s | %d | %d | %.2f | %.2f |\n", file->name,
		      threads == file->threads ? "all CPUs" : "first threads", s.fitted, s.held,
		      s.legs, s.median);
	if (file->limit && !(s.legs <= file->limit))
		fail_msg("%s: %.2f ns rms, %g allowed", file->name, s.legs, file->limit);
	if (!(s.legs < (file->limit ? 1 : 1.05) * s.median))
		fail_msg("%s: legs %.2f ns rms, the median of a class %.2f", file->name, s.legs,
			 s.median);
}

static void held_out_pairs_are_predicted(void **state)
{
	const struct file *file = *state;

	judge(file, file->threads);
	if (file->threads == 2 && file->limit)
		judge(file, 1);
}

/* the c of a kind; both sockets of LEGS_SOCKET, one each */
static void find_c(const struct legs *l, double socket[2], double *cross)
{
	const struct legs_class *c;
	int nr, i;

	c = legs_classes(l, &nr);
	for (i = 0; i < nr; i++) {
		if (c[i].kind == LEGS_SOCKET)
			socket[c[i].socket_a] = c[i].c_ns;
		else if (c[i].kind == LEGS_CROSS)
			*cross = c[i].c_ns;
	}
}

/* EPYC: in the socket without the home a pair costs what it costs across, about twice a pair of the
 * other: two classes of one star, and what tells them apart is where the line lives */
static void the_home_socket_decides(void **state)
{
	static const char *const names[] = {"zen3-7r13-2s48c2t", "zen4-9454-2s48c2t",
					    "zen4c-9754-2s128c2t", "zen2-7742-2s64c2t"};
	double socket[2], cross = NAN, near, away;
	struct machine m;
	struct legs *l;
	int i, k;

	for (i = 0; i < 4; i++) {
		for (k = 0; strcmp(files[k].name, names[i]); k++)
			;
		open_file(&m, &files[k], 1);
		deal(&m, 0.2, 1);
		l = fit(&m);
		find_c(l, socket, &cross);
		near = fmin(socket[0], socket[1]);
		away = fmax(socket[0], socket[1]);
		print_message("%s: c %.1f at the home, %.1f in the other socket, %.1f across\n",
			      names[i], near, away, cross);
		assert_true(away / near > 1.7 && away / near < 2.2);
		assert_true(fabs(away / cross - 1) < 0.03);
		legs_free(l);
		close_machine(&m);
	}
}

int main(void)
{
	static const struct CMUnitTest planted_tests[] = {
		cmocka_unit_test(an_exact_star_comes_back),
		cmocka_unit_test(an_exact_table_comes_back),
		cmocka_unit_test(outliers_have_no_say),
		cmocka_unit_test(noise_has_no_legs),
		cmocka_unit_test(what_was_never_measured_has_no_prediction),
		cmocka_unit_test(the_same_matrix_gives_the_same_bits),
		cmocka_unit_test(too_few_pairs_are_refused),
		cmocka_unit_test(the_home_socket_decides),
	};
	struct CMUnitTest measured_tests[NR_FILES];
	int i;

	for (i = 0; i < NR_FILES; i++)
		measured_tests[i] = (struct CMUnitTest){.name = files[i].name,
							.test_func = held_out_pairs_are_predicted,
							.initial_state = (void *)&files[i]};
	i = run_tests(planted_tests);
	return run_tests(measured_tests) || i;
}
