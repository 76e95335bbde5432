/* Tables of text: in columns for a terminal, or as Markdown. */
#ifndef ISO_TABLE_H
#define ISO_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TABLE_CELL = 80, TABLE_COLUMNS = 16 };

struct table_column {
    const char *title;
    int width; /* characters in plain text; negative: aligned left */
};

struct table {
    FILE *out;
    bool markdown;
    const struct table_column *columns;
    int count; /* of columns, at most TABLE_COLUMNS */
};

struct table_cells { /* a row; zero is an empty one */
    char text[TABLE_COLUMNS][TABLE_CELL];
    int used;
};

/* Add a cell to `row`, as printf would print it; a number that is not finite is "-". */
void table_print(struct table_cells *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_text(struct table_cells *row, const char *text);
void table_number(struct table_cells *row, double value, int decimals);

/* Print the titles, and a row. */
void table_titles(const struct table *table);
void table_row(const struct table *table, const struct table_cells *row);

#ifdef __cplusplus
}
#endif
#endif
