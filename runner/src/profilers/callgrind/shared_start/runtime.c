/* Loaded into a program before its `main`: forks once for each run that it is asked for, so that all of them share one start of the
 * profiler and each begins where a start of its own would.
 *
 * The program is started with `MARK`, the path of a file of runs, and as many arguments as each run has. The file holds texts that
 * end with a zero byte: the file for the report, the number of arguments, the milliseconds after which no other run begins, and for
 * each run its limit in milliseconds and its arguments. The report tells `s RUN PROCESS` of each start and `e RUN STATUS` of each
 * end. In a run, the arguments are replaced where they lie. This library is taken out of `LD_PRELOAD`: the program finds what it would
 * find without it. Without `MARK` this is all that happens.
 *
 * Calls no allocator and no formatting: the runs inherit everything that happens here. Calls `times` and no other clock, since
 * callgrind may end a part of its output at each reading of the others. */

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static const char MARK[] = "lito-shared-start";

/* The start of the name of this library's file. */
static const char NAME[] = "lito-shared-start";

static const char PRELOAD[] = "LD_PRELOAD=";

/* Bytes of a file of runs; a longer one is refused. */
#define LARGEST (128 << 10)

static char runs[LARGEST];

/* Microseconds between two looks at a run. */
#define INTERVAL 4000

/* The texts of a file of runs that were not read yet. */
struct texts {
    char *at;
    char *end;
};

static int begins_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* Since some moment, with steps of ten. */
static unsigned long long milliseconds(void) {
    struct tms unused;
    return (unsigned long long)times(&unused) * 1000 / (unsigned long long)sysconf(_SC_CLK_TCK);
}

static char *next(struct texts *texts) {
    char *text = texts->at;
    texts->at += strlen(text);
    if (texts->at < texts->end)
        texts->at++;
    return text;
}

static unsigned long long number(const char *text) {
    unsigned long long value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (unsigned long long)(*text - '0');
    return value;
}

/* The texts of a file; none if it can't be read or is too large. */
static int read_runs(const char *path, struct texts *texts) {
    int file = open(path, O_RDONLY);
    size_t length = 0;
    ssize_t got = -1;
    if (file < 0)
        return 0;
    /* The last byte stays zero. */
    while (length < LARGEST - 1 && (got = read(file, runs + length, LARGEST - 1 - length)) > 0)
        length += (size_t)got;
    close(file);
    texts->at = runs;
    texts->end = runs + length;
    return got == 0;
}

/* Writes a number and returns its end. */
static char *digits(char *into, unsigned long long value) {
    if (value >= 10)
        into = digits(into, value / 10);
    *into = (char)('0' + value % 10);
    return into + 1;
}

/* Writes a line, and closes the file again: a run must not inherit it. */
static void tell(const char *report, char what, unsigned long long run, long long value) {
    char line[64];
    char *end = line;
    ssize_t written;
    int file;
    *end++ = what;
    *end++ = ' ';
    end = digits(end, run);
    *end++ = ' ';
    end = digits(end, (unsigned long long)value);
    *end++ = '\n';
    file = open(report, O_WRONLY | O_CREAT | O_APPEND, 0600);
    written = write(file, line, (size_t)(end - line));
    (void)written;
    close(file);
}

/* Waits for a run, and ends it at its limit. */
static int ended(pid_t process, unsigned long long limit) {
    unsigned long long began = milliseconds();
    int status = 0;
    for (;;) {
        pid_t other = waitpid(process, &status, WNOHANG);
        if (other != 0)
            return other == process ? status : -1;
        if (milliseconds() - began >= limit)
            kill(process, SIGKILL);
        usleep(INTERVAL);
    }
}

/* Ends the list of libraries before this one, which is its last. Where it is the only one, the profiler is about to start: the program
 * is still to find it. */
static void cut_library(char *list) {
    char *entry = list;
    for (char *at = list; *at != 0; at++) {
        if (*at != ':' && *at != ' ' && *at != '/')
            continue;
        if (*at != '/')
            entry = at;
        if (begins_with(at + 1, NAME)) {
            if (entry != list)
                *entry = 0;
            return;
        }
    }
}

/* Has neither the program nor those that it starts know of this library. */
static void leave_environment(char **environment) {
    for (char **variable = environment; *variable != NULL; variable++)
        if (begins_with(*variable, PRELOAD))
            cut_library(*variable + strlen(PRELOAD));
}

/* glibc calls it with the arguments of `main`, before any code of the program. */
__attribute__((constructor)) static void start(int count, char **arguments, char **environment) {
    struct texts texts;
    const char *report;
    unsigned long long each, budget, began;
    leave_environment(environment);
    if (count < 3 || strcmp(arguments[1], MARK) != 0)
        return;
    if (!read_runs(arguments[2], &texts))
        _exit(1);
    report = next(&texts);
    each = number(next(&texts));
    budget = number(next(&texts));
    if (each + 1 != (unsigned long long)count)
        _exit(1);
    began = milliseconds();
    for (unsigned long long run = 0; texts.at < texts.end && milliseconds() - began < budget; run++) {
        unsigned long long limit = number(next(&texts));
        struct texts own = texts;
        pid_t process;
        for (unsigned long long argument = 0; argument < each; argument++)
            next(&texts);
        process = fork();
        if (process < 0)
            break;
        if (process == 0) {
            for (unsigned long long at = 1; at <= each; at++)
                arguments[at] = next(&own);
            return;
        }
        tell(report, 's', run, process);
        tell(report, 'e', run, ended(process, limit));
    }
    _exit(0);
}
