/* The patterns of the ladders banks and latency are as described: every word once, the bank conflicts, walks that visit
 * all. */
#include "check.h"
#include "kernels/banks.h"
#include "kernels/branch.h"
#include "kernels/latency.h"

#include <string.h>

/* A round reads every word once; broadcast, every lane every word. */
static void check_words(enum banks_order order, unsigned stride)
{
    unsigned times[BANKS_WORDS] = { 0 };
    for (unsigned load = 0; load < banks_loads(order); load++)
        for (unsigned lane = 0; lane < BANKS; lane++) {
            const unsigned word = banks_word(order, stride, lane, load);
            if (CHECK(word < BANKS_WORDS)) times[word]++;
        }
    for (unsigned w = 0; w < BANKS_WORDS; w++) CHECK(times[w] == (order == BANKS_BROADCAST ? BANKS : 1));
}

/* No two words at one place; the table has room for 32 rows of 33. */
static void check_places(enum banks_place place)
{
    bool taken[BANKS * (BANKS + 1)] = { false };
    for (unsigned w = 0; w < BANKS_WORDS; w++) {
        const unsigned at = banks_at(place, w);
        if (!CHECK(at < BANKS * (BANKS + 1))) continue;
        CHECK(!taken[at]);
        taken[at] = true;
    }
}

static double conflict_of(enum banks_order order, enum banks_place place, unsigned stride)
{
    const struct banks_rung rung = { .order = order, .place = place, .stride = stride };
    double sum = 0;
    for (unsigned load = 0; load < BANKS; load++) sum += banks_conflict(&rung, load);
    return sum / BANKS;
}

static void banks(void)
{
    for (unsigned stride = 1; stride <= BANKS; stride *= 2) {
        check_words(BANKS_STRIDE, stride);
        CHECK_NEAR(conflict_of(BANKS_STRIDE, BANKS_PLAIN, stride), stride, 0);
    }
    check_words(BANKS_BROADCAST, 1);
    check_words(BANKS_RANDOM, 1);
    for (int place = BANKS_PLAIN; place <= BANKS_XOR; place++) check_places((enum banks_place)place);
    CHECK_NEAR(conflict_of(BANKS_BROADCAST, BANKS_PLAIN, 1), 1, 0);
    CHECK_NEAR(conflict_of(BANKS_STRIDE, BANKS_PADDED, BANKS), 1, 0);
    CHECK_NEAR(conflict_of(BANKS_STRIDE, BANKS_XOR, BANKS), 1, 0);
    CHECK_NEAR(conflict_of(BANKS_RANDOM, BANKS_PLAIN, 1), 3.5, 0.1); /* 32 balls in 32 bins: 3.53 on average */
}

static void latency(void)
{
    static bool seen[1 << 16];
    for (uint32_t places = 1 << 7; places <= 1 << 16; places *= 2) {
        uint32_t place = 0, count = 0;
        memset(seen, 0, sizeof seen);
        for (; !seen[place]; count++) {
            seen[place] = true;
            place = latency_next(place, places);
        }
        CHECK(place == 0 && count == places);
    }
}

/* No two kinds have a constant in common, or the compiler could merge their paths. */
static void branch(void)
{
    for (uint32_t a = 0; a < BRANCH_KINDS; a++) {
        CHECK(branch_factor(a) % 2);
        for (uint32_t b = 0; b < a; b++) CHECK(branch_factor(a) != branch_factor(b) && branch_mask(a) != branch_mask(b));
    }
}

int main(void)
{
    banks();
    latency();
    branch();
    return check_summary("test_patterns");
}
