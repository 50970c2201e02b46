/* What gonum.org/v1/hdf5 lacks: error text, attributes, direct chunks, a reader
 * that can be run in a child process. Every function runs on one thread. */
#ifndef CONVECT_H5_H
#define CONVECT_H5_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

enum { H5_TEXT = 4096 };

/* Memory types of attributes and datasets. */
enum h5_memory { H5_AS_STORED, H5_FLOAT32, H5_FLOAT64, H5_INT64 };

/* library.c: silence this thread; the error stack, outermost call first, one
 * description a line, into H5_TEXT bytes. */
void h5_prepare_thread(void);
void h5_error_text(char *text);
hid_t h5_memory_type(int memory);

/* writer.c: 0, or negative with the error stack left in place. */
int h5_put_values(hid_t file, const char *object, const char *name, int memory, int rank, hsize_t count,
                  const void *values);
int h5_put_text(hid_t file, const char *object, const char *name, const char *text, size_t size, int utf8);
int h5_write_text(hid_t file, const char *path, const char *text, size_t size, int utf8);
int h5_write_values(hid_t dataset, int memory, const void *values);
int h5_write_chunk(hid_t dataset, const hsize_t *origin, const void *bytes, size_t size);
int h5_plain_times(hid_t creation);
int h5_shuffle(hid_t creation);

/* reader.c: one reading job. With dataset NULL the catalogue of the file (every
 * group, dataset, attribute; format in reader.c) goes to out, used bytes of at most
 * capacity; else the values of that dataset, exactly capacity bytes. Returns 0, or
 * -1 with where (an object or "") and text (an error stack) filled. */
struct h5_job {
    const char *file;
    const char *dataset;
    int memory;
    size_t capacity;
    size_t used;
    int status;
    char where[H5_TEXT];
    char text[H5_TEXT];
};
int h5_run(struct h5_job *job, unsigned char *out);

/* child.c: the same in a forked child; job and out must lie in shared memory.
 * Returns h5_run's answer, or H5_CRASHED with the signal in job->status, or
 * H5_NO_CHILD with errno in job->status. */
enum { H5_CRASHED = -2, H5_NO_CHILD = -3 };
int h5_run_isolated(struct h5_job *job, unsigned char *out, unsigned cpu_seconds, size_t memory_bytes);

#endif
