/* Which transfer path a mesh takes, with a target that fails on demand and a simulated GPU. If sharing fails, it is
 * given up for good; after a lack of memory it is tried again. */
#include "check.h"
#include "fake_backends.h"
#include "mesh.h"

#include <string.h>

static struct {
    enum err_cause cause[4]; /* why the next attempts to share fail; CAUSE_OTHER ends the list */
    int attempt;
    bool maps;  /* shared memory can be mapped */
    int staged; /* requests for staged memory */
} plan;

static int grow(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], enum mesh_way way, struct err *err)
{
    plan.staged += way == MESH_STAGED;
    if (way == MESH_SHARED && plan.cause[plan.attempt] != CAUSE_OTHER) {
        err_set(err, ERR_FAILED, "no sharing");
        return err_blame(err, ERR_FAILED, plan.cause[plan.attempt++]);
    }
    return mesh_memory.grow(mesh, bytes, way, err);
}

static int map(struct mesh *mesh, void *memory[MESH_BUFFERS], struct err *err)
{
    if (mesh->way == MESH_SHARED && !plan.maps) return err_set(err, ERR_FAILED, "cannot be mapped");
    return mesh_memory.map(mesh, memory, err);
}

/* A mesh with capacity for a few triangles. */
static void begin(struct mesh *mesh, struct mesh_target *target, struct exec *x, const char *subject)
{
    struct err err;
    check_subject(subject);
    memset(&plan, 0, sizeof plan);
    plan.maps = true;
    *target = mesh_memory;
    target->grow = grow;
    target->map = map;
    mesh_open(mesh, target, x);
    CHECK(!mesh_reserve(mesh, 300, 600, &err) && mesh->way == MESH_SHARED && mesh->store);
}

static void write(struct mesh *mesh, uint64_t triangles)
{
    struct mesh_buffers out;
    struct err err;
    const uint64_t before = mesh->version;
    if (!CHECK(!mesh_map(mesh, &out, &err))) return;
    CHECK(mesh->mapped && !mesh->triangles && mesh->version != before);
    CHECK(!!mesh->command == (mesh->way == MESH_SHARED));
    CHECK(out.vertices >= triangles && out.triangles >= triangles);
    memset(out.mesh.vertices, 0, out.vertices * sizeof *out.mesh.vertices);
    memset(out.mesh.indices, 0, 3 * out.triangles * sizeof *out.mesh.indices);
    CHECK(!mesh_unmap(mesh, triangles, triangles, &err) && mesh->triangles == triangles && !mesh->mapped);
}

static void test_sharing(struct exec *x)
{
    struct mesh_target target;
    struct mesh mesh;
    struct err err = { 0 };

    begin(&mesh, &target, x, "memory fails once");
    plan.cause[0] = CAUSE_MEMORY; /* for the first attempt, a quarter larger */
    CHECK(!mesh_reserve(&mesh, 1000, 2000, &err) && mesh.way == MESH_SHARED && plan.staged == 0);
    CHECK(mesh.bytes[MESH_VERTICES] == 1000 * sizeof(struct vertex));
    write(&mesh, 1000);
    mesh_close(&mesh);

    begin(&mesh, &target, x, "memory fails twice");
    plan.cause[0] = plan.cause[1] = CAUSE_MEMORY;
    CHECK(!mesh_reserve(&mesh, 1000, 2000, &err) && mesh.way == MESH_STAGED && strstr(mesh.why, "no sharing"));
    write(&mesh, 1000);
    CHECK(!mesh_reserve(&mesh, 3000, 6000, &err) && mesh.way == MESH_SHARED && strstr(mesh.why, "shared"));
    write(&mesh, 3000);
    mesh_close(&mesh);

    begin(&mesh, &target, x, "sharing does not work");
    plan.cause[0] = CAUSE_BACKEND;
    CHECK(!mesh_reserve(&mesh, 1000, 2000, &err) && mesh.way == MESH_STAGED && plan.staged == 1);
    CHECK(!mesh_reserve(&mesh, 3000, 6000, &err) && mesh.way == MESH_STAGED && plan.attempt == 1);
    CHECK(strstr(mesh.why, "staged through pinned memory: no sharing"));
    write(&mesh, 3000);
    mesh_close(&mesh);

    begin(&mesh, &target, x, "what is shared cannot be mapped any more");
    write(&mesh, 300);
    plan.maps = false;
    write(&mesh, 300);
    CHECK(mesh.way == MESH_STAGED && strstr(mesh.why, "cannot be mapped"));
    CHECK(!mesh_reserve(&mesh, 3000, 6000, &err) && mesh.way == MESH_STAGED);
    write(&mesh, 3000);
    mesh_close(&mesh);

    begin(&mesh, &target, x, "a target that never shares");
    mesh_close(&mesh);
    target.refusal = "asked for";
    mesh_open(&mesh, &target, x);
    CHECK(mesh.way == MESH_STAGED && strstr(mesh.why, "asked for"));
    CHECK(!mesh_reserve(&mesh, 300, 600, &err) && mesh.way == MESH_STAGED && plan.attempt == 0);
    mesh_close(&mesh);
}

static void test_capacity(struct exec *x)
{
    struct mesh_target target;
    struct mesh mesh;
    struct err err = { 0 };
    begin(&mesh, &target, x, "capacity");
    write(&mesh, 300);
    const uint64_t version = mesh.version;
    CHECK(!mesh_reserve(&mesh, 300, 600, &err) && mesh.version == version && mesh.triangles == 300);
    fake_backends.fail_alloc = 1;
    CHECK(!mesh_reserve(&mesh, 4000, 8000, &err) && mesh.bytes[MESH_VERTICES] == 4000 * sizeof(struct vertex));
    write(&mesh, 4000);
    fake_backends.free_bytes = 1000;
    CHECK(mesh_reserve(&mesh, 9000, 18000, &err) == ERR_FAILED && err.cause == CAUSE_MEMORY);
    CHECK(mesh.triangles == 4000); /* unchanged */
    fake_backends.free_bytes = 0;
    mesh_close(&mesh);
    mesh_close(&mesh); /* closing a zero mesh is fine */
}

int main(void)
{
    struct exec x;
    if (!CHECK(!backend_cuda.open(&x, -1, 1))) return 1;
    test_sharing(&x);
    test_capacity(&x);
    backend_cuda.close(&x);
    check_subject("");
    CHECK(fake_backends.blocks == 0 && fake_backends.execs == 0);
    return check_summary("test_mesh");
}
