/* A copy of the volume in which the voxels that a brick needs lie together: for the rung `halo` of fused. Part of
 * fused_cuda.cu.
 *
 * A row of the copy has 32 voxels, one or more after them (two are needed), and last the voxel before the first of the
 * *next* row: in shared memory, it then lies before that row. Rows are whole 16-byte units. Their order is y first,
 * then bricks along x, then z, so the 7 rows that a brick needs of a slice follow each other. */
#ifndef ISO_FUSED_CUDA_HALO_CUH
#define ISO_FUSED_CUDA_HALO_CUH

#include "fused_cuda_brick.cuh"

template <enum voxel_type T> struct halo_row {
    enum {
        VOXELS = brick_voxels<T, true>::PITCH,
        BYTES = VOXELS * sizeof(typename voxel<T>::type),
        WORDS = BYTES / sizeof(uint32_t),
        WORD_VOXELS = sizeof(uint32_t) / sizeof(typename voxel<T>::type),
        NEEDED = WARP + 2, /* from the first on; central differences at voxel 32 end there */
    };
};

/* Bytes of the copy. Before the first row and after the last come some more, which are read but mean nothing. Rows of
 * more than two million voxels have more bricks than a launch has blocks along y; their copy counts as too large. */
template <enum voxel_type T> static size_t halo_bytes(const struct grid *g)
{
    enum { MOST_BRICKS = 65535 };
    const size_t bricks = bricks_for(g).nx;
    return bricks > MOST_BRICKS ? SIZE_MAX : (bricks * g->ny * g->nz + 2 * HALO) * halo_row<T>::BYTES;
}

/* Copy the volume, a word per thread and slice. blockIdx.y: the brick along x; blockIdx.z: the first slice. Voxels
 * outside the grid are 0. */
template <enum voxel_type T> static __global__ void halo_copy(uint32_t *to, const typename voxel<T>::type *from, uint3 n)
{
    typedef struct halo_row<T> row_t;
    const uint32_t at = (uint32_t)thread_index(), y = at / row_t::WORDS, word = at % row_t::WORDS;
    const uint32_t place = word * row_t::WORD_VOXELS, x = blockIdx.y * WARP + place;
    const bool whole = place < WARP && x < n.x && n.x % row_t::WORD_VOXELS == 0 && (uintptr_t)from % sizeof(uint32_t) == 0;
    /* the next row: after the last one, the first of the next brick */
    const bool turn = y + 1 == n.y;
    const uint32_t next_y = turn ? 0 : y + 1, next_x = (blockIdx.y + turn) * WARP - 1; /* wraps if there is none */
    if (y >= n.y) return;
#pragma unroll 1
    for (uint32_t z = blockIdx.z; z < n.z; z += gridDim.z) {
        const typename voxel<T>::type *slice = from + (size_t)z * n.y * n.x, *row = slice + (size_t)y * n.x;
        union {
            uint32_t word;
            typename voxel<T>::type voxel[row_t::WORD_VOXELS];
        } out = { 0 };
        if (whole) out.word = *(const uint32_t *)(row + x);
        else {
#pragma unroll
            for (unsigned i = 0; i < row_t::WORD_VOXELS; i++)
                if (place + i == row_t::VOXELS - 1) {
                    if (next_x < n.x) out.voxel[i] = slice[(size_t)next_y * n.x + next_x];
                } else if (place + i < row_t::NEEDED && x + i < n.x) out.voxel[i] = row[x + i];
        }
        to[(((size_t)z * gridDim.y + blockIdx.y) * n.y + y + HALO) * row_t::WORDS + word] = out.word;
    }
}

template <enum voxel_type T> static int halo_launch(const struct grid *g, void *to, struct exec *x)
{
    enum { SLICES = 4, MOST_BLOCKS = 1024 }; /* a block does some slices, because its threads' places take longer */
    const size_t bytes = halo_bytes<T>(g), edge = HALO * halo_row<T>::BYTES;
    const unsigned words = launch_blocks(g->ny * halo_row<T>::WORDS, THREADS), bricks = (unsigned)bricks_for(g).nx;
    const size_t deep = (g->nz + SLICES - 1) / SLICES;
    const dim3 blocks(words, bricks, (unsigned)(deep < MOST_BLOCKS ? deep : (size_t)MOST_BLOCKS));
    cudaError_t error = cudaMemsetAsync(to, 0, edge, x->stream);
    if (error == cudaSuccess) error = cudaMemsetAsync((char *)to + bytes - edge, 0, edge, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    halo_copy<T><<<blocks, THREADS, 0, x->stream>>>((uint32_t *)to, (const typename voxel<T>::type *)g->voxels,
                                                    { (uint32_t)g->nx, (uint32_t)g->ny, (uint32_t)g->nz });
    return clear_error(cudaGetLastError());
}

/* Return the copy as a grid: its rows are short, and each slice has those of all bricks along x. */
template <enum voxel_type T> static __device__ __forceinline__ struct grid halo_grid(const struct fused_desc *d)
{
    const char *first = (const char *)d->copy + HALO * halo_row<T>::BYTES;
    return { first, T, halo_row<T>::VOXELS, d->bricks.nx * d->grid.ny, d->grid.nz, d->grid.margin };
}

/* Return where a voxel is in it, as an index. Others of its brick, and the one after them along x, lie beside it. */
template <enum voxel_type T> static __device__ __forceinline__ size_t halo_index(const struct fused_desc *d, uint3 at)
{
    const size_t row = (at.z * d->bricks.nx + at.x / BRICK_X) * d->grid.ny + at.y;
    return row * halo_row<T>::VOXELS + at.x % BRICK_X;
}

/* Load the brick's voxels from the copy. As in copy_units(), the corners of the 7 x 7 rows stay empty, and past the
 * grid's border lie other voxels, of rows or slices that the brick does not use. */
template <enum voxel_type T>
static __device__ __forceinline__ void load_brick(struct brick_voxels<T, true> *to, const struct fused_desc *d,
                                                  const struct brick_pos *p, bool)
{
    typedef struct brick_voxels<T, true> voxels_t;
    const size_t slice = d->bricks.nx * p->n.y, z = p->at.z ? p->at.z - 1 : 0;
    const size_t row = z * slice + p->at.x / BRICK_X * p->n.y + p->at.y + HALO - 1;
    const char *first = (const char *)d->copy + row * halo_row<T>::BYTES;
#pragma unroll
    for (unsigned u = lane_index(); u < voxels_t::LAYER_UNITS; u += WARP) {
        const bool outer = u / voxels_t::ROW_UNITS == 0 || u / voxels_t::ROW_UNITS == HALO - 1;
        const char *from = first + u * UNIT_BYTES;
#pragma unroll
        for (unsigned k = 0; k < HALO; k++) {
            if ((k > 0 && k < HALO - 1) || !outer) copy_unit(&to->unit[k * voxels_t::LAYER_UNITS + u], from);
            if (k ? p->at.z + k < p->n.z : p->at.z > 0) from += slice * halo_row<T>::BYTES;
        }
    }
    wait_for_units();
}

#endif
