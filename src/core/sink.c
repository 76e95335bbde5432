#include "sink.h"

#include "file_io.h"
#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool sink_reserve(const struct sink *sink, uint64_t begin, uint64_t end)
{
    int code;
    do code = begin < end ? fallocate(fileno(sink->replace.file), 0, (off_t)begin, (off_t)(end - begin)) : 0;
    while (code && errno == EINTR);
    return !code || errno == EOPNOTSUPP || errno == ENOSYS;
}

static bool set_length(const struct sink *sink) { return !ftruncate(fileno(sink->replace.file), (off_t)sink->size); }

int sink_open(struct sink *sink, const char *path, uint64_t size, struct err *err)
{
    sink->size = size;
    if (replace_open(&sink->replace, path, err)) return ERR_FAILED;
    return set_length(sink) && sink_reserve(sink, 0, size) ? ERR_NONE : replace_abandon(&sink->replace, err);
}

int sink_join(struct sink *sink, const char *path, const struct replace_common *common, uint64_t size, struct err *err)
{
    struct stat status;
    sink->size = size;
    if (replace_join(&sink->replace, path, common, err)) return ERR_FAILED;
    if (fstat(fileno(sink->replace.file), &status)) status.st_size = -1;
    if (common->exists && (uint64_t)status.st_size != size) {
        sink_leave(sink);
        return err_set(err, ERR_FAILED, "%s: has %lld bytes; expected %llu", common->name, (long long)status.st_size,
                       (unsigned long long)size);
    }
    if (common->exists || set_length(sink)) return ERR_NONE;
    return replace_abandon(&sink->replace, err);
}

bool sink_sync(const struct sink *sink) { return replace_sync(&sink->replace); }

void sink_leave(struct sink *sink) { replace_leave(&sink->replace); }

bool sink_write(const struct sink *sink, uint64_t at, const void *bytes, size_t n)
{
    return file_write_at(fileno(sink->replace.file), bytes, n, at);
}

int sink_close(struct sink *sink, struct err *err) { return replace_close(&sink->replace, true, err); }

int sink_abandon(struct sink *sink, struct err *err) { return replace_abandon(&sink->replace, err); }

/* ---- runs -------------------------------------------------------------------------------------------------------- */

bool sink_run_open(struct sink_run *run, const struct sink *sink, uint64_t begin, uint64_t at, uint64_t end,
                   struct pieces *pieces)
{
    const struct plan_blocks own = plan_blocks_of(begin, end, SINK_BLOCK);
    *run = (struct sink_run){ sink, at, own.begin, own.end, end, pieces, malloc(SINK_BLOCK), 0 };
    return run->block;
}

bool sink_run_flush(struct sink_run *run)
{
    const size_t held = run->held;
    run->held = 0;
    return !held || sink_write(run->sink, run->at - held, run->block, held);
}

/* Adds bytes that belong to the run's own blocks. Returns how many it took; 0: errno says why. */
static size_t add_own(struct sink_run *run, const char *from, size_t n)
{
    const size_t left = SINK_BLOCK - (size_t)(run->at % SINK_BLOCK); /* up to the end of the block */
    const bool direct = !run->held && left == SINK_BLOCK && n >= SINK_BLOCK;
    const size_t part = direct ? n / SINK_BLOCK * SINK_BLOCK : min_size(n, left);
    if (direct && !sink_write(run->sink, run->at, from, part)) return 0;
    if (!direct) memcpy(run->block + run->held, from, part), run->held += part;
    run->at += part;
    return run->at % SINK_BLOCK || sink_run_flush(run) ? part : 0;
}

/* The same for bytes before or after these blocks. */
static size_t add_piece(struct sink_run *run, const char *from, size_t n)
{
    if (!pieces_add(run->pieces, run->at, from, n)) {
        errno = ENOMEM;
        return 0;
    }
    run->at += n;
    return n;
}

bool sink_run_add(struct sink_run *run, const void *bytes, size_t n)
{
    const char *from = bytes;
    while (n) {
        const bool own = run->at >= run->own && run->at < run->end;
        const uint64_t end = own ? run->end : run->at < run->own ? run->own : run->all;
        const size_t most = min_size(n, (size_t)(end - run->at)),
                     part = own ? add_own(run, from, most) : add_piece(run, from, most);
        if (!part) return false;
        from += part, n -= part;
    }
    return true;
}

void sink_run_close(struct sink_run *run)
{
    free(run->block);
    *run = (struct sink_run){ .at = 0 };
}
