/* Sums and products of doubles without rounding, for signs that must be right (Shewchuk 1997, "Adaptive precision
 * floating-point arithmetic and fast robust geometric predicates"). A number is a sum of non-overlapping doubles. Exact for
 * finite numbers whose products neither overflow nor lose denormal bits. Products of four floats never do. */
#ifndef ISO_EXACT_H
#define ISO_EXACT_H

#ifdef __cplusplus
extern "C" {
#endif

enum { EXACT_PARTS = 192 };

struct exact { /* parts 0: zero */
    int parts;
    double part[EXACT_PARTS]; /* the last is the largest */
};

/* Returns a * b + c * d. */
struct exact exact_products(double a, double b, double c, double d);

/* exact_sum returns scale * a + b; scale is a power of two, or the negative of one. exact_product returns a * b, with at
 * most 2 * a.parts * b.parts parts. No result may need more than EXACT_PARTS parts. */
struct exact exact_sum(const struct exact *a, double scale, const struct exact *b);
struct exact exact_product(const struct exact *a, const struct exact *b);

/* Returns scale * a, for any scale. */
struct exact exact_scaled(const struct exact *a, double scale);

/* Returns the sign: 1, 0 or -1. */
int exact_sign(const struct exact *a);

/* Adds `b` to `a`. */
void exact_add(struct exact *a, double b);

#ifdef __cplusplus
}
#endif
#endif
