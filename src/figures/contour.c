/* Marching squares: in each cell of the lattice the corners above the level say which edges the curve crosses; where it
 * crosses is linear interpolation. Two cells share an edge, so an edge is linked to at most two others, and following
 * the links gives whole curves. */
#include "figures/lattice.h"

/* Edges of a cell: below, right, above, left. Bits of a case: corners (column, row) (0,0), (1,0), (1,1), (0,1). */
enum { BELOW, RIGHT, ABOVE, LEFT, NONE };

static const unsigned char segments[16][4] = {
    {NONE, NONE, NONE, NONE},   {LEFT, BELOW, NONE, NONE},   {BELOW, RIGHT, NONE, NONE},  {LEFT, RIGHT, NONE, NONE},
    {RIGHT, ABOVE, NONE, NONE}, {LEFT, ABOVE, BELOW, RIGHT}, {BELOW, ABOVE, NONE, NONE},  {LEFT, ABOVE, NONE, NONE},
    {ABOVE, LEFT, NONE, NONE},  {ABOVE, BELOW, NONE, NONE},  {LEFT, BELOW, RIGHT, ABOVE}, {ABOVE, RIGHT, NONE, NONE},
    {RIGHT, LEFT, NONE, NONE},  {RIGHT, BELOW, NONE, NONE},  {BELOW, LEFT, NONE, NONE},   {NONE, NONE, NONE, NONE},
};

/* Edge 2 v runs from lattice point v to the next column, edge 2 v + 1 to the next row. */
struct links {
    size_t to[2]; /* edge + 1; 0: none */
};

struct tracer {
    const double *f;
    size_t n;
    double level;
    struct links *links; /* (2 n n) */
    contour_visit *visit;
    void *context;
};

static size_t cell_edge(size_t corner, unsigned char side, size_t n)
{
    const size_t edges[] = {
        [BELOW] = 2 * corner, [RIGHT] = 2 * (corner + 1) + 1, [ABOVE] = 2 * (corner + n), [LEFT] = 2 * corner + 1};
    return edges[side];
}

static void link_edges(struct links *links, size_t a, size_t b)
{
    links[a].to[links[a].to[0] != 0] = b + 1;
    links[b].to[links[b].to[0] != 0] = a + 1;
}

static void link_cell(const struct tracer *t, size_t corner)
{
    const double f[4] = {t->f[corner], t->f[corner + 1], t->f[corner + t->n + 1], t->f[corner + t->n]};
    unsigned int bits = 0;
    for (unsigned int i = 0; i < 4; i++) bits |= (unsigned int)(f[i] > t->level) << i;
    /* A saddle: two ways to join four crossings. The middle decides, and the other way is the other saddle's. */
    if ((bits == 5 || bits == 10) && (f[0] + f[1] + f[2] + f[3]) / 4 <= t->level) bits ^= 15;
    for (size_t s = 0; s < 4 && segments[bits][s] != NONE; s += 2)
        link_edges(t->links, cell_edge(corner, segments[bits][s], t->n),
                   cell_edge(corner, segments[bits][s + 1], t->n));
}

static void visit_edge(const struct tracer *t, size_t edge, bool first)
{
    const size_t from = edge / 2, to = edge % 2 ? from + t->n : from + 1;
    const double share = (t->level - t->f[from]) / (t->f[to] - t->f[from]);
    const double column = (double)(from % t->n), row = (double)(from / t->n);
    t->visit(t->context, column + (edge % 2 ? 0 : share), row + (edge % 2 ? share : 0), first);
}

/* Follows a curve from one of its edges and takes its links away, so that it is met once. */
static void follow(const struct tracer *t, size_t edge)
{
    visit_edge(t, edge, true);
    for (;;) {
        struct links *here = &t->links[edge];
        const size_t slot = here->to[0] ? 0 : 1;
        if (!here->to[slot]) return;
        const size_t next = here->to[slot] - 1;
        struct links *there = &t->links[next];
        here->to[slot] = 0;
        there->to[there->to[0] == edge + 1 ? 0 : 1] = 0;
        visit_edge(t, next, false);
        edge = next;
    }
}

kelvin_status kelvin_contour_trace(contour_visit *visit, void *context, const double *f, size_t n, double level)
{
    struct tracer t = {f, n, level, kelvin_alloc(2 * n * n, sizeof *t.links), visit, context};
    if (!t.links) return KELVIN_ENOMEM;
    for (size_t row = 0; row + 1 < n; row++)
        for (size_t column = 0; column + 1 < n; column++) link_cell(&t, row * n + column);
    /* Open curves from their ends first; what is left then is closed. */
    for (int links = 1; links <= 2; links++)
        for (size_t edge = 0; edge < 2 * n * n; edge++)
            if ((t.links[edge].to[0] != 0) + (t.links[edge].to[1] != 0) == links) follow(&t, edge);
    kelvin_free(t.links);
    return KELVIN_OK;
}
