/* `ladder OP --test` finds what a single size does not: a rung of `scan` that is wrong only for odd sizes. */
#include "check.h"

#include "ladder.h"
#include "kernels/scan.h"

#include <string.h>

static int odd(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x)
{
    const struct scan_rung *textbook = (const struct scan_rung *)ladder_rung(ladder_of("scan"), BACKEND_CPU, 0);
    const int code = textbook->run(in, out, total, n, scratch, x);
    if (n % 2) out[n - 1]++; /* the tail */
    return code;
}

static int none(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x)
{
    (void)in, (void)out, (void)total, (void)n, (void)scratch, (void)x;
    return 0;
}

static const struct scan_rung wrong[] = { { { "odd", "forgets the tail", false }, odd, NULL },
                                          { { "race", "is wrong by design", false, .is_wrong = true }, none, NULL } };

static struct ladder_result measured(const struct scan_rung *rung, size_t size, bool cases)
{
    static struct ladder_result result;
    const struct ladder_plan plan = { .cases = cases };
    struct err err = { 0 };
    ladder_append(ladder_of("scan"), BACKEND_CPU, &rung->rung);
    CHECK(!ladder_measure(&result, op_of("scan"), BACKEND_CPU, size, &plan, &err));
    ladder_append(ladder_of("scan"), BACKEND_CPU, NULL);
    CHECK(result.rows == 3 && result.row[2].rung == &rung->rung);
    return result;
}

static void one_size_does_not_find_it(void)
{
    const struct ladder_result even = measured(&wrong[0], 1024, false), uneven = measured(&wrong[0], 1025, false);
    check_subject("one size");
    CHECK(even.row[2].outcome == OUTCOME_RIGHT && !even.row[2].cases);
    CHECK(uneven.row[2].outcome == OUTCOME_WRONG && !uneven.row[2].cases);
}

static void the_cases_do(void)
{
    const struct ladder_result r = measured(&wrong[0], 1024, true);
    check_subject("cases");
    for (size_t i = 0; i < 2; i++) CHECK(r.row[i].outcome == OUTCOME_RIGHT && r.row[i].cases == 26);
    CHECK(r.row[2].outcome == OUTCOME_WRONG && r.row[2].cases == 1); /* of no numbers, before that of one */
    CHECK(!strcmp(r.row[2].why, "at 1 numbers up to 5: sum 0 is 1, not 0"));
    CHECK(rows_fault(r.row, r.rows) == &r.row[2]);
}

static void what_is_wrong_by_design_is_left_out(void)
{
    const struct ladder_result r = measured(&wrong[1], 1024, true);
    check_subject("by design");
    CHECK(r.row[2].outcome == OUTCOME_WRONG && !r.row[2].cases);
    CHECK(!rows_fault(r.row, r.rows));
}

int main(void)
{
    one_size_does_not_find_it();
    the_cases_do();
    what_is_wrong_by_design_is_left_out();
    return check_summary("cases");
}
