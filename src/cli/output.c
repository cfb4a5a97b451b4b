/*
 * output.c: JSON objects, text tables, colours and reports of errors.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- JSON ---- */

/* Length of the UTF-8 sequence at s (1 to 4), 0 when it is not valid: stray, cut, overlong,
 * surrogate, too large. */
static int utf8_length(const unsigned char *s) {
    if (s[0] < 0x80)
        return 1;
    int length = s[0] >= 0xF0 && s[0] <= 0xF4  ? 4
                 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                                               : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF0 && s[1] < 0x90) ||
        (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return length;
}

/* A JSON string; bytes that are not UTF-8 become U+FFFD. */
static void write_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        int length = utf8_length(s);
        if (length == 0) {
            fputs("\\ufffd", out);
            length = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else if (*s < 0x20 || *s == 0x7F) {
            fprintf(out, "\\u%04x", *s);
        } else {
            fwrite(s, 1, (size_t)length, out);
        }
        s += length;
    }
    fputc('"', out);
}

static void begin_item(cli_json *json, const char *key) {
    if (json->comma)
        fputs(", ", json->out);
    json->comma = true;
    if (key != NULL) {
        write_string(json->out, key);
        fputs(": ", json->out);
    }
}

void cli_json_open(cli_json *json, const char *key, char bracket) {
    begin_item(json, key);
    fputc(bracket, json->out);
    json->comma = false;
}

void cli_json_close(cli_json *json, char bracket) {
    fputc(bracket, json->out);
    json->comma = true;
}

void cli_json_end(cli_json *json) {
    fputc('\n', json->out);
    fflush(json->out);
    json->comma = false;
}

void cli_json_text(cli_json *json, const char *key, const char *s) {
    begin_item(json, key);
    if (s != NULL)
        write_string(json->out, s);
    else
        fputs("null", json->out);
}

void cli_json_real(cli_json *json, const char *key, double x) {
    begin_item(json, key);
    if (isfinite(x))
        fprintf(json->out, "%.17g", x);
    else
        fputs("null", json->out);
}

void cli_json_int(cli_json *json, const char *key, long long i) {
    begin_item(json, key);
    fprintf(json->out, "%lld", i);
}

void cli_json_bool(cli_json *json, const char *key, bool b) {
    begin_item(json, key);
    fputs(b ? "true" : "false", json->out);
}

void cli_json_law(cli_json *json, const cairn_certificate *certificate) {
    char text[16];
    cli_json_text(json, "law", cairn_law_name(certificate->law));
    cli_json_text(json, "cone", cli_cone_name(certificate->directions, text));
}

static void cli_json_triple(cli_json *json, const char *key, const double *x) {
    cli_json_open(json, key, '[');
    for (int i = 0; i < 3; i++)
        cli_json_real(json, NULL, x[i]);
    cli_json_close(json, ']');
}

void cli_json_certificate(cli_json *json, const cairn_certificate *certificate) {
    cli_json_open(json, "certificate", '{');
    cli_json_real(json, "error", certificate->error);
    cli_json_real(json, "error_angular", certificate->error_angular);
    cli_json_real(json, "relative", certificate->relative);
    cli_json_real(json, "scale", certificate->scale);
    cli_json_real(json, "rms", certificate->rms);
    cli_json_real(json, "rounding", certificate->rounding);
    cli_json_real(json, "moved", certificate->moved);
    cli_json_real(json, "motion", certificate->motion);
    cli_json_int(json, "worst_block", certificate->worst_block);
    cli_json_triple(json, "worst_gamma", certificate->worst_gamma);
    cli_json_triple(json, "worst_u", certificate->worst_u);
    cli_json_triple(json, "worst_shift", certificate->worst_shift);
    cli_json_real(json, "plain", certificate->plain);
    cli_json_real(json, "natural_map", certificate->natural_map);
    if (certificate->directions > 0)
        cli_json_real(json, "natural_map_round", certificate->natural_map_round);
    cli_json_real(json, "tolerance", certificate->tolerance);
    cli_json_bool(json, "certified", certificate->certified);
    cli_json_close(json, '}');
}

void cli_json_sizes(cli_json *json, const cairn_file *file) {
    cairn_problem_view view = cairn_problem_get(file->problem);
    cli_json_open(json, "sizes", '{');
    cli_json_int(json, "n", view.n);
    cli_json_int(json, "m", view.m);
    cli_json_int(json, "contacts", file->contacts);
    cli_json_int(json, "blocks", view.blocks);
    cli_json_close(json, '}');
}

/* ---- errors ---- */

int cli_report_text(const char *file, cairn_status status, bool json, const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (json) {
        cli_json line = {.out = stdout};
        cli_json_open(&line, NULL, '{');
        cli_json_text(&line, "file", file);
        cli_json_text(&line, "error", message);
        cli_json_text(&line, "status", cairn_status_name(status));
        cli_json_close(&line, '}');
        cli_json_end(&line);
    }
    cli_complain("%s", message);
    return status == CAIRN_ERROR_UNSUPPORTED || status == CAIRN_ERROR_NUMERICAL ? CLI_UNSOLVED : CLI_BAD_FILE;
}

int cli_report(cairn_context *context, const char *file, cairn_status status, bool json) {
    const char *message = cairn_error_message(context);
    if (*message == '\0')
        message = cairn_status_name(status);
    if (file != NULL && strstr(message, cli_basename(file)) == NULL)
        return cli_report_text(file, status, json, "%s: %s", file, message);
    return cli_report_text(file, status, json, "%s", message);
}

/* ---- tables ---- */

static bool coloured_output(void) {
    const char *no_color = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (no_color == NULL || *no_color == '\0');
}

const char *cli_green(void) {
    return coloured_output() ? "\033[32m" : "";
}

const char *cli_red(void) {
    return coloured_output() ? "\033[31m" : "";
}

const char *cli_bold(void) {
    return coloured_output() ? "\033[1m" : "";
}

const char *cli_plain(void) {
    return coloured_output() ? "\033[0m" : "";
}

/* Letters of a UTF-8 text: its bytes that do not continue a letter. */
static int letters(const char *text) {
    int count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void print_cell(const char *text, int width, bool last, const char *colour) {
    int space = abs(width) - letters(text);
    bool left = width < 0;
    if (!left)
        printf("%*s", space > 0 ? space : 0, "");
    printf("%s%s%s", colour, text, *colour != '\0' ? cli_plain() : "");
    if (last)
        printf("\n");
    else
        printf("%*s", 2 + (left && space > 0 ? space : 0), "");
}

void cli_table_head(const cli_column *column, int columns) {
    for (int i = 0; i < columns; i++)
        print_cell(column[i].title, column[i].width, i + 1 == columns, cli_bold());
}

void cli_table_row(const cli_column *column, int columns, const char *const *cell, int coloured, const char *colour) {
    for (int i = 0; i < columns; i++)
        print_cell(cell[i] != NULL ? cell[i] : "", column[i].width, i + 1 == columns, i == coloured ? colour : "");
    fflush(stdout);
}

const char *cli_short(double x, char text[16]) {
    if (isnan(x))
        snprintf(text, 16, "-");
    else if (x == 0.0)
        snprintf(text, 16, "0");
    else
        snprintf(text, 16, "%.2e", x);
    return text;
}

const char *cli_speed(double x, char text[16]) {
    double size = fabs(x);
    if (isnan(x))
        snprintf(text, 16, "-");
    else if (size >= 1e-9 && size < 1e-6)
        snprintf(text, 16, "%.3g nm/s", x * 1e9);
    else if (size >= 1e-6 && size < 1e-3)
        snprintf(text, 16, "%.3g um/s", x * 1e6);
    else if (size >= 1e-3 && size < 0.1)
        snprintf(text, 16, "%.3g mm/s", x * 1e3);
    else
        snprintf(text, 16, "%.3g m/s", x);
    return text;
}

const char *cli_seconds(double s, char text[16]) {
    if (!(s >= 0.0))
        snprintf(text, 16, "-");
    else if (s < 1e-3)
        snprintf(text, 16, "%.0f us", s * 1e6);
    else if (s < 1.0)
        snprintf(text, 16, "%.2f ms", s * 1e3);
    else
        snprintf(text, 16, "%.2f s", fmin(s, 1e9));
    return text;
}
