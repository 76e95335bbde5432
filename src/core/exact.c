#include "exact.h"

#include <assert.h>
#include <math.h>

void exact_add(struct exact *a, double b)
{
    int kept = 0;
    for (int i = 0; i < a->parts; i++) { /* b absorbs what it can of each part; the rounding error remains */
        const double x = a->part[i], sum = b + x, of_x = sum - b;
        const double lost = (b - (sum - of_x)) + (x - of_x);
        if (lost != 0) a->part[kept++] = lost;
        b = sum;
    }
    if (b != 0) {
        assert(kept < EXACT_PARTS);
        a->part[kept++] = b;
    }
    a->parts = kept;
}

static void add_product(struct exact *a, double b, double c)
{
    const double product = b * c;
    exact_add(a, fma(b, c, -product));
    exact_add(a, product);
}

struct exact exact_products(double a, double b, double c, double d)
{
    struct exact sum;
    sum.parts = 0;
    add_product(&sum, a, b);
    add_product(&sum, c, d);
    return sum;
}

struct exact exact_sum(const struct exact *a, double scale, const struct exact *b)
{
    struct exact sum = *b;
    for (int i = 0; i < a->parts; i++) exact_add(&sum, scale * a->part[i]);
    return sum;
}

struct exact exact_product(const struct exact *a, const struct exact *b)
{
    struct exact product;
    product.parts = 0;
    for (int i = 0; i < a->parts; i++)
        for (int j = 0; j < b->parts; j++) add_product(&product, a->part[i], b->part[j]);
    return product;
}

struct exact exact_scaled(const struct exact *a, double scale)
{
    struct exact product;
    product.parts = 0;
    for (int i = 0; i < a->parts; i++) add_product(&product, a->part[i], scale);
    return product;
}

int exact_sign(const struct exact *a)
{
    if (a->parts == 0) return 0;
    return a->part[a->parts - 1] > 0 ? 1 : -1;
}
