#ifndef CONVECT_LAUNCH_H
#define CONVECT_LAUNCH_H

/* Seconds since the process was started. */
double launch_age(void);

/* Whether the process was told to ignore a signal, as nohup does with SIGHUP. */
int launch_ignored(int signal);

#endif
