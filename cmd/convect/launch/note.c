#define _GNU_SOURCE
#include "launch.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static struct timespec begun;
static unsigned long long ignored; /* bit s - 1: signal s */

/* Runs before the Go runtime. */
__attribute__((constructor)) static void note(void) {
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (int s = 1; s < NSIG && s <= 64; s++) {
        struct sigaction action;
        if (sigaction(s, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            ignored |= 1ULL << (s - 1);
    }
}

double launch_age(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - begun.tv_nsec);
}

int launch_ignored(int signal) { return signal >= 1 && signal <= 64 && (ignored >> (signal - 1) & 1); }
