/* Cycles that a criterion forbids.

   An order of whole transactions forbids all. Snapshot isolation forbids those in which no two
   edges rw follow each other: those of a graph in which each node stands twice, which is not made;
   `step` walks through it. */

typedef struct {
    Kernel *k;
    bool twice;
    u32 size;        /* of one copy */
    u32 kinds;       /* a bit for each kind that may be used */
    const u8 *inside; /* the nodes that may be used; NULL: all */
} View;

typedef struct {
    u32 edge;   /* in `out_edges` */
    u8 copy;    /* of the target */
} Place;

static void arrange_edges(Kernel *k)
{
    u32 size = k->nodes, edges = (u32)k->edges.size;
    give_back(k->out_first);
    give_back(k->out_edges);
    k->out_first = k->out_edges = NULL;
    k->out_first = cleared(k, (size_t)size + 3, sizeof(u32));
    k->out_edges = taken(k, NULL, (size_t)edges * sizeof(u32) + 1);
    u32 *at = k->out_first + 1;
    for (u32 i = 0; i < edges; i++)
        at[k->edges.at[i].source + 1]++;
    for (u32 i = 1; i <= size; i++)
        at[i] += at[i - 1];
    for (u32 i = 0; i < edges; i++)
        k->out_edges[at[k->edges.at[i].source]++] = i;
}

static Place first_place(const View *v, u32 node)
{
    return (Place){v->k->out_first[node >= v->size ? node - v->size : node], 0};
}

/* Finds the next edge of a node and its target; returns false behind the last one. */
static inline bool step(const View *v, u32 node, Place *place, u32 *edge, u32 *target)
{
    const Kernel *k = v->k;
    bool second = node >= v->size;
    u32 end = k->out_first[(second ? node - v->size : node) + 1];
    while (place->edge < end) {
        u32 found = k->out_edges[place->edge];
        u8 kind = k->kinds.at[found];
        bool may = kind == PASSING || v->kinds >> kind & 1;
        if (v->twice)
            may = may && second == (kind == RW);
        if (!may) {
            place->edge++;
            continue;
        }
        u32 to = k->edges.at[found].target + (place->copy ? v->size : 0);
        if (v->twice && kind != RW && kind != PASSING && !place->copy)
            place->copy = 1;
        else {
            place->copy = 0;
            place->edge++;
        }
        if (v->inside && !v->inside[to])
            continue;
        *edge = found;
        *target = to;
        return true;
    }
    return false;
}

static u32 nodes_of(const View *v)
{
    return v->twice ? 2 * v->size : v->size;
}

typedef struct {
    u32 *nodes;   /* of the parts with cycles, one part behind the other */
    u32 *ends;
    u32 count;
} Parts;

typedef struct {
    u32 node;
    Place place;
} Visit;

/* Returns the strongly connected components that contain a cycle (R. Tarjan, 1972); the one that
   is left first stands first. With `any` the first one alone is of interest. */
static Parts cyclic_parts(const View *v, bool any)
{
    Kernel *k = v->k;
    u32 size = nodes_of(v), number = 1;
    u32 *order = cleared(k, (size_t)size + 1, sizeof(u32)); /* 0: new; NONE: left */
    u32 *low = taken(k, NULL, (size_t)size * sizeof(u32) + 1);
    LIST(u32) stack = {0};
    LIST(Visit) todo = {0};
    LIST(u32) nodes = {0};
    LIST(u32) ends = {0};
    for (u32 root = 0; root < size && !(any && ends.size); root++) {
        if (order[root] || (v->inside && !v->inside[root]))
            continue;
        if (root % 65536 == 0)
            look_at_stop(k);
        order[root] = low[root] = number++;
        ADD(k, stack, root);
        ADD(k, todo, ((Visit){root, first_place(v, root)}));
        while (todo.size) {
            Visit *visit = &todo.at[todo.size - 1];
            u32 node = visit->node, edge, target;
            if (step(v, node, &visit->place, &edge, &target)) {
                if (!order[target]) {
                    order[target] = low[target] = number++;
                    ADD(k, stack, target);
                    ADD(k, todo, ((Visit){target, first_place(v, target)}));
                } else if (order[target] < low[node])
                    low[node] = order[target];
                continue;
            }
            todo.size--;
            if (todo.size && low[node] < low[todo.at[todo.size - 1].node])
                low[todo.at[todo.size - 1].node] = low[node];
            if (low[node] != order[node])
                continue;
            size_t from = stack.size;
            while (stack.at[--from] != node)
                ;
            bool is_cyclic = stack.size - from > 1;
            Place place = first_place(v, node);
            while (!is_cyclic && step(v, node, &place, &edge, &target))
                is_cyclic = target == node;
            for (size_t i = stack.size; i-- > from;) {
                order[stack.at[i]] = NONE;
                if (is_cyclic)
                    ADD(k, nodes, stack.at[i]);
            }
            if (is_cyclic)
                ADD(k, ends, (u32)nodes.size);
            stack.size = from;
        }
    }
    give_back(order);
    give_back(low);
    RELEASE(stack);
    RELEASE(todo);
    return (Parts){nodes.at, ends.at, (u32)ends.size};
}

static void forget(Parts *parts)
{
    give_back(parts->nodes);
    give_back(parts->ends);
}

static bool has_cycle(const View *v)
{
    Parts parts = cyclic_parts(v, true);
    bool found = parts.count > 0;
    forget(&parts);
    return found;
}

/* Short cycles. */

typedef struct {
    u32 *before;      /* the edge by which a node was reached */
    u32 *from;        /* and the node that it leaves */
    u32 *mark;        /* by which search */
    u32 search;
    LIST(u32) layer, later;
    LIST(u32) path;   /* the edges of the best cycle, the last one first */
    u32 length;
} Search;

static bool passes(const View *v, u32 node)
{
    Place place = first_place(v, node);
    u32 edge, target;
    return step(v, node, &place, &edge, &target) && v->k->kinds.at[edge] == PASSING;
}

/* Looks for a cycle through a node that is shorter than the best one; part says which nodes may be
   used. */
static void search_from(Search *s, const View *v, u32 start, const u32 *part, u32 number)
{
    Kernel *k = v->k;
    s->search++;
    s->layer.size = 0;
    ADD(k, s->layer, start);
    for (u32 depth = 1; s->layer.size && depth < s->length; depth++) {
        s->later.size = 0;
        for (size_t i = 0; i < s->layer.size; i++) { /* which grows by nodes that pass edges on */
            u32 node = s->layer.at[i], edge, target;
            Place place = first_place(v, node);
            while (step(v, node, &place, &edge, &target)) {
                if (part[target] != number)
                    continue;
                if (target == start) {
                    s->path.size = 0;
                    ADD(k, s->path, edge);
                    for (u32 at = node; at != start; at = s->from[at])
                        ADD(k, s->path, s->before[at]);
                    s->length = depth;
                    return;
                }
                if (s->mark[target] == s->search)
                    continue;
                s->mark[target] = s->search;
                s->before[target] = edge;
                s->from[target] = node;
                if (passes(v, target))
                    ADD(k, s->layer, target);
                else
                    ADD(k, s->later, target);
            }
        }
        u32 *at = s->layer.at;
        size_t room = s->layer.room;
        s->layer.at = s->later.at;
        s->layer.size = s->later.size;
        s->layer.room = s->later.room;
        s->later.at = at;
        s->later.room = room;
    }
}

#define MOST_STARTS 400

static int ascending(const void *a, const void *b)
{
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}

/* Looks for a short cycle within a part; the shortest one if that is not large. */
static bool shortest_cycle(Search *s, const View *v, u32 *nodes, u32 count, u32 *part, u32 number)
{
    u32 starts = 0;
    for (u32 i = 0; i < count; i++)
        part[nodes[i]] = number;
    qsort(nodes, count, sizeof(u32), ascending);
    for (u32 i = 0; i < count; i++)
        if (!passes(v, nodes[i]))
            nodes[starts++] = nodes[i];
    u32 stride = starts / MOST_STARTS > 1 ? starts / MOST_STARTS : 1;
    s->length = NONE;
    for (u32 i = 0; i < starts; i += stride) {
        search_from(s, v, nodes[i], part, number);
        look_at_stop(v->k);
        if (s->length != NONE && s->length <= 2)
            break;
    }
    return s->length != NONE;
}

/* Keeps a cycle, with edges from transaction to transaction. */
static void keep_cycle(Kernel *k, const Search *s)
{
    size_t size = s->path.size, begin = size;
    k->cycle.size = k->cycle_kinds.size = 0;
    while (k->kinds.at[s->path.at[begin - 1]] == PASSING)
        begin--;
    for (size_t i = 0; i < size; i++) {
        u32 edge = s->path.at[(begin + size - 1 - i) % size];
        if (k->kinds.at[edge] == PASSING)
            k->cycle.at[k->cycle.size - 1].target = k->edges.at[edge].target;
        else {
            ADD(k, k->cycle, k->edges.at[edge]);
            ADD(k, k->cycle_kinds, k->kinds.at[edge]);
        }
    }
}

typedef struct {
    u32 size, number;
} Sized;

static int smaller(const void *a, const void *b)
{
    const Sized *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool cycle_of(Search *s, const View *v, bool of_whole)
{
    Kernel *k = v->k;
    Parts parts = cyclic_parts(v, false);
    bool found = false;
    if (parts.count) {
        u32 *part = cleared(k, nodes_of(v), sizeof(u32));
        Sized *sizes = taken(k, NULL, parts.count * sizeof(Sized));
        for (u32 i = 0; i < parts.count; i++)
            sizes[i] = (Sized){parts.ends[i] - (i ? parts.ends[i - 1] : 0), i};
        qsort(sizes, parts.count, sizeof(Sized), smaller);
        for (u32 i = 0; i < (of_whole ? 1 : parts.count) && !found; i++) {
            u32 number = sizes[i].number, begin = number ? parts.ends[number - 1] : 0;
            found = shortest_cycle(s, v, parts.nodes + begin, sizes[i].size, part, number + 1);
        }
        give_back(part);
        give_back(sizes);
    }
    forget(&parts);
    return found;
}

/* Keeps a short cycle of as plain kinds as there are; returns whether there is one. */
static bool clearest_cycle(Kernel *k, bool twice)
{
    View view = {k, twice, k->nodes, UINT32_MAX, NULL};
    Parts whole = cyclic_parts(&view, false);
    if (!whole.count) {
        forget(&whole);
        return false;
    }
    u32 size = nodes_of(&view);
    u8 *inside = cleared(k, (size_t)size + 1, 1);
    for (u32 i = 0; i < whole.ends[whole.count - 1]; i++)
        inside[whole.nodes[i]] = 1;
    forget(&whole);
    view.inside = inside;
    Search search = {0};
    search.before = taken(k, NULL, (size_t)size * sizeof(u32));
    search.from = taken(k, NULL, (size_t)size * sizeof(u32));
    search.mark = cleared(k, size, sizeof(u32));
    const u32 clearest[] = {1u << WW, 1u << WW | 1u << WR, 1u << WW | 1u << WR | 1u << RW,
                            1u << WW | 1u << WR | 1u << RW | 1u << SESSION, UINT32_MAX};
    bool found = false;
    for (int i = 0; i < 5 && !found; i++) {
        view.kinds = clearest[i];
        if (i == 4)
            view.inside = NULL;
        found = cycle_of(&search, &view, i == 4);
    }
    if (found)
        keep_cycle(k, &search);
    give_back(search.before);
    give_back(search.from);
    give_back(search.mark);
    RELEASE(search.layer);
    RELEASE(search.later);
    RELEASE(search.path);
    give_back(inside);
    return found;
}
