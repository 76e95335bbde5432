/* A rival: the surface of a struct live once more, at the same value, by other rungs on a pipeline of its own. It reads the
 * voxels that live's pipeline reads, so the caller asks before each live_poll whether they are about to change:
 *
 *    rival_leave -> live_poll -> rival_follow -> draw
 *
 * On the CPU it works on a thread of its own, and both may work at once: then neither has the machine to itself, and says
 * so. Once nothing moves, what was not made alone is made again, and so is the first. On CUDA it works within rival_follow,
 * after live has ended. */
#ifndef ISO_RIVAL_H
#define ISO_RIVAL_H

#include "live.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rival_time { /* of a surface */
    double value;   /* real units; NaN: there is none yet */
    double ms;      /* to make it, without mapping */
    bool shared;    /* the other one was at work too */
};

struct rival { /* zero: not open */
    bool open;
    struct mesh mesh;       /* its surface; drawn as live's */
    struct rival_time time; /* of `mesh` */
    bool live_shared;       /* it was at work too when live last made a surface */

    /* private */
    const struct rung *rung[STAGE_ALL];
    struct iso iso;
    struct mesh spare;
    struct worker worker;
    struct task_surface *job;
    bool warm, first;     /* these rungs have made a surface, and `mesh` is their first: bricks and caches were cold */
    bool busy, disturbed; /* disturbed: live was at work meanwhile; */
    bool overlaps;        /* the rival was, since live has begun what it does */
    uint64_t epoch;       /* of live's volume */
    double live_made;     /* live->made_ms at the last look */
};

/* Before live_poll: closes it if live may be about to change the voxels that it reads. */
void rival_leave(struct rival *rival, const struct live *live, const struct live_wish *wish);

/* After live_poll, which has made or begun what it wants: opens the rival if it is not, takes what it has done, and begins
 * what is missing of `surface` by these rungs. Returns whether its mesh has changed. On error, *err, it is closed. */
bool rival_follow(struct rival *rival, struct live *live, const struct live_wish *wish, unsigned surface,
                  const struct rung *const rung[STAGE_ALL], struct err *err);

/* Whether nothing is missing. */
bool rival_rests(const struct rival *rival, const struct live *live, const struct live_wish *wish, unsigned surface);

/* Waits for it, and frees everything; one that is not open is fine. Before live and the target's context are closed. */
void rival_close(struct rival *rival);

#ifdef __cplusplus
}
#endif
#endif
