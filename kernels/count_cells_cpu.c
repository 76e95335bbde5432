/* count_cells on the CPU; contract in count_cells.h. */
#include "count_cells.h"

#include "cpu_util.h"

int count_cells_cpu(const struct strips *s, struct cell_counts *out, struct exec *x)
{
    uint64_t inside = 0, active = 0, inner = 0;
#pragma omp parallel for num_threads(x->threads) reduction(+ : inside, active, inner)
    for (size_t first = 0; first < s->count; first += CPU_PIECE) {
        const size_t last = cpu_piece_end(x, first, s->count);
        for (size_t i = first; i < last; i++) {
            inside += popcount32(s->inside[i]);
            inner += MC_INNER_PAIR * popcount32(s->inner[i]);
            const struct strip_corners c = strip_cells(s, i, strip_locate(s, i));
            active += popcount32(strip_active(&c));
        }
    }
    if (exec_is_cancelled(x)) return 0;
    out->inside = inside;
    out->active = active;
    out->inner = inner;
    return 0;
}
