/* SPDX-License-Identifier: MIT */
#include "topo_private.h"

#include <hwloc.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * The machine as this process may use it (hwloc's default, on this system also cut to the
 * affinity), and the sets of everything that is there.
 */
struct reading {
	hwloc_topology_t top;
	hwloc_bitmap_t online, all, nodes;
	const char *what; /* for sentences */
};

static int out_of_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory while reading the topology");
}

static int refused(enum input_kind kind, const char *what, struct err *err)
{
	if (kind == INPUT_XML)
		return err_set(err, -EINVAL, "'%.200s' is not a topology that hwloc %s can read",
			       what, HWLOC_VERSION);
	if (kind == INPUT_SYNTHETIC)
		return err_set(
			err, -EINVAL,
			"'%.200s' is neither a file nor a synthetic topology that hwloc accepts",
			what);
	return err_set(err, -EIO, "hwloc cannot read the topology of this system: %s",
		       strerror(errno));
}

static int read_once(hwloc_topology_t *out, enum input_kind kind, const char *text, size_t size,
		     unsigned long flags, const char *what, struct err *err)
{
	struct cpulist list = CPULIST_INIT;
	hwloc_topology_t top;
	int rc = 0;

	/* hwloc 2.9 asks the kernel until it is told: where that is refused, for ever */
	if (kind == INPUT_SYSTEM) {
		rc = system_affinity(&list, err);
		cpulist_free(&list);
		if (rc)
			return rc;
	}
	if (hwloc_topology_init(&top))
		return out_of_memory(err);
	if (kind == INPUT_XML)
		rc = hwloc_topology_set_xmlbuffer(top, text, (int)size + 1);
	else if (kind == INPUT_SYNTHETIC)
		rc = hwloc_topology_set_synthetic(top, text);
	if (!rc)
		rc = hwloc_topology_set_flags(top, flags);
	if (!rc)
		rc = hwloc_topology_load(top);
	if (rc) {
		hwloc_topology_destroy(top);
		return refused(kind, what, err);
	}
	*out = top;
	return 0;
}

/* taskset, cgroups and batch systems cut the affinity after hwloc's idea of allowed CPUs */
static int cut_to_affinity(hwloc_topology_t top, struct err *err)
{
	struct cpulist list = CPULIST_INIT;
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int i, rc;

	rc = set ? system_affinity(&list, err) : out_of_memory(err);
	if (rc)
		goto out;
	for (i = 0; i < list.nr; i++)
		if (hwloc_bitmap_set(set, list.cpu[i])) {
			rc = out_of_memory(err);
			goto out;
		}
	hwloc_bitmap_and(set, set, hwloc_topology_get_topology_cpuset(top));
	if (hwloc_bitmap_iszero(set))
		rc = err_set(err, -EOPNOTSUPP, "no online CPU is in the affinity of this process");
	else if (!hwloc_bitmap_isequal(set, hwloc_topology_get_topology_cpuset(top)) &&
		 hwloc_topology_restrict(top, set, 0))
		rc = err_set(err, -EIO, "hwloc cannot restrict the topology to the affinity: %s",
			     strerror(errno));
out:
	hwloc_bitmap_free(set);
	cpulist_free(&list);
	return rc;
}

/* is anything there that this process may not use? then hwloc has to read again without it */
static bool hides_something(hwloc_topology_t top)
{
	return !hwloc_bitmap_isequal(hwloc_topology_get_topology_cpuset(top),
				     hwloc_topology_get_allowed_cpuset(top)) ||
	       !hwloc_bitmap_isequal(hwloc_topology_get_topology_nodeset(top),
				     hwloc_topology_get_allowed_nodeset(top));
}

/* the kernel allows nobody a node that has no memory: that is no restriction of this process */
static void forget_empty_nodes(hwloc_topology_t top, hwloc_bitmap_t nodes)
{
	hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_nodeset(top);
	hwloc_obj_t obj = NULL;

	if (!hwloc_get_root_obj(top)->total_memory)
		return;
	while ((obj = hwloc_get_next_obj_by_type(top, HWLOC_OBJ_NUMANODE, obj)))
		if (!obj->attr->numanode.local_memory &&
		    !hwloc_bitmap_isset(allowed, obj->os_index))
			hwloc_bitmap_clr(nodes, obj->os_index);
}

static int read_twice(struct reading *r, enum input_kind kind, const char *text, size_t size,
		      struct err *err)
{
	int rc = read_once(&r->top, kind, text, size, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED,
			   r->what, err);

	if (rc)
		return rc;
	r->online = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(r->top));
	r->all = hwloc_bitmap_dup(hwloc_topology_get_complete_cpuset(r->top));
	r->nodes = hwloc_bitmap_dup(hwloc_topology_get_topology_nodeset(r->top));
	if (!r->online || !r->all || !r->nodes)
		return out_of_memory(err);
	forget_empty_nodes(r->top, r->nodes);
	if (!hides_something(r->top))
		return 0;
	hwloc_topology_destroy(r->top);
	r->top = NULL;
	return read_once(&r->top, kind, text, size, 0, r->what, err);
}

struct attempt {
	enum input_kind kind;
	const char *text;
	size_t size;
};

static int attempt_read(void *arg)
{
	const struct attempt *a = arg;
	struct reading r = {.what = ""};

	return read_twice(&r, a->kind, a->text, a->size, NULL);
}

static int read_machine(struct reading *r, const char *input, bool *this_system, struct err *err)
{
	enum input_kind kind = input_classify(input);
	char *xml = NULL;
	const char *text = input;
	size_t size = 0;
	int rc = 0;

	/* a bad input is told by our sentence, not by hwloc on stderr */
	setenv("HWLOC_HIDE_ERRORS", "2", 0);
	if (kind == INPUT_XML) {
		rc = input_read_xml(input, &xml, &size, err);
		text = xml;
	} else if (kind == INPUT_SYNTHETIC) {
		rc = input_check_synthetic(input, err);
	}
	if (!rc && kind != INPUT_SYSTEM)
		rc = guard_try(attempt_read, &(struct attempt){kind, text, size}, input, err);
	if (rc > 0)
		rc = refused(kind, input, err);
	r->what = input ? input : "";
	if (!rc)
		rc = read_twice(r, kind, text, size, err);
	free(xml);
	if (rc)
		return rc;
	*this_system = kind == INPUT_SYSTEM && hwloc_topology_is_thissystem(r->top) &&
		       !getenv("HWLOC_FSROOT") && !getenv("HWLOC_CPUID_PATH");
	if (*this_system)
		rc = cut_to_affinity(r->top, err);
	return rc;
}

static int bitmap_to_list(hwloc_const_bitmap_t set, struct cpulist *list)
{
	int os;

	for (os = hwloc_bitmap_first(set); os >= 0; os = hwloc_bitmap_next(set, os))
		if (cpulist_add(list, os))
			return -ENOMEM;
	return 0;
}

/* which OS numbers exist, and why some may not be used */
static int fill_states(struct topo *t, const struct reading *r, struct err *err)
{
	hwloc_const_bitmap_t usable = hwloc_topology_get_topology_cpuset(r->top);
	hwloc_bitmap_t rest = hwloc_bitmap_alloc();
	struct topo_info *info = &t->info;
	int os, rc = 0;

	t->nr_os = hwloc_bitmap_last(r->all) + 1;
	if (t->nr_os <= 0 || t->nr_os > TOPO_MAX_OS || hwloc_bitmap_last(r->nodes) < 0 ||
	    hwloc_bitmap_last(r->nodes) >= TOPO_MAX_OS) {
		hwloc_bitmap_free(rest);
		return err_set(err, -EINVAL, "'%.200s' has CPU or node numbers above %d", r->what,
			       TOPO_MAX_OS - 1);
	}
	t->state = calloc(t->nr_os, 1);
	t->by_os = malloc(sizeof(int) * t->nr_os);
	if (!t->state || !t->by_os || !rest) {
		hwloc_bitmap_free(rest);
		return out_of_memory(err);
	}
	for (os = 0; os < t->nr_os; os++) {
		t->by_os[os] = -1;
		if (hwloc_bitmap_isset(usable, os))
			t->state[os] = CPU_USABLE;
		else if (hwloc_bitmap_isset(r->online, os))
			t->state[os] = CPU_DISALLOWED;
		else if (hwloc_bitmap_isset(r->all, os))
			t->state[os] = CPU_OFFLINE;
	}
	hwloc_bitmap_andnot(rest, r->online, usable);
	rc |= bitmap_to_list(rest, &info->disallowed);
	hwloc_bitmap_andnot(rest, r->all, r->online);
	rc |= bitmap_to_list(rest, &info->offline);
	hwloc_bitmap_andnot(rest, r->nodes, hwloc_topology_get_topology_nodeset(r->top));
	rc |= bitmap_to_list(rest, &info->disallowed_nodes);
	hwloc_bitmap_free(rest);
	info->pus_disallowed = info->disallowed.nr;
	info->pus_offline = info->offline.nr;
	info->nodes_disallowed = info->disallowed_nodes.nr;
	info->restricted = info->pus_disallowed || info->nodes_disallowed;
	return rc ? out_of_memory(err) : 0;
}

/*
 * hwloc_get_next_obj_by_type() for a type that hwloc has at several depths, where its own gives up:
 * branches nest it differently, as a core that has one thread left lies below its L1 and others
 * above theirs.
 */
static hwloc_obj_t next_obj(hwloc_topology_t top, hwloc_obj_type_t type, hwloc_obj_t prev)
{
	int depth = prev ? prev->depth + 1 : 0;

	if (prev && prev->next_cousin)
		return prev->next_cousin;
	for (; depth < hwloc_topology_get_depth(top); depth++)
		if (hwloc_get_depth_type(top, depth) == type)
			return hwloc_get_obj_by_depth(top, depth, 0);
	return NULL;
}

static int count(hwloc_topology_t top, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(top, type);
	hwloc_obj_t obj = NULL;

	if (n < 0)
		for (n = 0; (obj = next_obj(top, type, obj)); n++)
			;
	return n;
}

static uint64_t largest_cache(hwloc_topology_t top, hwloc_obj_type_t type)
{
	hwloc_obj_t obj = NULL;
	uint64_t max = 0;

	while ((obj = next_obj(top, type, obj)))
		if (obj->attr->cache.size > max)
			max = obj->attr->cache.size;
	return max;
}

static void fill_counts(struct topo *t, hwloc_topology_t top)
{
	struct topo_info *info = &t->info;
	hwloc_obj_t core = NULL;
	int width;

	info->packages = count(top, HWLOC_OBJ_PACKAGE);
	info->dies = count(top, HWLOC_OBJ_DIE);
	info->numa_nodes = count(top, HWLOC_OBJ_NUMANODE);
	info->cores = count(top, HWLOC_OBJ_CORE);
	info->pus = count(top, HWLOC_OBJ_PU);
	info->l3_caches = count(top, HWLOC_OBJ_L3CACHE);
	info->l1d_bytes = largest_cache(top, HWLOC_OBJ_L1CACHE);
	info->l2_bytes = largest_cache(top, HWLOC_OBJ_L2CACHE);
	info->l3_bytes = largest_cache(top, HWLOC_OBJ_L3CACHE);
	while ((core = next_obj(top, HWLOC_OBJ_CORE, core))) {
		width = hwloc_bitmap_weight(core->cpuset);
		if (!info->smt_max || width < info->smt_min)
			info->smt_min = width;
		if (width > info->smt_max)
			info->smt_max = width;
		if (hwloc_bitmap_weight(core->complete_cpuset) > width && info->pus_offline)
			info->smt_off = true;
	}
}

static int index_of(hwloc_obj_t obj)
{
	return obj ? (int)obj->logical_index : -1;
}

static int os_of(hwloc_obj_t obj)
{
	return obj && obj->os_index <= INT_MAX ? (int)obj->os_index : -1;
}

/* what lies around CPUs, numbered in the order of the tree: depths have numbers of their own */
enum { AROUND_CORE, AROUND_PACKAGE, AROUND_DIE, AROUND_L3, AROUND_L2, NR_AROUND };

struct around {
	hwloc_topology_t top;
	int nr[NR_AROUND];
};

/* the position of the object around @pu, -1 none; -2: not one of those that were counted */
static int around(struct around *a, hwloc_obj_t pu, int what)
{
	static const hwloc_obj_type_t types[NR_AROUND] = {HWLOC_OBJ_CORE, HWLOC_OBJ_PACKAGE,
							  HWLOC_OBJ_DIE, HWLOC_OBJ_L3CACHE,
							  HWLOC_OBJ_L2CACHE};
	hwloc_obj_t obj = hwloc_get_ancestor_obj_by_type(a->top, types[what], pu);

	if (!obj)
		return -1;
	if (!obj->userdata)
		obj->userdata = (void *)(intptr_t)++a->nr[what];
	return a->nr[what] <= count(a->top, types[what]) ? (int)(intptr_t)obj->userdata - 1 : -2;
}

static bool fill_cpu(struct topo *t, struct around *a, hwloc_obj_t pu, int i)
{
	hwloc_topology_t top = a->top;
	struct topo_cpu *cpu = &t->cpus[i];
	hwloc_obj_t l1 = hwloc_get_ancestor_obj_by_type(top, HWLOC_OBJ_L1CACHE, pu);
	hwloc_obj_t l2 = hwloc_get_ancestor_obj_by_type(top, HWLOC_OBJ_L2CACHE, pu);
	int core = around(a, pu, AROUND_CORE);

	cpu->os = pu->os_index;
	cpu->core = core == -1 ? t->info.cores + i : core;
	cpu->package = around(a, pu, AROUND_PACKAGE);
	cpu->package_os = os_of(hwloc_get_ancestor_obj_by_type(top, HWLOC_OBJ_PACKAGE, pu));
	cpu->die = around(a, pu, AROUND_DIE);
	cpu->l3 = around(a, pu, AROUND_L3);
	cpu->l2 = around(a, pu, AROUND_L2);
	cpu->node = cpu->node_near = -1;
	t->raw[i].kind = -1;
	t->raw[i].l1d_bytes = l1 ? l1->attr->cache.size : 0;
	t->raw[i].l2_bytes = l2 ? l2->attr->cache.size : 0;
	t->raw[i].l2_cpus = l2 ? hwloc_bitmap_weight(l2->cpuset) : 0;
	t->by_os[cpu->os] = i;
	return core != -2 && cpu->package != -2 && cpu->die != -2 && cpu->l3 != -2 && cpu->l2 != -2;
}

/* hwloc does not check that the PUs of a file are those its sets name */
static int fill_cpus(struct topo *t, hwloc_topology_t top, struct err *err)
{
	struct around a = {.top = top};
	hwloc_obj_t pu = NULL;
	unsigned int os;
	int i = 0;

	t->nr_cpus = t->info.pus;
	t->cpus = calloc(t->nr_cpus + 1, sizeof(*t->cpus));
	t->raw = calloc(t->nr_cpus + 1, sizeof(*t->raw));
	if (!t->cpus || !t->raw)
		return out_of_memory(err);
	while ((pu = hwloc_get_next_obj_by_type(top, HWLOC_OBJ_PU, pu))) {
		os = pu->os_index;
		if (i == t->nr_cpus || os >= (unsigned int)t->nr_os || t->state[os] != CPU_USABLE ||
		    t->by_os[os] >= 0 || !fill_cpu(t, &a, pu, i++))
			return err_set(err, -EINVAL, "the topology contradicts itself at PU %u",
				       os);
	}
	if (!i || i != hwloc_bitmap_weight(hwloc_topology_get_topology_cpuset(top)))
		return err_set(err, -EINVAL, "the topology contradicts itself: it has %d of %d PUs",
			       i, hwloc_bitmap_weight(hwloc_topology_get_topology_cpuset(top)));
	return 0;
}

static uint64_t node_latency(hwloc_topology_t top, hwloc_obj_t node)
{
	struct hwloc_location from = {.type = HWLOC_LOCATION_TYPE_CPUSET};
	hwloc_uint64_t value;

	from.location.cpuset = node->cpuset;
	if (hwloc_bitmap_iszero(node->cpuset) ||
	    hwloc_memattr_get_value(top, HWLOC_MEMATTR_ID_LATENCY, node, &from, 0, &value))
		return 0;
	return value;
}

static int fill_nodes(struct topo *t, hwloc_topology_t top, struct err *err)
{
	hwloc_obj_t obj = NULL;
	struct topo_node *node;
	int i = 0, c, os;
	bool known = false;

	t->nr_nodes = t->info.numa_nodes;
	t->nodes = calloc(t->nr_nodes + 1, sizeof(*t->nodes));
	t->latency = calloc(t->nr_nodes + 1, sizeof(*t->latency));
	if (!t->nodes || !t->latency)
		return out_of_memory(err);
	while (i < t->nr_nodes &&
	       (obj = hwloc_get_next_obj_by_type(top, HWLOC_OBJ_NUMANODE, obj))) {
		node = &t->nodes[i];
		node->os = os_of(obj);
		node->memory = obj->attr->numanode.local_memory;
		known |= node->memory > 0;
		if (obj->subtype && !(node->subtype = strdup(obj->subtype)))
			return out_of_memory(err);
		t->latency[i] = node_latency(top, obj);
		for (os = hwloc_bitmap_first(obj->cpuset); os >= 0 && os < t->nr_os;
		     os = hwloc_bitmap_next(obj->cpuset, os)) {
			c = t->by_os[os];
			if (c >= 0 && (cpulist_add(&t->raw[c].local_nodes, i) ||
				       cpulist_add(&node->cpus, os)))
				return out_of_memory(err);
		}
		node->nr_cpus = node->cpus.nr;
		t->info.cpuless_nodes += !node->nr_cpus;
		t->info.memoryless_nodes += !node->memory;
		i++;
	}
	/* 0 beside nodes with memory is a node without; 0 everywhere is a reader that did not know */
	for (i = 0; i < t->nr_nodes; i++)
		t->nodes[i].memory_known = known;
	return 0;
}

/* hwloc 1 exports have no name for the matrix, so it is asked for by kind */
static int fill_distances(struct topo *t, hwloc_topology_t top, struct err *err)
{
	struct hwloc_distances_s *d;
	unsigned int nr = 1, i, j;
	int a, b, n = t->nr_nodes;

	if (hwloc_distances_get_by_type(top, HWLOC_OBJ_NUMANODE, &nr, &d,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) ||
	    !nr)
		return 0;
	t->distance = calloc((size_t)n * n + 1, sizeof(int));
	if (!t->distance) {
		hwloc_distances_release(top, d);
		return out_of_memory(err);
	}
	for (i = 0; i < d->nbobjs; i++)
		for (j = 0; j < d->nbobjs; j++) {
			a = index_of(d->objs[i]);
			b = index_of(d->objs[j]);
			if (a >= 0 && b >= 0 && a < n && b < n &&
			    d->values[i * d->nbobjs + j] <= INT_MAX)
				t->distance[a * n + b] = (int)d->values[i * d->nbobjs + j];
		}
	hwloc_distances_release(top, d);
	t->info.distances_known = true;
	return 0;
}

static const char *kind_value(struct hwloc_info_s *infos, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(infos[i].name, name))
			return infos[i].value;
	return "";
}

static int fill_kinds(struct topo *t, hwloc_topology_t top, struct err *err)
{
	int nr = hwloc_cpukinds_get_nr(top, 0), k, os, rc = 0;
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct hwloc_info_s *infos;
	struct kind_raw *kind;
	unsigned int nr_infos;

	t->raw_kinds = calloc(nr > 0 ? nr : 1, sizeof(*t->raw_kinds));
	if (!set || !t->raw_kinds)
		rc = out_of_memory(err);
	for (k = 0; !rc && k < nr; k++) {
		kind = &t->raw_kinds[t->nr_raw_kinds];
		if (hwloc_cpukinds_get_info(top, k, set, &kind->efficiency, &nr_infos, &infos, 0))
			continue;
		kind->max_mhz = atoi(kind_value(infos, nr_infos, "FrequencyMaxMHz"));
		kind->base_mhz = atoi(kind_value(infos, nr_infos, "FrequencyBaseMHz"));
		kind->capacity = atoi(kind_value(infos, nr_infos, "LinuxCapacity"));
		snprintf(kind->type, sizeof(kind->type), "%.20s",
			 kind_value(infos, nr_infos, "CoreType"));
		for (os = hwloc_bitmap_first(set); os >= 0 && os < t->nr_os;
		     os = hwloc_bitmap_next(set, os))
			if (t->by_os[os] >= 0)
				t->raw[t->by_os[os]].kind = t->nr_raw_kinds;
		t->nr_raw_kinds++;
	}
	hwloc_bitmap_free(set);
	return rc;
}

/* of the package, or where the reader puts it when there is none */
static const char *info_text(hwloc_topology_t top, const char *name)
{
	hwloc_obj_t package = hwloc_get_obj_by_type(top, HWLOC_OBJ_PACKAGE, 0);
	const char *value = package ? hwloc_obj_get_info_by_name(package, name) : NULL;

	if (!value)
		value = hwloc_obj_get_info_by_name(hwloc_get_root_obj(top), name);
	return value ? value : "";
}

static int info_number(hwloc_topology_t top, const char *name, int absent)
{
	const char *text = info_text(top, name);
	char *end;
	long v = strtol(text, &end, 0);

	return *text && !*end && v >= 0 && v <= INT_MAX ? (int)v : absent;
}

static void fill_identity(struct topo *t, hwloc_topology_t top)
{
	struct topo_info *info = &t->info;
	struct cpu_id *id = &t->id;
	size_t len;

	snprintf(info->model, sizeof(info->model), "%.120s", info_text(top, "CPUModel"));
	for (len = strlen(info->model); len && info->model[len - 1] == ' '; len--)
		info->model[len - 1] = 0;
	snprintf(info->arch, sizeof(info->arch), "%.30s", info_text(top, "Architecture"));
	snprintf(id->vendor, sizeof(id->vendor), "%.30s", info_text(top, "CPUVendor"));
	id->family = info_number(top, "CPUFamilyNumber", -1);
	id->model = info_number(top, "CPUModelNumber", -1);
	id->stepping = info_number(top, "CPUStepping", -1);
	id->implementer = info_number(top, "CPUImplementer", -1);
	id->part = info_number(top, "CPUPart", -1);
	snprintf(id->platform, sizeof(id->platform), "%.50s %.50s", info_text(top, "DMISysVendor"),
		 info_text(top, "DMIProductName"));
}

static int fill(struct topo *t, const struct reading *r, struct err *err)
{
	int rc = fill_states(t, r, err);

	if (rc)
		return rc;
	fill_counts(t, r->top);
	rc = fill_cpus(t, r->top, err);
	if (!rc)
		rc = fill_nodes(t, r->top, err);
	if (!rc)
		rc = fill_distances(t, r->top, err);
	if (!rc)
		rc = fill_kinds(t, r->top, err);
	if (!rc)
		fill_identity(t, r->top);
	return rc;
}

int topo_read(struct topo *t, const char *input, struct err *err)
{
	struct reading r = {.what = ""};
	int rc = read_machine(&r, input, &t->info.is_this_system, err);

	if (!rc)
		rc = fill(t, &r, err);
	if (r.top)
		hwloc_topology_destroy(r.top);
	hwloc_bitmap_free(r.online);
	hwloc_bitmap_free(r.all);
	hwloc_bitmap_free(r.nodes);
	return rc;
}
