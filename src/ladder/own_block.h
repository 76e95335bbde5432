/* Why --block does not apply to a rung on CUDA: what depends on its block size. */
#ifndef ISO_OWN_BLOCK_H
#define ISO_OWN_BLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* A clause on why the op's rung of that name has a block size of its own. rung NULL: why all its rungs have. Returns
 * NULL if no reason is given. */
const char *own_block(const char *op, const char *rung);

/* Calls each(context, op, rung) for every reason. rung NULL: the reason applies to all rungs of the op that have none
 * of their own. */
void own_block_each(void (*each)(void *context, const char *op, const char *rung), void *context);

#ifdef __cplusplus
}
#endif
#endif
