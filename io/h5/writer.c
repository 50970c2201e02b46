#include "h5.h"

#include <stdlib.h>
#include <string.h>

/* A fixed-length string of size bytes padded with NUL, as VTKHDF demands. */
static hid_t text_type(size_t size, int utf8) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0)
        return type;
    if (H5Tset_size(type, size) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
        H5Tset_cset(type, utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII) < 0)
        return -1;
    return type;
}

static hid_t value_space(int rank, hsize_t count) {
    return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
}

/* Each failure returns at once: a further call would clear the error stack. What
 * stays open in the file stays so: the file is abandoned. */
static int put(hid_t file, const char *object, const char *name, hid_t type, hid_t space, const void *values) {
    hid_t owner, attribute;
    htri_t exists;
    if (type < 0 || space < 0 || (owner = H5Oopen(file, object, H5P_DEFAULT)) < 0)
        return -1;
    if ((exists = H5Aexists(owner, name)) < 0 || (exists > 0 && H5Adelete(owner, name) < 0))
        return -1;
    if ((attribute = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT)) < 0)
        return -1;
    if (H5Awrite(attribute, type, values) < 0)
        return -1;
    return H5Aclose(attribute) < 0 || H5Oclose(owner) < 0 || H5Sclose(space) < 0 ? -1 : 0;
}

int h5_put_values(hid_t file, const char *object, const char *name, int memory, int rank, hsize_t count,
                  const void *values) {
    return put(file, object, name, h5_memory_type(memory), value_space(rank, count), values);
}

/* Text in place of one as long, which leaves the file as if it had been there from the start. */
int h5_replace_text(hid_t file, const char *object, const char *name, const char *text, size_t size) {
    hid_t owner = H5Oopen(file, object, H5P_DEFAULT), attribute, type;
    if (owner < 0 || (attribute = H5Aopen(owner, name, H5P_DEFAULT)) < 0 || (type = H5Aget_type(attribute)) < 0 || H5Tget_size(type) != size || H5Awrite(attribute, type, text) < 0)
        return -1;
    return H5Tclose(type) < 0 || H5Aclose(attribute) < 0 ? -1 : H5Oclose(owner);
}

int h5_put_text(hid_t file, const char *object, const char *name, const char *text, size_t size, int utf8) {
    hid_t type = text_type(size, utf8);
    if (put(file, object, name, type, value_space(0, 1), text) < 0)
        return -1;
    return H5Tclose(type);
}

int h5_write_text(hid_t file, const char *path, const char *text, size_t size, int utf8) {
    hid_t type = text_type(size, utf8), space = value_space(0, 1), creation, dataset;
    if (type < 0 || space < 0 || (creation = H5Pcreate(H5P_DATASET_CREATE)) < 0 || h5_plain_times(creation) < 0)
        return -1;
    if ((dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT)) < 0)
        return -1;
    if (H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
        return -1;
    return H5Dclose(dataset) < 0 || H5Pclose(creation) < 0 || H5Sclose(space) < 0 || H5Tclose(type) < 0 ? -1 : 0;
}

int h5_write_values(hid_t dataset, int memory, const void *values) {
    return H5Dwrite(dataset, h5_memory_type(memory), H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

int h5_write_chunk(hid_t dataset, const hsize_t *origin, const void *bytes, size_t size) {
    return H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, origin, size, bytes);
}

/* One axis of single letters. */
int h5_write_letters(hid_t file, const char *path, const char *letters, hsize_t count) {
    hid_t type = text_type(1, 0), space = value_space(1, count), creation, dataset;
    if (type < 0 || space < 0 || (creation = H5Pcreate(H5P_DATASET_CREATE)) < 0 || h5_plain_times(creation) < 0)
        return -1;
    if ((dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT)) < 0)
        return -1;
    if (H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, letters) < 0)
        return -1;
    return H5Dclose(dataset) < 0 || H5Pclose(creation) < 0 || H5Sclose(space) < 0 || H5Tclose(type) < 0 ? -1 : 0;
}

/* The lists by which dimension scales and datasets know each other (HDF5 Dimension Scale Specification). H5DSattach_scale would leave bytes of the
 * stack between the members of a user, so that equal content gave different files. */
int h5_put_scales(hid_t file, const char *dataset, int rank, const char *const *scales) {
    hobj_ref_t references[H5S_MAX_RANK];
    hvl_t axes[H5S_MAX_RANK];
    hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ);
    memset(axes, 0, sizeof axes);
    for (int i = 0; i < rank; i++) {
        if (H5Rcreate(&references[i], file, scales[i], H5R_OBJECT, -1) < 0)
            return -1;
        axes[i].len = 1;
        axes[i].p = &references[i];
    }
    if (put(file, dataset, "DIMENSION_LIST", type, value_space(1, (hsize_t)rank), axes) < 0)
        return -1;
    return H5Tclose(type);
}

struct user {
    hobj_ref_t dataset;
    int32_t axis, nothing;
};

int h5_put_users(hid_t file, const char *scale, size_t count, const char *const *users, const int *axes) {
    struct user *list = calloc(count, sizeof *list);
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *list);
    int status = list == NULL || type < 0 || H5Tinsert(type, "dataset", offsetof(struct user, dataset), H5T_STD_REF_OBJ) < 0 ||
                         H5Tinsert(type, "dimension", offsetof(struct user, axis), H5T_STD_I32LE) < 0
                     ? -1
                     : 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        status = H5Rcreate(&list[i].dataset, file, users[i], H5R_OBJECT, -1) < 0 ? -1 : 0;
        list[i].axis = axes[i];
    }
    if (status == 0)
        status = put(file, scale, "REFERENCE_LIST", type, value_space(1, count), list);
    free(list);
    return status < 0 ? -1 : H5Tclose(type);
}

/* Without times of modification equal content gives equal files. */
int h5_plain_times(hid_t creation) { return H5Pset_obj_track_times(creation, 0); }

int h5_shuffle(hid_t creation) { return H5Pset_shuffle(creation); }

/* The values have their place from the start, where others may write them, and nothing is written there before. */
int h5_in_one_piece(hid_t creation) {
    return H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) < 0 ? -1 : H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
}

static int map_rows(hid_t creation, const char *path, int rank, const hsize_t *dims, const char *name, const hsize_t *rows) {
    hsize_t start[H5S_MAX_RANK] = {0}, block[H5S_MAX_RANK], theirs[H5S_MAX_RANK];
    hid_t here = H5Screate_simple(rank, dims, NULL), there;
    for (int d = 0; d < rank; d++)
        block[d] = theirs[d] = dims[d];
    start[1] = rows[0];
    block[1] = rows[1];
    theirs[1] = rows[3];
    if (here < 0 || (there = H5Screate_simple(rank, theirs, NULL)) < 0 || H5Sselect_hyperslab(here, H5S_SELECT_SET, start, NULL, block, NULL) < 0)
        return -1;
    start[1] = rows[2];
    if (H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, block, NULL) < 0 || H5Pset_virtual(creation, here, name, path, there) < 0)
        return -1;
    return H5Sclose(here) < 0 ? -1 : H5Sclose(there);
}

int h5_make_virtual(hid_t file, const char *path, int memory, int rank, const hsize_t *dims, size_t n, const char *const *names, const hsize_t *rows) {
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, dims, NULL), dataset;
    if (creation < 0 || space < 0 || h5_plain_times(creation) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (map_rows(creation, path, rank, dims, names[i], rows + 4 * i) < 0)
            return -1;
    dataset = H5Dcreate2(file, path, memory == H5_FLOAT64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    return dataset < 0 || H5Dclose(dataset) < 0 || H5Pclose(creation) < 0 ? -1 : H5Sclose(space);
}
