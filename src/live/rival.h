/* A rival: makes the surface of a struct live once more, at the same value, with other rungs on a pipeline of its own.
 * It reads the same voxels as live's pipeline. So before each live_poll, the caller asks whether they are about to
 * change:
 *
 *    rival_leave -> live_poll -> rival_follow -> draw
 *
 * A rival makes full surfaces only: each to its end, then the one of the newest value. So that the two can be compared,
 * live does the same, however slow its surface is to make or draw (wish->full).
 *
 * On the CPU the rival has a thread of its own, so both may work at once. Their times are then marked as shared. When
 * everything rests, a surface that was not made alone is made again, and so is the first one. On CUDA the rival works
 * within rival_follow, after live has ended. */
#ifndef ISO_RIVAL_H
#define ISO_RIVAL_H

#include "live.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rival_time { /* of a surface */
    double value;   /* real units; NaN: there is none yet */
    double ms;      /* to make the surface, without mapping */
    bool shared;    /* the other was at work at the same time */
};

struct rival { /* zero: not open */
    bool open;
    struct mesh mesh;       /* the rival's surface; drawn like live's */
    struct rival_time time; /* of `mesh` */
    bool live_shared;       /* the rival was at work when live last made a surface */

    /* private */
    const struct rung *rung[STAGE_ALL];
    struct iso iso;
    struct mesh spare;
    struct worker worker;
    struct task_surface *job;
    bool warm, first;     /* these rungs have made a surface; `mesh` is their first, made with cold bricks and caches */
    bool busy, disturbed; /* the rival works; live was at work meanwhile */
    bool overlaps;        /* the rival was at work since live began its task */
    uint64_t epoch;       /* of live's volume */
    double live_made;     /* live->made_ms at the last look */
};

/* Call it before live_poll. Closes the rival if live may be about to change the voxels that it reads. While the rival is
 * open, it sets wish->full. */
void rival_leave(struct rival *rival, const struct live *live, struct live_wish *wish);

/* Call it after live_poll. Opens the rival if necessary, takes its finished work, and begins what is missing of
 * `surface` with these rungs. Returns whether its mesh has changed. On error, *err is set and the rival is closed. */
bool rival_follow(struct rival *rival, struct live *live, const struct live_wish *wish, unsigned surface,
                  const struct rung *const rung[STAGE_ALL], struct err *err);

/* Whether the rival has nothing left to do. */
bool rival_rests(const struct rival *rival, const struct live *live, const struct live_wish *wish, unsigned surface);

/* Waits for the rival and frees everything. Does nothing if it is not open. Call it before live and the target's
 * context are closed. */
void rival_close(struct rival *rival);

#ifdef __cplusplus
}
#endif
#endif
