#define _GNU_SOURCE
#include "h5.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

static void limit(int resource, rlim_t value) {
    struct rlimit r;
    if (getrlimit(resource, &r) != 0)
        return;
    if (r.rlim_max != RLIM_INFINITY && r.rlim_max < value)
        value = r.rlim_max;
    r.rlim_cur = r.rlim_max = value;
    setrlimit(resource, &r);
}

/* Address space in use, so that the limit counts what reading adds. */
static size_t address_space(void) {
    size_t pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL)
        return 0;
    if (fscanf(statm, "%zu", &pages) != 1)
        pages = 0;
    fclose(statm);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

#ifdef __linux__
/* A lock on an open file lasts as long as any process holds it open. */
static void close_inherited(void) {
    enum { FIRST = H5_REPORT_FD + 1 };
    DIR *all;
    struct dirent *entry;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, FIRST, ~0U, 0) == 0)
        return;
#endif
    if ((all = opendir("/proc/self/fd")) == NULL)
        return;
    while ((entry = readdir(all)) != NULL) {
        int fd = atoi(entry->d_name);
        if (fd >= FIRST && fd != dirfd(all))
            close(fd);
    }
    closedir(all);
}
#endif

static unsigned long long variable(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

/* No core, no file of its parent, none written, bounded time and memory. Signals that ask for an end are for its parent, with which it
 * dies; those that say that something went wrong end it. */
/* As many files as may be: a virtual dataset keeps all of its sources open, and has fill values for those that it cannot open. */
static void open_many(void) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

static void confine(void) {
    static const int polite[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU};
    sigset_t none;
    size_t used;
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || (unsigned long long)getppid() != variable("CONVECT_H5_PARENT")) /* it died before that */
        _exit(1);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    close_inherited();
#endif
    open_many();
    used = address_space();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_CPU, (rlim_t)variable("CONVECT_H5_SECONDS"));
    if (used > 0)
        limit(RLIMIT_AS, (rlim_t)(used + variable("CONVECT_H5_ROOM")));
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    for (size_t i = 0; i < sizeof polite / sizeof *polite; i++)
        signal(polite[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

int h5_hand_over(int fd, const void *bytes, size_t size) {
    const char *from = bytes;
    while (size > 0) {
        ssize_t n = write(fd, from, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        from += n;
        size -= (size_t)n;
    }
    return 0;
}

void h5_serve(void) {
    struct h5_job *job;
    const char *file = getenv("CONVECT_H5_FILE");
    if (file == NULL)
        return;
    confine();
    job = calloc(1, sizeof *job);
    if (job == NULL)
        _exit(1);
    job->file = file;
    job->dataset = getenv("CONVECT_H5_DATASET");
    job->memory = (int)variable("CONVECT_H5_MEMORY");
    job->capacity = (size_t)variable("CONVECT_H5_CAPACITY");
    h5_prepare_thread();
    H5Lunregister(H5L_TYPE_EXTERNAL); /* nothing can lead out of the file */
    if (h5_run(job) == 0)
        _exit(H5_DONE);
    h5_hand_over(H5_REPORT_FD, job->where, strlen(job->where) + 1);
    h5_hand_over(H5_REPORT_FD, job->text, strlen(job->text));
    _exit(job->refused ? H5_REFUSED : H5_FAILED);
}
