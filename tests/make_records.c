/* SPDX-License-Identifier: MIT */
/*
 * make_records - result files for the page's test: NARROW of a small machine with hostile names in
 * it, WIDE of 160 CPUs with all that a page can show
 */
#include "matrix_fixture.h"

#include "topo_map.h"

#define SERVICE_NS 40.0
#define EVIL	   "<script>alert(1)</script>"

/* a rate of P / (1 + P x 2 updates / batch x service time): one line that all share */
static void lawful(struct results *r, double slower)
{
	int64_t work, batch, layout;
	double p;
	int i, k;

	for (i = 0; i < r->nr_cases; i++) {
		if (!result_param(&r->cases[i], "batch", &batch))
			continue;
		result_param(&r->cases[i], "work_ns", &work);
		result_param(&r->cases[i], "layout", &layout);
		p = r->cases[i].nr_workers / (work + 3.0);
		p = 1e9 * p / (1 + p * (layout ? 2 : 3) / batch * SERVICE_NS) * slower;
		for (k = 0; k < r->cases[i].nr_samples; k++) {
			r->cases[i].samples[k].rate = p * (1 + 0.03 * (k % 3));
			r->cases[i].samples[k].metrics[0] = 2.0 / batch;
		}
	}
}

static void save(struct results *r, const char *folder, const char *name)
{
	struct err err = ERR_INIT;
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_ok(results_save(r, path, &err), &err);
	results_free(r);
}

static struct results *narrow(void)
{
	static const int batches[] = {8, 32, 64, 127, 128, 256, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	int i;

	s.layouts = synth_all_layouts;
	s.workers = synth_some_workers;
	s.batches = batches;
	s.blocks = 7;
	r = synth_results(&s);
	lawful(r, 1);
	synth_set(&r->machine.hostname, EVIL);
	synth_set(&r->machine.model, "model \"'&" EVIL);
	synth_set(&r->note, "a | b `c` " EVIL);
	results_add_warning(r, "warning " EVIL);
	synth_set(&r->machine.map, "package 0  a map ``` " EVIL "\n\n  of two\tlines\n");
	synth_finding(r, EVIL, "warning", EVIL, EVIL);
	for (i = 0; i < r->nr_cases; i++)
		synth_set(&r->cases[i].placement, "cores-first " EVIL);
	return r;
}

static void wide_pairs(struct results *r, int cores)
{
	int a, b, room = 1;

	/* add_pair() grows at powers of two */
	while (room < r->nr_cases)
		room *= 2;
	r->cases = realloc(r->cases, room * sizeof(*r->cases));
	assert_non_null(r->cases);
	for (a = 0; a < 2 * cores; a++)
		for (b = 0; b < 2 * cores; b++)
			if (a != b) {
				add_pair(r, "cas", "local", a, b, planted_relation(cores, a, b));
				add_windows(r, planted_ns(cores, a, b));
			}
}

/* as "chargeline topo" draws two sockets of 40 cores */
static void draw_map(struct results *r)
{
	struct topo *topo = NULL;
	struct err err = ERR_INIT;
	size_t size;
	FILE *to;

	free(r->machine.map);
	to = open_memstream(&r->machine.map, &size);
	assert_ok(topo_load(&topo, "Package:2 [NUMANode(memory=256GiB)] L3:1 Core:40 PU:2", &err),
		  &err);
	assert_int_equal(topo_map_body(topo, to), 0);
	fclose(to);
	topo_free(topo);
}

static struct results *wide(bool compact)
{
	static const int workers[] = {1, 2, 4, 8, 16, 32, 64, 128, 160, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	int i;

	s.layouts = synth_all_layouts;
	s.workers = workers;
	s.blocks = 7;
	r = synth_results(&s);
	for (i = 0; workers[i] > 0; i++)
		synth_limit(r, workers[i], 7, SERVICE_NS);
	lawful(r, compact ? 0.8 : 1);
	for (i = 0; compact && i < r->nr_cases; i++)
		synth_set(&r->cases[i].placement, "compact");
	synth_set(&r->machine.class_name, "icx-2s40c2t-2n");
	synth_set(&r->started, compact ? "2026-11-30T13:00:00Z" : "2026-11-30T12:00:00Z");
	r->machine.packages = r->machine.numa_nodes = r->machine.l3_caches = 2;
	r->machine.cores = 80;
	r->machine.pus = 160;
	r->machine.smt_max = 2;
	draw_map(r);
	if (!compact)
		wide_pairs(r, 80);
	return r;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_records FOLDER\n");
		return 2;
	}
	save(narrow(), argv[1], "narrow.json");
	save(wide(false), argv[1], "wide.json");
	save(wide(true), argv[1], "wide-compact.json");
	return 0;
}
