/*
 * bench_machine.c: the machine that times were taken on: processor, memory, system, compiler.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value of the first line "KEY...: VALUE" of a file of /proc; text is left alone when there
 * is none. */
static void read_proc(const char *path, const char *key, char *text, size_t size) {
    char line[512];
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return;
    while (fgets(line, sizeof line, in) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || colon == NULL)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(text, size, "%s", colon);
        break;
    }
    fclose(in);
}

void bench_machine_read(bench_machine *machine) {
    *machine = (bench_machine){.cpu = "unknown processor", .system = "unknown system"};
    read_proc("/proc/cpuinfo", "model name", machine->cpu, sizeof machine->cpu);
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(machine->system, sizeof machine->system, "%.40s %.40s %.40s", name.sysname, name.release,
                 name.machine);
    machine->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    machine->memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#if defined(__clang__)
    snprintf(machine->compiler, sizeof machine->compiler, "clang %s", __clang_version__);
#elif defined(__GNUC__)
    snprintf(machine->compiler, sizeof machine->compiler, "gcc %s", __VERSION__);
#else
    snprintf(machine->compiler, sizeof machine->compiler, "unknown compiler");
#endif
#ifdef NDEBUG
    snprintf(machine->build, sizeof machine->build, "optimised, no assertions");
#elif defined(__OPTIMIZE__)
    snprintf(machine->build, sizeof machine->build, "optimised, with assertions");
#else
    snprintf(machine->build, sizeof machine->build, "not optimised");
#endif
}

void bench_machine_json(const bench_machine *machine, cli_json *json) {
    cli_json_open(json, "machine", '{');
    cli_json_text(json, "cpu", machine->cpu);
    cli_json_int(json, "cores", machine->cores);
    cli_json_real(json, "memory", machine->memory);
    cli_json_text(json, "system", machine->system);
    cli_json_text(json, "compiler", machine->compiler);
    cli_json_text(json, "build", machine->build);
    cli_json_close(json, '}');
}
