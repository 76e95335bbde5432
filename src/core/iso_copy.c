/* The fused rung's own copy of the volume. */
#include "iso.h"

#include "trace.h"

enum { FREE_TIMES = 4 }; /* a copy may take one part in so many of the free memory: meshes and other volumes need it, too */

const void *iso_copy_of(const struct iso *iso)
{
    const struct fused_rung *from = iso->copy.rung;
    return from && from->copy == iso_fused_rung(iso)->copy ? iso->copy.buffer.memory : NULL;
}

int iso_update_copy(struct iso *iso, struct err *err)
{
    const struct fused_rung *rung = iso_fused_rung(iso);
    struct volume_copy *copy = &iso->copy;
    if (!rung->copy || iso_copy_of(iso) || copy->refused || !copy->earned) return ERR_NONE;
    const size_t bytes = rung->copy_bytes(&iso->grid);
    copy->rung = NULL;
    copy->refused = (bytes > copy->buffer.bytes && bytes > iso->ops->memory_free() / FREE_TIMES) ||
                    buffer_reserve(&copy->buffer, iso->ops, &iso->exec, bytes, "a copy of the volume", NULL);
    if (copy->refused) return ERR_NONE;
    trace_push("copy", rung->rung.name);
    int code = iso->ops->mark(&iso->exec, ISO_MARK_COPY);
    if (!code) code = rung->copy(&iso->grid, copy->buffer.memory, &iso->exec);
    if (!code) code = iso->ops->mark(&iso->exec, ISO_MARK_COPY_END);
    trace_pop();
    if (code) return iso_fail(iso, code, "copying the volume", err);
    copy->rung = rung;
    copy->fresh = true;
    copy->stats.bytes = grid_bytes(&iso->grid) + bytes;
    return ERR_NONE;
}

void iso_note_copy(struct iso *iso, bool surface)
{
    struct volume_copy *copy = &iso->copy;
    copy->earned |= surface;
    if (!copy->fresh) return;
    copy->fresh = false;
    copy->stats.runs++;
    if (iso->ops->elapsed(&iso->exec, ISO_MARK_COPY, ISO_MARK_COPY_END, &copy->stats.ms)) copy->stats.ms = 0;
}

void iso_forget_copy(struct iso *iso)
{
    buffer_release(&iso->copy.buffer, iso->ops); /* most volumes that follow get none, or one of another size */
    iso->copy.rung = NULL;
    iso->copy.earned = iso->copy.refused = false;
}
