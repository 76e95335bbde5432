#include "ladder_mine.h"

#include "lesson.h"
#include "op.h"
#include "terminal.h"
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- the file to start from ---------------------------------------------------------------------------------------- */

static const char *source_of(const char *path)
{
    for (const struct resource *r = kernel_sources; r->name; r++)
        if (!strcmp(r->name, path)) return (const char *)r->begin;
    return NULL;
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

/* Skips the comment at the start of a file. */
static const char *behind_head(const char *source)
{
    const char *const end = strstr(source, "*/");
    return end ? next_line(end) : source;
}

/* A row of a table of rungs: its name, and the range of text that follows the name. */
struct row {
    char name[32];
    const char *rest, *end;
};

/* Finds the brace that closes the row, from `at`, which is two braces deep. NULL: there is none. */
static const char *row_end(const char *at)
{
    bool quoted = false;
    for (int depth = 2; *at; at++) {
        if (*at == '"') quoted = !quoted;
        if (!quoted) depth += (*at == '{') - (*at == '}');
        if (!depth) return at;
    }
    return NULL;
}

/* Finds the first row whose rung does something. */
static bool find_row(const char *source, struct row *row)
{
    static const char begin[] = "\n    { { \"";
    const char *at = source;
    do {
        at = strstr(at, begin);
        if (!at) return false;
        at += strlen(begin);
        row->rest = at + strcspn(at, "\"") + 1;
        snprintf(row->name, sizeof row->name, "%.*s", (int)(row->rest - 1 - at), at);
    } while (!strcmp(row->name, "none"));
    row->end = row_end(row->rest);
    return row->end != NULL;
}

/* The end of the section with that name; NULL: there is none. */
static const char *section_end(const char *source, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(source, "\n/* ---- "); at; at = strstr(at + 1, "\n/* ---- ")) {
        if (strncmp(at + 9, name, length) != 0 || (at[9 + length] != ' ' && at[9 + length] != ',')) continue;
        const char *end = next_line(at + 1);
        while (*end && !text_begins(end, "/* ---- ") && !text_begins(end, "const struct") &&
               !text_begins(end, "/* clang-format off"))
            end = next_line(end);
        return end;
    }
    return NULL;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Whether the word occurs in [begin, end). */
static bool has_word(const char *begin, const char *end, const char *word, size_t length)
{
    for (const char *at = begin; at + length < end; at++)
        if (!strncmp(at, word, length) && !is_word(at[length]) && (at == begin || !is_word(at[-1]))) return true;
    return false;
}

/* The line after `from` that defines a macro. NULL: there is none, or its definition has several lines. */
static const char *find_macro(const char *from, const char *word, size_t length)
{
    for (const char *at = strstr(from, "\n#define "); at; at = strstr(at + 1, "\n#define "))
        if (!strncmp(at + 9, word, length) && at[9 + length] == ' ' && next_line(at + 1)[-2] != '\\') return at + 1;
    return NULL;
}

/* Whether the code defines the function, either by its name or as run_NAME by MACRO(NAME, ...), as in copy_cuda.cu. */
static bool defines(const char *begin, const char *end, const char *word, size_t length)
{
    char made[64];
    if (has_word(begin, end, word, length)) return true;
    snprintf(made, sizeof made, "(%.*s,", (int)length - 4, word + 4);
    const char *const found = length > 4 && text_begins(word, "run_") ? strstr(begin, made) : NULL;
    return found && found < end;
}

/* Whether the printed code before the row defines all functions that the row names. print: also prints the definitions
 * of macros in the row that come later in the file. Other names in capitals belong to headers. */
static bool knows_all(const struct row *row, const char *begin, const char *end, bool print)
{
    bool quoted = false;
    for (const char *at = row->rest; at < row->end;) {
        size_t length = 0;
        while (is_word(at[length])) length++;
        if (*at == '"') quoted = !quoted;
        const bool word = !quoted && length && isalpha((unsigned char)*at);
        const char *const macro = word && print ? find_macro(end, at, length) : NULL;
        if (macro) printf("%.*s", (int)(next_line(macro) - macro), macro);
        if (word && islower((unsigned char)*at) && strncmp(at, "false", length) != 0 && strncmp(at, "true", length) != 0 &&
            !defines(begin, end, at, length))
            return false;
        at += length ? length : 1;
    }
    return true;
}

/* What a template is made of: the source of an op on a backend, from after its first comment to the end of its first
 * rung. */
struct beginning {
    struct row row;
    const char *code, *end;
};

/* Returns false if no rung is short enough. */
static bool find_beginning(struct beginning *b, const char *op, enum backend backend)
{
    char path[64];
    snprintf(path, sizeof path, "kernels/%s_%s.%s", op, backends[backend]->name, backend == BACKEND_CUDA ? "cu" : "c");
    const char *const source = source_of(path);
    if (!source || !find_row(source, &b->row)) return false;
    b->code = behind_head(source), b->end = section_end(source, b->row.name);
    return b->end && knows_all(&b->row, b->code, b->end, false);
}

static int print_template(const char *op, enum backend backend, struct err *err)
{
    const char *const name = backends[backend]->name, *const ending = backend == BACKEND_CUDA ? "cu" : "c";
    struct beginning b;
    const enum backend other = backend == BACKEND_CPU ? BACKEND_CUDA : BACKEND_CPU;
    if (!find_beginning(&b, op, backend)) {
        if (find_beginning(&b, op, other))
            return err_set(err, ERR_USAGE, "%s has nothing on %s to start from: add --backend %s", op, name,
                           backends[other]->name);
        return err_set(err, ERR_FAILED, "%s has no rung on %s short enough to start from: see 'isoscope ladder %s'", op,
                       name, op);
    }
    printf("/* A rung of one's own for %s on %s. It begins as the rung \"%s\".\n"
           " * What it must do: isoscope ladder %s --contract%s\n"
           " * Try it:          isoscope ladder %s --rung-file THIS_FILE.%s */\n"
           "#include \"own_rung.h\"\n%.*s",
           op, name, b.row.name, op, backend == BACKEND_CUDA ? " --backend cuda" : "", op, ending, (int)(b.end - b.code),
           b.code);
    knows_all(&b.row, b.code, b.end, true);
    printf("ISO_MINE(%s) = { { \"%s\"%.*s};\n", op, MINE_NAME, (int)(b.row.end - b.row.rest), b.row.rest);
    return ERR_NONE;
}

/* ---- the contract -------------------------------------------------------------------------------------------------- */

enum { MOST_HEADERS = 32 };

static void print_includes(const char *text, const char *end, const char *printed[MOST_HEADERS]);

/* Prints a header and then the headers that it includes, each once. */
static void print_header(const char *path, const char *printed[MOST_HEADERS])
{
    const char *const text = source_of(path);
    size_t n = 0;
    while (n < MOST_HEADERS && printed[n] && printed[n] != text) n++;
    if (!text || n == MOST_HEADERS || printed[n]) return;
    printed[n] = text;
    printf("%s==> %s <==\n%s", n ? "\n" : "", path, text);
    print_includes(text, text + strlen(text), printed);
}

/* Prints the headers that [text, end) includes. */
static void print_includes(const char *text, const char *end, const char *printed[MOST_HEADERS])
{
    static const char include[] = "#include \"";
    for (const char *at = text; (at = strstr(at, include)) && at < end; at++) {
        char below[64];
        const char *const name = at + sizeof include - 1;
        if (at != text && at[-1] != '\n') continue;
        snprintf(below, sizeof below, "kernels/%.*s", (int)strcspn(name, "\""), name);
        print_header(below, printed);
    }
}

/* Prints the op's header, the headers that any rung may use, and those that the template uses. */
static void print_contract(const char *op, enum backend backend)
{
    const char *printed[MOST_HEADERS] = { NULL };
    struct beginning b;
    char path[64];
    snprintf(path, sizeof path, "kernels/%s.h", op);
    print_header(path, printed);
    print_header("kernels/own_rung.h", printed);
    if (find_beginning(&b, op, backend)) print_includes(b.code, b.end, printed);
    print_header("kernels/own_kernel.h", printed);
}

int ladder_mine_print(const struct options *o, struct err *err)
{
    const char *const op = ladder_of(o->setup.file)->op;
    const enum backend backend = o->setup.backend == CHOICE_CUDA ? BACKEND_CUDA : BACKEND_CPU;
    if (o->from_template) return print_template(op, backend, err);
    print_contract(op, backend);
    return ERR_NONE;
}

/* ---- from the file to the ladder ----------------------------------------------------------------------------------- */

static void pass_on(const char *said)
{
    while (*said) {
        const int length = (int)strcspn(said, "\n");
        text_say(stderr, "%.*s", length, said);
        said += length + (said[length] == '\n');
    }
}

/* Requests all that will be timed: none of it may crash this process. */
static int check(struct mine *mine, const struct options *o, struct err *err)
{
    _Static_assert((int)OPTION_SIZES <= (int)MINE_SIZES, "all fit");
    struct mine_request request = { .threads = o->setup.threads };
    for (int i = 0; i < o->size_count; i++) request.size[i] = o->sizes[i];
    for (int i = 0; i < o->block_count && mine->backend == BACKEND_CUDA; i++) request.block[i] = (unsigned)o->blocks[i];
    memcpy(request.shape, o->shape, sizeof request.shape);
    terminal_line("%s: checked in a process of its own", mine->name);
    const int code = mine_check(mine, &request, NULL, err);
    terminal_line("%s", "");
    pass_on(mine->said);
    return code;
}

static int build(struct mine *mine, struct err *err)
{
    terminal_line("%s: compiled", mine->name);
    const int code = mine_build(mine, NULL, err);
    terminal_line("%s", "");
    pass_on(mine->said);
    return code;
}

/* Without a GPU, still compiles the rung, so that the user sees the compiler's messages. Always returns an error. */
static int build_alone(struct mine *mine, const char *why, struct err *err)
{
    if (!mine_has_compiler(mine))
        return err_set(err, ERR_CUDA, "%s is a rung for CUDA, but CUDA cannot be used: %s", mine->name, why);
    if (build(mine, err)) return err->code;
    return err_set(err, ERR_CUDA, "%s compiles, but was not run: %s", mine->name, why);
}

int ladder_mine_join(struct mine *mine, const struct options *o, struct err *err)
{
    const struct ladder *const asked = ladder_of(o->setup.file);
    if (mine_open(mine, o->view.rung_file, err)) return err->code;
    const char *const ending = mine->backend == BACKEND_CUDA ? ".cu" : ".c";
    const enum backend_choice fits = mine->backend == BACKEND_CUDA ? CHOICE_CUDA : CHOICE_CPU;
    if (o->setup.backend != CHOICE_AUTO && o->setup.backend != fits)
        return err_set(err, ERR_USAGE, "--rung-file: a %s file is a rung for %s, but --backend names another backend",
                       ending, backends[mine->backend]->name);
    char text[256];
    if (!backends[mine->backend]->available(text, sizeof text)) return build_alone(mine, text, err);
    if (build(mine, err) || check(mine, o, err)) return err->code;
    if (mine->ladder != asked)
        return err_set(err, ERR_USAGE, "%s is a rung of %s, not of %s: try 'isoscope ladder %s --rung-file %s'", mine->name,
                       mine->ladder->op, asked->op, mine->ladder->op, o->view.rung_file);
    if (!o->json)
        text_say(stdout, "%s is right: %llu %s", mine->name, (unsigned long long)mine->cases,
                 text_word(mine->cases, "case", "cases"));
    const int code = mine_join(mine, err);
    mine_close(mine); /* a loaded library needs no file */
    return code;
}
