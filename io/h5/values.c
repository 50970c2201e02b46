/* The values of a dataset, and the job that asks for them or for the catalogue. */
#include "h5.h"

#include <stdio.h>
#include <stdlib.h>

/* How the values of a dataset are read: parts of it that are contiguous in C order, so many rows of an axis at a time. */
struct parts {
    int rank, axis;
    hsize_t dims[H5S_MAX_RANK], start[H5S_MAX_RANK], count[H5S_MAX_RANK], rows;
    size_t row; /* values of a row */
};

/* Rows of about 8 MiB; where there are chunks, whole ones, so that each is unpacked once. */
static int divide(struct parts *p, hid_t dataset, hid_t space, size_t size) {
    const size_t most = (8 << 20) / size + 1;
    hsize_t chunk[H5S_MAX_RANK];
    hid_t creation = H5Dget_create_plist(dataset);
    int chunked = H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, H5S_MAX_RANK, chunk) > 0;
    H5Pclose(creation);
    p->rank = H5Sget_simple_extent_dims(space, p->dims, NULL);
    if (p->rank < 0 || H5Sget_simple_extent_npoints(space) <= 0)
        return -1;
    p->axis = 0;
    p->row = 1;
    for (int i = 1; i < p->rank; i++)
        p->row *= (size_t)p->dims[i];
    while (!chunked && p->row > most && p->axis + 1 < p->rank)
        p->row /= (size_t)p->dims[++p->axis];
    p->rows = most / p->row + 1;
    if (chunked)
        p->rows = (p->rows + chunk[0] - 1) / chunk[0] * chunk[0];
    for (int i = 0; i < p->rank; i++) {
        p->start[i] = 0;
        p->count[i] = i < p->axis ? 1 : p->dims[i];
    }
    return 0;
}

/* Goes to the next part; 0 behind the last. */
static int next_part(struct parts *p) {
    p->start[p->axis] += p->count[p->axis];
    for (int i = p->axis; i > 0 && p->start[i] >= p->dims[i]; i--) {
        p->start[i] = 0;
        p->start[i - 1]++;
    }
    return p->start[0] < p->dims[0];
}

static int hand_over_parts(struct parts *p, hid_t dataset, hid_t space, hid_t type, unsigned char *values) {
    size_t size = H5Tget_size(type);
    hid_t all = H5Screate_simple(1, (hsize_t[]){p->row * p->rows}, NULL);
    int more = 1, status = all < 0 ? -1 : 0;
    while (status == 0 && more) {
        hsize_t left = p->rank == 0 ? 1 : p->dims[p->axis] - p->start[p->axis], none = 0, n;
        hsize_t rows = left < p->rows ? left : p->rows;
        n = rows * p->row;
        if (p->rank > 0) {
            p->count[p->axis] = rows;
            status = H5Sselect_hyperslab(space, H5S_SELECT_SET, p->start, NULL, p->count, NULL);
        }
        if (status < 0 || H5Sselect_hyperslab(all, H5S_SELECT_SET, &none, NULL, &n, NULL) < 0 ||
            H5Dread(dataset, type, all, p->rank > 0 ? space : H5S_ALL, H5P_DEFAULT, values) < 0)
            status = -1;
        else if (h5_hand_over(H5_DATA_FD, values, (size_t)n * size) < 0)
            status = -1;
        more = p->rank > 0 && next_part(p);
    }
    return status;
}

/* Chunks of more than 1 GiB come from damage, and libhdf5 would allocate them. */
static int chunk_too_large(hid_t dataset, size_t size) {
    hsize_t chunk[H5S_MAX_RANK];
    hid_t creation = H5Dget_create_plist(dataset);
    double bytes = (double)size;
    int rank = H5Pget_layout(creation) == H5D_CHUNKED ? H5Pget_chunk(creation, H5S_MAX_RANK, chunk) : 0;
    for (int i = 0; i < rank; i++)
        bytes *= (double)chunk[i];
    H5Pclose(creation);
    return bytes > (double)(1 << 30);
}

static int read_dataset(struct h5_job *job, hid_t file) {
    hid_t dataset = H5Dopen2(file, job->dataset, H5P_DEFAULT), space, stored, type;
    struct parts p;
    unsigned char *values;
    uint64_t sources;
    size_t size;
    if (dataset < 0)
        return h5_fail(job, job->dataset, NULL);
    if ((job->refused = h5_refusal(dataset, job->text, &sources)) != 0) {
        snprintf(job->where, H5_TEXT, "%s", job->dataset);
        job->refused = job->refused > 0;
        return job->refused ? -1 : h5_fail(job, job->dataset, NULL);
    }
    if ((space = H5Dget_space(dataset)) < 0 || (stored = H5Dget_type(dataset)) < 0)
        return h5_fail(job, job->dataset, NULL);
    type = job->memory == H5_AS_STORED ? stored : h5_memory_type(job->memory);
    size = H5Tget_size(type);
    if ((size_t)H5Sget_simple_extent_npoints(space) * size != job->capacity)
        return h5_fail(job, job->dataset, "the dataset changed while it was read");
    if (chunk_too_large(dataset, H5Tget_size(stored)))
        return h5_fail(job, job->dataset, "chunks of more than 1 GiB");
    if (divide(&p, dataset, space, size) < 0)
        return h5_fail(job, job->dataset, NULL);
    if (p.rows > p.dims[p.axis] && p.rank > 0)
        p.rows = p.dims[p.axis];
    if (p.rank == 0)
        p.rows = 1;
    if ((values = malloc((size_t)p.rows * p.row * size)) == NULL)
        return h5_fail(job, job->dataset, "out of memory");
    return hand_over_parts(&p, dataset, space, type, values) < 0 ? h5_fail(job, job->dataset, NULL) : 0;
}

hid_t h5_open(struct h5_job *job) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (access < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 || (file = H5Fopen(job->file, H5F_ACC_RDONLY, access)) < 0)
        h5_fail(job, "", NULL);
    if (access >= 0)
        H5Pclose(access);
    return file;
}

int h5_run(struct h5_job *job) {
    hid_t file = h5_open(job);
    if (file < 0)
        return -1;
    return job->dataset == NULL ? h5_list(job, file) : read_dataset(job, file);
}
