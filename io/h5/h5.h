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
/* A dataset whose values are in n datasets of the same name in other files: rows[4 i + 1] rows of its second axis
 * from rows[4 i] on are those from rows[4 i + 2] on of the rows[4 i + 3] in names[i]. */
int h5_make_virtual(hid_t file, const char *path, int memory, int rank, const hsize_t *dims, size_t n, const char *const *names, const hsize_t *rows);
int h5_replace_text(hid_t file, const char *object, const char *name, const char *text, size_t size);
int h5_write_text(hid_t file, const char *path, const char *text, size_t size, int utf8);
int h5_write_values(hid_t dataset, int memory, const void *values);
int h5_write_chunk(hid_t dataset, const hsize_t *origin, const void *bytes, size_t size);
int h5_write_letters(hid_t file, const char *path, const char *letters, hsize_t count);
int h5_put_scales(hid_t file, const char *dataset, int rank, const char *const *scales);
int h5_put_users(hid_t file, const char *scale, size_t count, const char *const *users, const int *axes);
int h5_plain_times(hid_t creation);
int h5_in_one_piece(hid_t creation);
int h5_shuffle(hid_t creation);

/* reader.c and values.c: one reading job. With dataset NULL the catalogue of the file (every
 * group, dataset, attribute; format in reader.c), at most capacity bytes, goes to
 * H5_DATA_FD; else the values of that dataset, exactly capacity bytes. Returns 0, or
 * -1 with where (an object or "") and text (an error stack, or with refused set
 * a reason in words) filled. */
enum { H5_DATA_FD = 3, H5_REPORT_FD = 4 };
struct h5_job {
    const char *file;
    const char *dataset;
    int memory;
    size_t capacity;
    size_t used;
    int refused;
    char where[H5_TEXT];
    char text[H5_TEXT];
};
int h5_run(struct h5_job *job);
hid_t h5_open(struct h5_job *job);
int h5_list(struct h5_job *job, hid_t file);
/* The catalogue of the file in this process, job->used bytes that the caller frees; NULL: as h5_run fails. */
unsigned char *h5_list_here(struct h5_job *job);
/* Notes why a job fails, unless that is known: an object, and the reason or, where it is NULL, the error stack. Returns -1. */
int h5_fail(struct h5_job *job, const char *where, const char *why);

/* refusal.c: 1 and the reason (H5_TEXT bytes) where the values of a dataset are not read: they lie in other files, but for
 * virtual datasets made of regular files in its own folder, or are packed by an unknown filter; 0 with the size of those files;
 * -1 where libhdf5 fails. The values are not looked at, nor is the extent of a virtual dataset, for which libhdf5 would open them. */
int h5_refusal(hid_t dataset, char *why, uint64_t *stored);

/* child.c: where the environment holds a job, runs it and ends the process with H5_DONE, or with H5_FAILED or H5_REFUSED and where and
 * text on H5_REPORT_FD, a NUL between them. */
enum { H5_DONE = 0, H5_FAILED = 2, H5_REFUSED = 3 };
void h5_serve(void);
int h5_hand_over(int fd, const void *bytes, size_t size);

#endif
