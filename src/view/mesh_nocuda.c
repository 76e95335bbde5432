/* A build without CUDA. Nothing here is called with a CUDA mesh, because the CUDA backend cannot be opened. */
#include "mesh_cuda.h"

int mesh_cuda_device(void) { return -1; }

int mesh_cuda_open(struct mesh_cuda **cuda, const struct exec *exec, bool shared, const unsigned buffer[MESH_BUFFERS],
                   const uint64_t bytes[MESH_BUFFERS])
{
    (void)exec, (void)shared, (void)buffer, (void)bytes;
    *cuda = NULL;
    return 1;
}

void mesh_cuda_close(struct mesh_cuda *cuda) { (void)cuda; }

int mesh_cuda_map(struct mesh_cuda *cuda, void *memory[MESH_BUFFERS])
{
    (void)cuda, (void)memory;
    return 1;
}

int mesh_cuda_map_to_read(struct mesh_cuda *cuda, void *memory[MESH_BUFFERS]) { return mesh_cuda_map(cuda, memory); }

int mesh_cuda_unmap(struct mesh_cuda *cuda, const uint64_t bytes[MESH_BUFFERS])
{
    (void)cuda, (void)bytes;
    return 1;
}

void mesh_cuda_keep(struct mesh_cuda *cuda) { (void)cuda; }

void mesh_cuda_let_go(void) {}

const char *mesh_cuda_explain(int code)
{
    (void)code;
    return "built without CUDA";
}

bool mesh_cuda_is_memory(int code)
{
    (void)code;
    return false;
}
