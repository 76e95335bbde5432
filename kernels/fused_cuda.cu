/* fused on CUDA. Contract in fused.h.
 * Run: isoscope ladder fused --bench --backend cuda
 *
 * After Parallel Marching Blocks (Liu et al. 2016): skip by brick, and finish a brick where it is read. Row words as in
 * the ballot rung of classify. Deliberately absent: an order of bricks, which needs a scan.
 *
 * A warp prepares a brick: it reads the voxels, finds what is crossed, and notes what to make. The four warps of a
 * block then make all noted vertices or triangles together, a thread each, so a full brick does not hold up its warp.
 * They reserve space in the mesh together too: additions to one number take 1.2 ns each for all blocks, and one for
 * each of the 160 thousand bricks of a CT of 1024^3 took longer than all else.
 *
 * Times: H200, bonsai CT at 40.5, uint8, 256^3 (7243 of 32768 bricks active) and enlarged: 39 us, 109 us for 512^3, 420
 * us for 1024^3; the stages take 109 us, 355 us and 1.8 ms. Of the 39 us, cull takes 2, vertices 19, triangles 15; 2
 * are the wait for the second launch, which takes the host longer than the GPU needs for cull. At 256^3 some 1800
 * blocks are hardly two rounds of what fits at once, so the time of one block counts: bricks at the volume's border,
 * read voxel by voxel, once delayed the launch by 10 us, and dense bricks that began last by 4. At 1024^3 the GPU
 * issues some 60 % of its peak in vertices, which wait for voxels, and 73 % in triangles; some 800 and 770 instructions
 * per brick and warp.
 *
 * Tried and dropped: a warp or a block per brick throughout (690 us and 1.06 ms at 1024^3: additions); two or three
 * warps per block (49, 45 us); fetching the next brick early (spills); 48 registers in vertices (45 us: spills);
 * starting triangles when their own bricks are ready, by flags (41 us, but 121 for 512^3: each flag waits for all
 * stores before it); interleaving the bricks of the list as they are found (51 us: dense ones end up together); a
 * ticket per block to find the last; one CUDA graph for all three (2 us less: not worth a second way to launch). */
#include "cuda_util.cuh"
#include "fused.h"
#include "fused_cuda_brick.cuh"
#include "mc_cells.cuh"

#include <cuda_runtime.h>

enum {
    ROWS = BRICK_Y * BRICK_Z, /* rows of 32 voxels that a brick owns */
    TOUCHED = SPAN * SPAN,
    WORDS = 3 * ROWS, /* words of crossed edges: x, y, z of each row */
    BLOCK_WARPS = 4,  /* each prepares its own brick; they share what follows */
    BLOCK = BLOCK_WARPS * WARP,
    HEAD_LINE = 256, /* bytes of the state: what follows starts on its own line */
};

#define NO_SLOT 0xffffffffu

/* What a brick leaves for the triangles, its own and its neighbours'. Row j + 4 k is voxel row y + j, z + k.
 *
 *    number of the vertex on the edge of `axis` of voxel `lane`:  first + popc(bits before axis) + popc(bits below lane) */
struct record {
    uint4 row[ROWS];       /* crossed edges along x, y, z; number of the row's first vertex */
    uint32_t inside[WARP]; /* touched row j + 5 k: its 32 voxels; [TOUCHED]: bit r is voxel 32 of row r */
};

struct active_brick {
    uint32_t x, y, z, number;
}; /* position in bricks; bricks are numbered in 32 bits */

/* Counters shared by the blocks; all 0 between runs, so nothing needs clearing first. High bits of `bricks`: the heavy
 * ones; of `triangles`: the blocks that have reserved all of theirs. */
struct state {
    uint64_t bricks, vertices, triangles;
};

struct fused_memory { /* scratch */
    struct state *state;
    uint32_t *heavy;           /* [bricks / 32], a bit each: had many vertices in the previous run */
    struct record *record;     /* [capacity] */
    struct active_brick *list; /* [capacity]: heavy ones from the back, others from the front */
    uint32_t *slot_of;         /* [bricks] */
};

ISO_FN size_t heavy_bytes(const struct bricks *b) /* rounded to align what follows */
{
    return (b->nx * b->ny * b->nz + 8 * HEAD_LINE - 1) / (8 * HEAD_LINE) * HEAD_LINE;
}

static __device__ __forceinline__ struct fused_memory memory_of(const struct fused_desc *d)
{
    struct fused_memory m;
    m.state = (struct state *)d->scratch;
    m.heavy = (uint32_t *)((char *)d->scratch + HEAD_LINE);
    m.record = (struct record *)((char *)m.heavy + heavy_bytes(&d->bricks));
    m.list = (struct active_brick *)(m.record + d->brick_capacity);
    m.slot_of = (uint32_t *)(m.list + d->brick_capacity);
    return m;
}

static size_t scratch_bytes(const struct bricks *b, uint64_t capacity, const struct exec *x)
{
    (void)x;
    return scratch_round(HEAD_LINE + heavy_bytes(b) + capacity * (sizeof(struct record) + sizeof(struct active_brick)) +
                         b->nx * b->ny * b->nz * sizeof(uint32_t));
}

/* ---- launches ------------------------------------------------------------------------------------------------------ */

/* If the GPU can, it sets up the blocks of a launch while the previous one still runs; they wait here for its end. */
static __device__ __forceinline__ void wait_for_launch_before(void)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

static __device__ __forceinline__ void let_next_launch_begin(void)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Reserve space for n items, by one thread; return where it begins. The answer takes long and is awaited only where it
 * is used: the compiler would combine the additions of a warp, which is one here, and wait at once. */
static __device__ __forceinline__ uint64_t reserve(uint64_t *counter, uint64_t n)
{
    uint64_t base;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;" : "=l"(base) : "l"(counter), "l"(n) : "memory");
    return base;
}

/* ---- cull ---------------------------------------------------------------------------------------------------------- */

/* Find the active bricks and give them slots. Bricks with many vertices start first, from their own part of the list,
 * at its end: no launch then ends waiting for a few of them. The previous run tells which; most stay heavy while a
 * value is dragged. */
static __global__ void __launch_bounds__(THREADS) cull(struct fused_desc d)
{
    __shared__ uint32_t before[THREADS / WARP]; /* active bricks in the warps before: heavy ones << 16 | others */
    __shared__ uint64_t base;
    const struct fused_memory m = memory_of(&d);
    const uint32_t nx = (uint32_t)d.bricks.nx, ny = (uint32_t)d.bricks.ny;
    const size_t bricks = d.bricks.nx * d.bricks.ny * d.bricks.nz;
    const unsigned lane = lane_index(), warp = threadIdx.x / WARP;
    let_next_launch_begin();
    for (size_t first = (size_t)blockIdx.x * THREADS; first < bricks; first += thread_count()) {
        const size_t i = first + threadIdx.x;
        const uint32_t marks = i - lane < bricks ? m.heavy[i / WARP] : 0;
        const bool active = i < bricks && brick_state_of(d.bricks.range[i], d.iso) == BRICK_ACTIVE;
        const bool marked = marks >> lane & 1;
        const uint32_t all = __ballot_sync(WARP_ALL, active), heavy = all & marks, others = all & ~marks;
        if (marks && lane == 0) m.heavy[i / WARP] = 0;
        const uint32_t below = (1u << lane) - 1, number = (uint32_t)i;
        if (lane == 0) before[warp] = popcount32(heavy) << 16 | popcount32(others);
        __syncthreads();
        if (threadIdx.x == 0) {
            uint32_t total = 0;
            for (unsigned w = 0; w < THREADS / WARP; w++) {
                const uint32_t own = before[w];
                before[w] = total;
                total += own;
            }
            if (total) base = reserve(&m.state->bricks, (uint64_t)(total >> 16) << 32 | (total & 0xffff));
        }
        __syncthreads();
        const uint64_t slot = marked ? (base >> 32) + (before[warp] >> 16) + popcount32(heavy & below)
                                     : (uint32_t)base + (before[warp] & 0xffff) + popcount32(others & below);
        const bool kept = active && slot < d.brick_capacity;
        const uint32_t index = (uint32_t)(marked ? d.brick_capacity - 1 - slot : slot);
        if (kept) m.list[index] = { number % nx, number / nx % ny, number / nx / ny, number };
        if (i < bricks) m.slot_of[i] = kept ? index : NO_SLOT;
        __syncthreads(); /* before the next bricks */
    }
}

/* ---- a block and its bricks ---------------------------------------------------------------------------------------- */

/* The number of bricks in the list. */
struct bricks_used {
    uint32_t heavy, all;
};

static __device__ __forceinline__ struct bricks_used bricks_used(const struct fused_memory *m, uint64_t capacity)
{
    const uint64_t bricks = m->state->bricks, heavy = bricks >> 32, all = heavy + (uint32_t)bricks;
    return { (uint32_t)(heavy < capacity ? heavy : capacity), (uint32_t)(all < capacity ? all : capacity) };
}

/* Return the slot of the brick for a warp's turn, heavy ones first; NO_SLOT if there are no more. The warps of a block
 * take bricks from all over the list: neighbours in it are neighbours in the volume, and equally dense. */
static __device__ __forceinline__ uint32_t slot_of_turn(const struct bricks_used *used, uint64_t capacity, uint32_t turn,
                                                        uint32_t turns, unsigned warp)
{
    const uint32_t i = turn + warp * turns;
    return i < used->heavy ? (uint32_t)capacity - 1 - i : i < used->all ? i - used->heavy : NO_SLOT;
}

static __device__ __forceinline__ struct brick_pos brick_pos_of(const struct fused_desc *d, struct active_brick brick)
{
    struct brick_pos p;
    p.at = { brick.x * BRICK_X, brick.y * BRICK_Y, brick.z * BRICK_Z };
    p.n = { (uint32_t)d->grid.nx, (uint32_t)d->grid.ny, (uint32_t)d->grid.nz };
    p.whole = p.at.x + BRICK_X < p.n.x && p.at.y + BRICK_Y < p.n.y && p.at.z + BRICK_Z < p.n.z;
    p.interior = p.at.x && p.at.y && p.at.z && p.at.x + BRICK_X + 1 < p.n.x && p.at.y + BRICK_Y + 1 < p.n.y &&
                 p.at.z + BRICK_Z + 1 < p.n.z;
    return p;
}

struct shares {
    uint32_t of[BLOCK_WARPS];
}; /* how much each warp of the block has */

static __device__ __forceinline__ uint32_t shares_before(const struct shares *s, unsigned warp)
{
    uint32_t before = 0;
#pragma unroll
    for (unsigned w = 0; w < BLOCK_WARPS; w++)
        if (w < warp) before += s->of[w];
    return before;
}

static __device__ __forceinline__ uint32_t warp_prefix(uint32_t value, uint32_t *total)
{
    uint32_t sum = value;
#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        const uint32_t below = __shfl_up_sync(WARP_ALL, sum, step);
        if (lane_index() >= step) sum += below;
    }
    *total = __shfl_sync(WARP_ALL, sum, WARP - 1);
    return sum - value;
}

static __device__ __forceinline__ uint32_t first_bits(uint32_t n) { return n >= WARP ? WARP_ALL : (1u << n) - 1; }

/* ---- vertices: words and notes ------------------------------------------------------------------------------------- */

enum {
    NOTE_WORD = 5,
    NOTE_WARP = 11,                    /* a note: voxel | word << NOTE_WORD | warp << NOTE_WARP */
    PART_VERTICES = 256 * BLOCK_WARPS, /* noted at a time; few blocks have more */
    HEAVY_VERTICES = 192,              /* a tenth of the CT's bricks at 40.5 have more */
};

template <enum voxel_type T> struct vertex_work { /* of a warp */
    struct brick_voxels<T> voxels;
    uint32_t inside[WARP];              /* as in the record */
    uint32_t bits[WORDS], first[WORDS]; /* [row + ROWS * axis]: crossed edges along it; vertices before them */
    struct brick_pos pos;
};

template <enum voxel_type T> struct block_vertices {
    struct vertex_work<T> warp[BLOCK_WARPS];
    struct shares shares;
    uint64_t base; /* number of the block's first vertex */
    uint16_t note[PART_VERTICES];
};

/* Find the inside words of the touched rows, and the column of voxels 32. */
template <enum voxel_type T>
static __device__ __forceinline__ void find_inside(struct vertex_work<T> *work, float iso, const struct brick_pos *p)
{
    typedef struct brick_voxels<T> voxels_t;
    const unsigned lane = lane_index(), j = lane % SPAN, k = lane / SPAN;
    const typename voxel<T>::type *value = work->voxels.value + voxels_t::ORIGIN;
    const typename bar<T>::type bar = bar_of<T>(iso);
    if (T == VOXEL_FLOAT32) {
#pragma unroll
        for (unsigned r = 0; r < TOUCHED; r++) {
            const bool inside = value[r / SPAN * voxels_t::LAYER + r % SPAN * voxels_t::PITCH + lane] >= bar;
            const uint32_t word = __ballot_sync(WARP_ALL, inside);
            if (lane == 0) work->inside[r] = word; /* keeping each in its lane would take a predicate per row */
        }
    } else if (lane < TOUCHED) work->inside[lane] = row_inside<T>(&work->voxels, lane, iso);
    bool beyond = lane < TOUCHED && value[k * voxels_t::LAYER + j * voxels_t::PITCH + WARP] >= bar;
    if (!p->whole) {
        const bool here = p->at.y + j < p->n.y && p->at.z + k < p->n.z;
        __syncwarp();
        if (lane < TOUCHED) work->inside[lane] = here ? work->inside[lane] & first_bits(p->n.x - p->at.x) : 0;
        beyond = beyond && here && p->at.x + WARP < p->n.x;
    }
    const uint32_t column = __ballot_sync(WARP_ALL, beyond);
    if (lane == 0) work->inside[TOUCHED] = column;
}

/* Find the crossed edges of the owned rows, a lane each, and the vertices before them; *total: all vertices. */
template <enum voxel_type T>
static __device__ __forceinline__ uint4 find_edges(struct vertex_work<T> *work, const struct brick_pos *p, uint32_t *total)
{
    const unsigned lane = lane_index(), j = lane % BRICK_Y, k = lane / BRICK_Y, r = j + SPAN * k;
    uint4 e = { 0, 0, 0, 0 };
    if (lane < ROWS) {
        const uint32_t word = work->inside[r], column = work->inside[TOUCHED];
        e.x = word ^ (word >> 1 | (column >> r & 1) << (WARP - 1));
        e.y = word ^ work->inside[r + 1];
        e.z = word ^ work->inside[r + SPAN];
        if (!p->whole) {
            const bool here = p->at.y + j < p->n.y && p->at.z + k < p->n.z;
            e.x = here ? e.x & first_bits(p->n.x - 1 - p->at.x) : 0;
            if (!here || p->at.y + j + 1 >= p->n.y) e.y = 0; /* past nx both words are 0 */
            if (!here || p->at.z + k + 1 >= p->n.z) e.z = 0;
        }
    }
    const uint32_t x = popcount32(e.x), y = popcount32(e.y);
    e.w = warp_prefix(x + y + popcount32(e.z), total);
    if (lane < ROWS) {
        work->bits[lane] = e.x, work->first[lane] = e.w;
        work->bits[lane + ROWS] = e.y, work->first[lane + ROWS] = e.w + x;
        work->bits[lane + 2 * ROWS] = e.z, work->first[lane + 2 * ROWS] = e.w + x + y;
    }
    return e;
}

/* Note the warp's vertices. The first is number `first` of the current part; vertices outside the part are skipped. */
template <enum voxel_type T>
static __device__ __forceinline__ void note_vertices(struct block_vertices<T> *block, unsigned warp, uint32_t first)
{
    const struct vertex_work<T> *work = &block->warp[warp];
    for (unsigned w = lane_index(); w < WORDS; w += WARP) {
        uint32_t i = work->first[w] + first;
        for (uint32_t bits = work->bits[w]; bits; bits &= bits - 1, i++)
            if (i < PART_VERTICES) block->note[i] = (uint16_t)((__ffs(bits) - 1) | w << NOTE_WORD | warp << NOTE_WARP);
    }
}

/* ---- vertices: one by one ------------------------------------------------------------------------------------------ */

/* Store 16 bytes at once; the mesh is aligned to that. */
static __device__ __forceinline__ void store_vertex(struct vertex *to, struct vertex v)
{
    *(uint4 *)to = { __float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), v.normal };
}

/* Write the first `count` noted vertices. */
template <enum voxel_type T>
static __device__ __forceinline__ void write_vertices(struct vertex *out, const void *voxels, float iso, float margin,
                                                      const struct block_vertices<T> *block, uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += BLOCK) {
        const unsigned note = block->note[i], lane = note % WARP, w = note >> NOTE_WORD & 63, axis = w / ROWS;
        const unsigned j = w % BRICK_Y, k = w % ROWS / BRICK_Y;
        const struct vertex_work<T> *work = &block->warp[note >> NOTE_WARP];
        const struct brick_pos *p = &work->pos;
        const uint3 at = { p->at.x + lane, p->at.y + j, p->at.z + k };
        if (p->interior || (at.x && at.y && at.z && at.x + (axis == 0) + 1 < p->n.x && at.y + (axis == 1) + 1 < p->n.y &&
                            at.z + (axis == 2) + 1 < p->n.z))
            store_vertex(out + i, brick_vertex<T>(&work->voxels, iso, margin, p->at, lane, j, k, axis));
        else store_vertex(out + i, border_vertex<T>(&work->voxels, voxels, iso, margin, p->n, at, axis));
    }
}

/* 56 registers let nine blocks run at once; with fewer, values that live across calls spill. For float32, shared memory
 * allows six. */
template <enum voxel_type T> static __global__ void __maxnreg__(T == VOXEL_FLOAT32 ? 80 : 56) vertices(struct fused_desc d)
{
    __shared__ struct block_vertices<T> block;
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    struct vertex_work<T> *work = &block.warp[warp];
    const struct fused_memory m = memory_of(&d);
    wait_for_launch_before();
    const struct bricks_used used = bricks_used(&m, d.brick_capacity);
    const uint32_t turns = (used.all + BLOCK_WARPS - 1) / BLOCK_WARPS;
    const bool by_units = has_units<T>(&d.grid);
    let_next_launch_begin();

    for (uint32_t turn = blockIdx.x; turn < turns; turn += gridDim.x) {
        const uint32_t slot = slot_of_turn(&used, d.brick_capacity, turn, turns, warp);
        uint32_t own = 0; /* vertices */
        uint4 edges = { 0, 0, 0, 0 };
        if (slot != NO_SLOT) {
            const struct active_brick brick = m.list[slot];
            const struct brick_pos p = brick_pos_of(&d, brick);
            if (by_units) load_units<T>(&work->voxels, d.grid.voxels, &p);
            else load_voxels<T>(&work->voxels, d.grid.voxels, p);
            if (lane == 0) work->pos = p;
            __syncwarp();
            find_inside<T>(work, d.iso, &p);
            __syncwarp();
            edges = find_edges<T>(work, &p, &own);
            if (lane == 0 && own >= HEAVY_VERTICES) atomicOr(&m.heavy[brick.number / WARP], 1u << brick.number % WARP);
        } else {
            for (unsigned w = lane; w < WORDS; w += WARP) work->bits[w] = 0;
        }
        if (lane == 0) block.shares.of[warp] = own;
        __syncthreads();
        const uint32_t before = shares_before(&block.shares, warp), total = shares_before(&block.shares, BLOCK_WARPS);
        uint64_t reserved = 0;
        if (threadIdx.x == 0) reserved = reserve(&m.state->vertices, total);
        note_vertices<T>(&block, warp, before);
        if (slot != NO_SLOT) m.record[slot].inside[lane] = work->inside[lane];
        if (threadIdx.x == 0) block.base = reserved;
        __syncthreads();
        const uint64_t base = block.base;
        if (slot != NO_SLOT && lane < ROWS)
            m.record[slot].row[lane] = { edges.x, edges.y, edges.z, (uint32_t)base + before + edges.w };
        const bool capacity = base + total <= d.vertex_capacity; /* else count only */
        for (uint32_t begin = 0; begin < total && capacity; begin += PART_VERTICES) {
            if (begin) {
                __syncthreads();
                note_vertices<T>(&block, warp, before - begin);
                __syncthreads();
            }
            const uint32_t count = total - begin < PART_VERTICES ? total - begin : (uint32_t)PART_VERTICES;
            write_vertices<T>(d.mesh.vertices + base + begin, d.grid.voxels, d.iso, d.grid.margin, &block, count);
        }
        __syncthreads(); /* before the next bricks */
    }
}

/* ---- triangles ----------------------------------------------------------------------------------------------------- */

enum {
    CELL_TURNS = 4, /* of 32 cells each that a warp looks up before the block writes: all, for most bricks */
    PART_CELLS = CELL_TURNS * WARP,
    CELL_ROW = 5,
    CELL_BITS = 10, /* a cell: voxel | touched row << CELL_ROW */
    EDGE_BITS = 12, /* three cube edges */
    TRIANGLE_WARP = CELL_BITS + EDGE_BITS,
    OPEN_SHIFT = 16, /* a number of noted triangles | one of open cells' << OPEN_SHIFT; a block has at most 7168 of these */
    ENTRIES_NEXT = 3 * TOUCHED * 8, /* bytes from an entry to that of the brick past voxel 31 */
    HALF = WARP / 2,
};

struct __align__(8) edge_entry { uint32_t bits, first; };  /* vertex at `lane`: number first + popc(bits below lane) */
struct __align__(8) edge_offset { uint32_t bytes, next; }; /* from a row's first entry to an edge's; 1: of the next voxel */

struct triangle_work {                       /* of a warp */
    struct edge_entry entry[2][TOUCHED * 3]; /* [voxels 0 to 31, or 32][3 * touched row + axis] */
    uint2 inside[TOUCHED];                   /* 33 bits of each touched row */
    uint16_t cell[ROWS * WARP];              /* the active ones */
    uint3 brick;                             /* its first voxel */
};

struct block_triangles {
    struct triangle_work warp[BLOCK_WARPS];
    struct shares shares;
    uint64_t base;                                              /* number of the block's first triangle */
    struct edge_offset offset[12];                              /* of each cube edge */
    uint32_t note[BLOCK_WARPS * PART_CELLS * MC_MAX_TRIANGLES]; /* cell | edges << CELL_BITS | warp << TRIANGLE_WARP */
};

static __device__ __forceinline__ struct edge_offset edge_offset_of(unsigned edge)
{
    const unsigned rows = mc_edge_dy(edge) + SPAN * mc_edge_dz(edge);
    return { (3 * rows + mc_edge_axis(edge)) * (uint32_t)sizeof(struct edge_entry), mc_edge_dx(edge) };
}

static __device__ __forceinline__ void keep_row(struct edge_entry *entry, uint4 row)
{
    const uint32_t along_y = row.w + popcount32(row.x);
    entry[0] = { row.x, row.w };
    entry[1] = { row.y, along_y };
    entry[2] = { row.z, along_y + popcount32(row.y) };
}

/* Load the edges of touched row r into lane r, from the record of the brick that owns it, here and past voxel 31. Where
 * no brick is active no edge is crossed, and the entry is never used. */
static __device__ __forceinline__ void load_rows(struct triangle_work *work, const struct fused_desc *d,
                                                 const struct fused_memory *m, struct active_brick brick)
{
    const uint32_t nx = (uint32_t)d->bricks.nx, ny = (uint32_t)d->bricks.ny, nz = (uint32_t)d->bricks.nz;
    const unsigned r = lane_index(), j = r % SPAN, k = r / SPAN, dy = j / BRICK_Y, dz = k / BRICK_Z;
    if (r >= TOUCHED) return;
    uint32_t slot[2];
    uint4 row[2] = { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } };
#pragma unroll
    for (unsigned dx = 0; dx < 2; dx++)
        slot[dx] = brick.x + dx < nx && brick.y + dy < ny && brick.z + dz < nz
                       ? m->slot_of[brick.number + dx + (dy + dz * ny) * nx]
                       : NO_SLOT;
#pragma unroll
    for (unsigned dx = 0; dx < 2; dx++)
        if (slot[dx] != NO_SLOT) row[dx] = m->record[slot[dx]].row[k % BRICK_Z * BRICK_Y + j % BRICK_Y];
    keep_row(&work->entry[0][3 * r], row[0]);
    keep_row(&work->entry[1][3 * r], row[1]);
}

/* List the active cells; lanes take half rows. Return their number. */
static __device__ __forceinline__ uint32_t list_cells(struct triangle_work *work, const struct brick_pos *p)
{
    const unsigned lane = lane_index(), row = lane / 2, begin = lane % 2 * HALF;
    const unsigned j = row % BRICK_Y, k = row / BRICK_Y, r = j + SPAN * k;
    uint32_t any = 0, all = ~0u;
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const uint2 bits = work->inside[r + q % 2 + q / 2 * SPAN];
        const uint32_t piece = __funnelshift_r(bits.x, bits.y, begin);
        any |= piece;
        all &= piece;
    }
    uint32_t active = (any | any >> 1) & ~(all & all >> 1) & ((1u << HALF) - 1);
    if (!p->whole) {
        const bool here = p->at.y + j + 1 < p->n.y && p->at.z + k + 1 < p->n.z;
        active = here ? active & first_bits(p->n.x - 1 - p->at.x) >> begin : 0;
    }
    uint32_t total;
    uint16_t *to = work->cell + warp_prefix(popcount32(active), &total);
    for (; active; active &= active - 1) *to++ = (uint16_t)((__ffs(active) - 1 + begin) | r << CELL_ROW);
    return total;
}

/* Return the case of a cell. */
static __device__ __forceinline__ unsigned case_of(const uint2 *inside, unsigned cell)
{
    unsigned index = 0;
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const uint2 bits = inside[(cell >> CELL_ROW) + q % 2 + q / 2 * SPAN];
        index |= (__funnelshift_r(bits.x, bits.y, cell % WARP) & 3) << 2 * q;
    }
    return index;
}

struct cells {
    uint64_t packed[CELL_TURNS]; /* their triangles as in the table, or as below */
    unsigned at[CELL_TURNS];
}; /* of a lane */

/* An open cell (mc_tables.h): MC_PACKED_OPEN | its first vertex inside << OPEN_INNER | its subcase. */
enum { OPEN_INNER = 10 };

static __device__ __forceinline__ bool is_open(uint64_t packed) { return packed >= MC_PACKED_OPEN; }

static __device__ __forceinline__ const struct mc_subcase *subcase_of(const struct mc_tables *tables, uint64_t packed)
{
    return &tables->subcase[packed & ((1u << OPEN_INNER) - 1)];
}

/* Find the subcase of an open cell, and make the vertices inside it. Out of line: such cells are few. Their voxels lie
 * in a cache, since the vertices of the brick have just been made from them. */
static __device__ __noinline__ uint64_t resolve(const struct fused_desc *d, struct state *state, uint3 brick, unsigned cell,
                                                unsigned index)
{
    const unsigned r = cell >> CELL_ROW;
    const uint32_t x = brick.x + cell % WARP, y = brick.y + r % SPAN, z = brick.z + r / SPAN;
    const struct grid g = d->grid;
    const unsigned number = mc_cell(d->tables, &g, d->iso, ((size_t)z * g.ny + y) * g.nx + x, index);
    uint64_t base = 0;
    if (d->tables->subcase[number].inner) {
        base = reserve(&state->vertices, MC_INNER_PAIR);
        for (unsigned k = 0; k < MC_INNER_PAIR && base + MC_INNER_PAIR <= d->vertex_capacity; k++)
            store_vertex(&d->mesh.vertices[base + k], inner_of(g, d->iso, d->tables, x, y, z, number, MC_INNER + k));
        __threadfence(); /* before this block says that it has reserved all */
    }
    return MC_PACKED_OPEN | (base & UINT32_MAX) << OPEN_INNER | number;
}

/* Find the subcases of a lane's open cells. One loop for all turns: the lanes of a warp then wait for each other about
 * once, not once a turn. */
static __device__ __forceinline__ unsigned resolve_cells(struct cells *c, const struct triangle_work *work,
                                                         const struct fused_desc *d, struct state *state)
{
    unsigned todo = 0, triangles = 0;
#pragma unroll
    for (unsigned turn = 0; turn < CELL_TURNS; turn++) todo |= (unsigned)is_open(c->packed[turn]) << turn;
    for (; todo; todo &= todo - 1) {
        const unsigned which = __ffs(todo) - 1;
        unsigned at = 0;
#pragma unroll
        for (unsigned turn = 0; turn < CELL_TURNS; turn++) at = turn == which ? c->at[turn] : at;
        const uint64_t packed = resolve(d, state, work->brick, at, case_of(work->inside, at));
        triangles += subcase_of(d->tables, packed)->triangles;
#pragma unroll
        for (unsigned turn = 0; turn < CELL_TURNS; turn++) c->packed[turn] = turn == which ? packed : c->packed[turn];
    }
    return triangles;
}

/* Look up the listed cells [first, end); return the number of triangles of this lane's, without those of open cells. */
static __device__ __forceinline__ unsigned look_up_cells(struct cells *c, const struct triangle_work *work, uint32_t first,
                                                         uint32_t end, const struct mc_tables *tables)
{
    unsigned triangles = 0;
#pragma unroll
    for (unsigned turn = 0; turn < CELL_TURNS; turn++) {
        const uint32_t i = first + turn * WARP + lane_index();
        c->packed[turn] = 0;
        if (i < end) {
            c->at[turn] = work->cell[i];
            c->packed[turn] = tables->packed[case_of(work->inside, c->at[turn])];
            if (!is_open(c->packed[turn])) triangles += (unsigned)(c->packed[turn] >> 60);
        }
    }
    return triangles;
}

static __device__ __forceinline__ void note_triangles(uint32_t *note, const struct cells *c, unsigned warp)
{
#pragma unroll
    for (unsigned turn = 0; turn < CELL_TURNS; turn++) {
        uint64_t packed = c->packed[turn];
        if (is_open(packed)) continue;
        const uint32_t rest = c->at[turn] | warp << TRIANGLE_WARP, *end = note + (unsigned)(packed >> 60);
#pragma unroll 1
        for (; note < end; packed >>= EDGE_BITS) *note++ = rest | ((uint32_t)packed & ((1u << EDGE_BITS) - 1)) << CELL_BITS;
    }
}

static __device__ __forceinline__ uint32_t corner_vertex(const char *row, struct edge_offset offset, unsigned voxel)
{
    const unsigned lane = voxel + offset.next;
    const struct edge_entry e = *(const struct edge_entry *)(row + offset.bytes + lane / WARP * ENTRIES_NEXT);
    return e.first + popcount32(e.bits & ((1u << lane % WARP) - 1));
}

static __device__ __forceinline__ void write_triangles(uint32_t *out, const struct block_triangles *block, uint32_t total)
{
    uint32_t *to = out + 3 * threadIdx.x; /* advancing is shorter than computing it each time */
    for (uint32_t i = threadIdx.x; i < total; i += BLOCK, to += 3 * BLOCK) {
        const uint32_t note = block->note[i];
        const unsigned voxel = note % WARP, r = note >> CELL_ROW & 31;
        const char *row = (const char *)&block->warp[note >> TRIANGLE_WARP].entry[0][3 * r];
#pragma unroll
        for (unsigned c = 0; c < 3; c++) to[c] = corner_vertex(row, block->offset[note >> (CELL_BITS + 4 * c) & 15], voxel);
    }
}

/* Write the triangles of a lane's open cells, one after the other. */
static __device__ __forceinline__ void write_open(uint32_t *out, const struct cells *c, const struct block_triangles *block,
                                                  const struct triangle_work *work, const struct mc_tables *tables)
{
#pragma unroll 1
    for (unsigned turn = 0; turn < CELL_TURNS; turn++) {
        const uint64_t packed = turn == 0   ? c->packed[0]
                                : turn == 1 ? c->packed[1]
                                : turn == 2 ? c->packed[2]
                                            : c->packed[3];
        const unsigned at = turn == 0 ? c->at[0] : turn == 1 ? c->at[1] : turn == 2 ? c->at[2] : c->at[3];
        if (!is_open(packed)) continue;
        const struct mc_subcase *cell = subcase_of(tables, packed);
        const char *row = (const char *)&work->entry[0][3 * (at >> CELL_ROW)];
        const uint32_t inner = (uint32_t)(packed >> OPEN_INNER);
        for (unsigned k = 0; k < 3u * cell->triangles; k++) {
            const unsigned e = cell->edge[k];
            *out++ = e < MC_INNER ? corner_vertex(row, block->offset[e], at % WARP) : inner + (e - MC_INNER);
        }
    }
}

#define BLOCK_DONE ((uint64_t)1 << 40) /* more than all triangles */

/* Write the counts and reset the state for the next run. The last block to reserve calls this; the addition itself
 * tells, because a separate counter would queue as many additions again. */
static __device__ __forceinline__ void finish(const struct fused_desc *d, struct state *state, uint64_t triangles)
{
    volatile const struct state *all = state;
    __threadfence(); /* after the last reservation */
    const uint64_t bricks = (all->bricks >> 32) + (uint32_t)all->bricks, vertices = all->vertices;
    *d->counts = { vertices, triangles, bricks, { 0, 0 } };
    if (d->draw) *d->draw = fused_draw(d, vertices, bricks <= d->brick_capacity ? triangles : UINT64_MAX / 3);
    *state = { 0, 0, 0 };
}

/* Shared memory allows ten blocks at once; 48 registers do too. */
static __global__ void __maxnreg__(48) triangles(struct fused_desc d)
{
    __shared__ struct block_triangles block;
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    struct triangle_work *work = &block.warp[warp];
    const struct fused_memory m = memory_of(&d);
    wait_for_launch_before();
    const struct bricks_used used = bricks_used(&m, d.brick_capacity);
    const uint32_t turns = (used.all + BLOCK_WARPS - 1) / BLOCK_WARPS;
    const uint32_t blocks = turns < gridDim.x ? turns : gridDim.x; /* that have work */
    if (threadIdx.x < 12) block.offset[threadIdx.x] = edge_offset_of(threadIdx.x);
    if (!turns && !blockIdx.x && !threadIdx.x) finish(&d, m.state, 0);

    for (uint32_t turn = blockIdx.x; turn < turns; turn += gridDim.x) {
        const uint32_t slot = slot_of_turn(&used, d.brick_capacity, turn, turns, warp);
        uint32_t cells = 0, done = 0;
        bool more;
        if (slot != NO_SLOT) {
            const struct active_brick brick = m.list[slot];
            const struct brick_pos p = brick_pos_of(&d, brick);
            const uint32_t word = m.record[slot].inside[lane], column = __shfl_sync(WARP_ALL, word, TOUCHED);
            if (lane < TOUCHED) work->inside[lane] = { word, column >> lane & 1 };
            if (lane == 0) work->brick = p.at;
            load_rows(work, &d, &m, brick);
            __syncwarp();
            cells = list_cells(work, &p);
            __syncwarp();
        }
        do {
            const uint32_t end = cells - done < PART_CELLS ? cells : done + PART_CELLS;
            struct cells c;
            uint32_t own;
            const unsigned closed = look_up_cells(&c, work, done, end, d.tables);
            const unsigned open = resolve_cells(&c, work, &d, m.state);
            const uint32_t before = warp_prefix(closed | open << OPEN_SHIFT, &own);
            done = end;
            if (lane == 0) block.shares.of[warp] = own;
            more = __syncthreads_or(done < cells);
            const bool last = !more && turn + gridDim.x >= turns;
            const uint32_t both = shares_before(&block.shares, BLOCK_WARPS),
                           first = shares_before(&block.shares, warp) + before;
            const uint32_t noted = both % (1u << OPEN_SHIFT), total = noted + (both >> OPEN_SHIFT);
            uint64_t reserved = 0;
            if (threadIdx.x == 0) reserved = reserve(&m.state->triangles, total + (last ? BLOCK_DONE : 0));
            note_triangles(block.note + first % (1u << OPEN_SHIFT), &c, warp);
            if (threadIdx.x == 0) block.base = reserved % BLOCK_DONE; /* used only now: it takes long */
            if (threadIdx.x == 0 && last && reserved / BLOCK_DONE == blocks - 1)
                finish(&d, m.state, reserved % BLOCK_DONE + total);
            __syncthreads();
            if (block.base + total <= d.triangle_capacity) {
                write_triangles(d.mesh.indices + 3 * block.base, &block, noted);
                if (open)
                    write_open(d.mesh.indices + 3 * (block.base + noted + (first >> OPEN_SHIFT)), &c, &block, work,
                               d.tables);
            }
            __syncthreads(); /* before the next notes */
        } while (more);
    }
}

/* ---- launch -------------------------------------------------------------------------------------------------------- */

/* Return the blocks of a launch whose bricks only the device knows: enough for the capacity, up to a limit. */
static unsigned blocks_for(const struct fused_desc *d, const struct exec *x)
{
    enum { PER_PROCESSOR = 64 }; /* several times what runs at once: blocks with little work make way for others */
    int processors = 0;
    if (cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, x->device) != cudaSuccess) processors = 64;
    const unsigned limit = (unsigned)processors * PER_PROCESSOR, blocks = launch_blocks(d->brick_capacity, BLOCK_WARPS);
    return blocks < limit ? blocks : limit;
}

/* Launch after the previous launch; if the GPU can, set up while that still runs. */
static cudaError_t launch_after(const void *kernel, unsigned blocks, unsigned threads, const struct fused_desc *d,
                                const struct exec *x)
{
    int major = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, x->device);
    if (error != cudaSuccess) return error;
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = x->stream;
    config.attrs = &early;
    config.numAttrs = major >= 9;
    void *args[] = { (void *)d };
    return cudaLaunchKernelExC(&config, kernel, args);
}

static int run_brick(const struct fused_desc *d, struct exec *x)
{
    const uint64_t bricks = (uint64_t)d->bricks.nx * d->bricks.ny * d->bricks.nz;
    const unsigned blocks = blocks_for(d, x);
    cudaError_t error;
    cull<<<launch_blocks(bricks, THREADS), THREADS, 0, x->stream>>>(*d);
    LAUNCH_TYPED(d->grid.type, error = launch_after((const void *)vertices<TYPE>, blocks, BLOCK, d, x));
    if (error == cudaSuccess) error = launch_after((const void *)triangles, blocks, BLOCK, d, x);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct fused_rung fused_cuda[] = {
    { { "none", "the stages, one by one", false }, NULL, NULL },
    { { "brick", "a warp per active brick, its voxels in shared memory; records for the neighbours", true }, run_brick,
      scratch_bytes, false, true },
    {},
};
/* clang-format on */
