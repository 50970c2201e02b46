#ifndef CONVECT_MPI_H
#define CONVECT_MPI_H

#include <stdint.h>

/* Ways in which libraries name communicators, types and requests. */
enum { MPI_OPEN, MPI_CH, MPI_STANDARD };

/* link_load loads a library; NULL, or what is wrong. */
const char *link_load(const char *path, int abi);

/* link_init begins; 0, or the code of MPI. */
int link_init(int *rank, int *size);
int link_finish(void);
void link_abort(int code);

/* link_text describes a code. */
void link_text(int code, char *text);

/* A message of at most 2^30 bytes on its way. */
struct link_message {
	void *bytes;
	void *request; /* of MPI */
	int count, rank, tag;
	int receives, done;
};

/* link_start starts messages; 0, or the code of MPI. */
int link_start(struct link_message *all, int n);

/* link_wait waits for messages for some nanoseconds, and stores how many are not done. */
int link_wait(struct link_message *all, int n, int64_t nanoseconds, int *left);

void link_sleep(int64_t nanoseconds);

/* link_probe stores whether a message of a rank and a tag has come. */
int link_probe(int rank, int tag, int *came);

#endif
