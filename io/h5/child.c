#define _GNU_SOURCE
#include "h5.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

static void limit(int resource, rlim_t value) {
    struct rlimit r = {value, value};
    setrlimit(resource, &r);
}

/* Address space in use, so that the limit counts what the child adds. */
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
    enum { FIRST = STDERR_FILENO + 1 };
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

/* The child has this thread alone and runs no Go: default signals, no output, no
 * core, no file of its parent, bounded time and memory, and it dies with its parent. */
static void confine(pid_t parent, unsigned cpu_seconds, size_t memory_bytes, const sigset_t *mask) {
    int null;
    size_t used;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before that */
        _exit(1);
    close_inherited();
#endif
    used = address_space();
    null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, cpu_seconds);
    if (used > 0)
        limit(RLIMIT_AS, used + memory_bytes);
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, mask, NULL);
}

int h5_run_isolated(struct h5_job *job, unsigned char *out, unsigned cpu_seconds, size_t memory_bytes) {
    sigset_t all, mask, none;
    int status;
    pid_t child, parent = getpid();
    sigfillset(&all);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    child = fork();
    if (child == 0) {
        confine(parent, cpu_seconds, memory_bytes, &none);
        _exit(h5_run(job, out) == 0 ? 0 : 1);
    }
    job->status = child < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (child < 0)
        return H5_NO_CHILD;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) {
            job->status = errno;
            return H5_NO_CHILD;
        }
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        return -WEXITSTATUS(status);
    job->status = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return H5_CRASHED;
}
