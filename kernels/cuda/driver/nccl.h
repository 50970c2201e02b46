/* NCCL, NVIDIA's library for messages between GPUs, as a program finds it when it runs: no binary needs it to start. Functions return 0, or what cv_nccl_text explains. */
#ifndef CONVECT_NCCL_H
#define CONVECT_NCCL_H

#include "gpu.h"

/* A GPU waits for so many seconds: longer than a rank is waited for, so that it is named first; and for all to join. */
enum { cv_nccl_id_bytes = 128, cv_nccl_seconds = 15, cv_nccl_join_seconds = 60 };

/* So many bytes of the GPU's memory, to another rank or from it. */
typedef struct {
  uintptr_t address;
  size_t bytes;
  int rank;
} cv_message;

/* Loads the library of that name, once. Returns why it cannot be had, or NULL. */
const char *cv_nccl_load(const char *name);
int cv_nccl_version(void);
const char *cv_nccl_text(int result);

int cv_nccl_new_id(char *id);
/* Waits for all ranks to join; returns cv_lost_silent where they do not within cv_nccl_join_seconds. */
int cv_nccl_join(cv_gpu *g, const char *id, int rank, int size);
/* Queues messages, all of them at a time. */
int cv_nccl_exchange(cv_gpu *g, const cv_message *send, int sends, const cv_message *receive, int receives);
/* lost: others may not answer any more. */
int cv_nccl_leave(cv_gpu *g, int lost);

#endif
