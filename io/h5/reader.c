/* The catalogue is a stream of records, little-endian, unaligned:
 *
 *   'g' path                                           group
 *   'o' path                                           named type or unknown
 *   'l' path  u8 kind                                  link: 0 soft, 1 external, 2 other
 *   'd' path  text refusal  type  space  u8 layout
 *       u64 stored  u64 offset  u8 rank  u64 chunk[rank]
 *       u8 n  text filter[n]
 *       u8 memory  u64 bytes  data                     dataset; no space where it is refused
 *   'a' name  type  space  u8 memory  u64 bytes  data  attribute of the last object
 *
 * text = u32 length, bytes; type = u8 class, u8 flags (as below), u32 size; space = u8 class, u8 rank, u64 dims[rank]. The memory of an
 * attribute is H5_FLOAT64, H5_INT64 (where larger values are cut to its range), H5_AS_STORED
 * for text and for dimension scales (their paths, each ended by a newline), or 255 where the values are left out. Small datasets
 * have theirs too, as Go will ask for them (elementType.memory), so that they need no child of their own. */
#include "h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_RECORDS = 200000, MAX_ATTRIBUTE = 1 << 20, MAX_SMALL = 1 << 16, NO_VALUES = 255 };

/* Flags of a type. */
enum { SIGNED = 1, VARIABLE = 2, NUL_PADDED = 4, UTF8 = 8 };

struct catalogue {
    struct h5_job *job;
    unsigned char *out;
    char path[H5_TEXT];
    int depth, records;
};

/* Keeps the first failure: the object, and why (the error stack where why is NULL). */
int h5_fail(struct h5_job *job, const char *where, const char *why) {
    if (job->text[0] != '\0')
        return -1;
    snprintf(job->where, H5_TEXT, "%s", where);
    if (why != NULL)
        snprintf(job->text, H5_TEXT, "%s", why);
    else
        h5_error_text(job->text);
    if (job->text[0] == '\0')
        snprintf(job->text, H5_TEXT, "libhdf5 gave no reason");
    return -1;
}

static int put(struct catalogue *c, const void *bytes, size_t size) {
    if (size > c->job->capacity - c->job->used)
        return h5_fail(c->job, c->path, "too many objects and attributes");
    memcpy(c->out + c->job->used, bytes, size);
    c->job->used += size;
    return 0;
}

/* A record of an object or attribute. */
static int put_tag(struct catalogue *c, unsigned tag) {
    unsigned char byte = (unsigned char)tag;
    if (++c->records > MAX_RECORDS)
        return h5_fail(c->job, c->path, "too many objects and attributes");
    return put(c, &byte, 1);
}

static int put_u8(struct catalogue *c, unsigned v) {
    unsigned char byte = (unsigned char)v;
    return put(c, &byte, 1);
}

static int put_u64(struct catalogue *c, uint64_t v) { return put(c, &v, sizeof v); }

static int put_text(struct catalogue *c, const char *text) {
    uint32_t size = (uint32_t)strlen(text);
    return put(c, &size, sizeof size) < 0 ? -1 : put(c, text, size);
}

static int put_type(struct catalogue *c, hid_t type) {
    H5T_class_t class = H5Tget_class(type);
    uint32_t size = (uint32_t)H5Tget_size(type);
    unsigned flags = 0;
    if (class == H5T_NO_CLASS || size == 0)
        return h5_fail(c->job, c->path, NULL);
    if (class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2)
        flags |= SIGNED;
    if (class == H5T_STRING)
        flags = (H5Tis_variable_str(type) > 0 ? VARIABLE : 0) | (H5Tget_strpad(type) == H5T_STR_NULLPAD ? NUL_PADDED : 0) |
                (H5Tget_cset(type) == H5T_CSET_UTF8 ? UTF8 : 0);
    return put_u8(c, class) < 0 || put_u8(c, flags) < 0 ? -1 : put(c, &size, sizeof size);
}

static int put_dims(struct catalogue *c, int rank, const hsize_t *dims) {
    if (put_u8(c, (unsigned)rank) < 0)
        return -1;
    for (int i = 0; i < rank; i++)
        if (put_u64(c, dims[i]) < 0)
            return -1;
    return 0;
}

static int put_space(struct catalogue *c, hid_t space) {
    hsize_t dims[H5S_MAX_RANK];
    H5S_class_t class = H5Sget_simple_extent_type(space);
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    if (class == H5S_NO_CLASS || rank < 0)
        return h5_fail(c->job, c->path, NULL);
    return put_u8(c, class) < 0 ? -1 : put_dims(c, rank, dims);
}

/* Attribute values: size bytes at values, converted by libhdf5 to memory. */
static int put_values(struct catalogue *c, hid_t attribute, hid_t type, int memory, size_t size) {
    hid_t as = memory == H5_AS_STORED ? type : h5_memory_type(memory);
    void *values = calloc(1, size + 1);
    int status = -1;
    if (values == NULL)
        return h5_fail(c->job, c->path, "out of memory");
    if (H5Aread(attribute, as, values) < 0)
        h5_fail(c->job, c->path, NULL);
    else if (put_u8(c, (unsigned)memory) == 0 && put_u64(c, size) == 0)
        status = put(c, values, size);
    free(values);
    return status;
}

/* A single string of variable length. */
static int put_variable(struct catalogue *c, hid_t attribute, hid_t type, hid_t space) {
    char *text = NULL;
    size_t size;
    int status;
    if (H5Aread(attribute, type, &text) < 0)
        return h5_fail(c->job, c->path, NULL);
    size = text == NULL ? 0 : strlen(text);
    if (size > MAX_ATTRIBUTE)
        size = MAX_ATTRIBUTE;
    status = put_u8(c, H5_AS_STORED) < 0 || put_u64(c, size) < 0 ? -1 : put(c, text, size);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, &text);
    return status;
}

/* Whether a type is that of DIMENSION_LIST: for each axis of a dataset a list of references to objects. */
static int is_scales(hid_t type) {
    hid_t of = H5Tget_class(type) == H5T_VLEN ? H5Tget_super(type) : -1;
    int is = of >= 0 && H5Tequal(of, H5T_STD_REF_OBJ) > 0;
    if (of >= 0)
        H5Tclose(of);
    return is;
}

/* The path of the first dimension scale of each axis, empty where there is none, each ended by a newline. */
static int put_scales(struct catalogue *c, hid_t attribute, hid_t type, hid_t space, size_t count) {
    hvl_t axes[H5S_MAX_RANK];
    char text[2 * H5_TEXT] = "";
    size_t used = 0;
    memset(axes, 0, sizeof axes);
    if (H5Aread(attribute, type, axes) < 0)
        return h5_fail(c->job, c->path, NULL);
    for (size_t i = 0; i < count; i++) {
        ssize_t length = 0;
        if (axes[i].len > 0 && axes[i].p != NULL)
            length = H5Rget_name(attribute, H5R_OBJECT, axes[i].p, text + used, sizeof text - used - 1);
        if (length < 0 || (size_t)length + 2 > sizeof text - used)
            length = 0; /* a dangling reference, or no room */
        used += (size_t)length;
        text[used++] = '\n';
        if (used + 2 > sizeof text)
            break;
    }
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, axes);
    return put_u8(c, H5_AS_STORED) < 0 || put_u64(c, used) < 0 ? -1 : put(c, text, used);
}

static int put_attribute_values(struct catalogue *c, hid_t attribute, hid_t type, hid_t space) {
    hssize_t count = H5Sget_simple_extent_npoints(space);
    H5T_class_t class = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    if (class == H5T_VLEN && count > 0 && count <= H5S_MAX_RANK && is_scales(type))
        return put_scales(c, attribute, type, space, (size_t)count);
    if (class == H5T_STRING && H5Tis_variable_str(type) > 0 && count == 1)
        return put_variable(c, attribute, type, space);
    if (count < 0 || count > MAX_ATTRIBUTE / 8 || (size_t)count > MAX_ATTRIBUTE / size)
        return put_u8(c, NO_VALUES) < 0 ? -1 : put_u64(c, 0);
    if (class == H5T_STRING && H5Tis_variable_str(type) == 0)
        return put_values(c, attribute, type, H5_AS_STORED, (size_t)count * size);
    if (class == H5T_FLOAT)
        return put_values(c, attribute, type, H5_FLOAT64, (size_t)count * 8);
    if (class == H5T_INTEGER)
        return put_values(c, attribute, type, H5_INT64, (size_t)count * 8);
    return put_u8(c, NO_VALUES) < 0 ? -1 : put_u64(c, 0);
}

static herr_t visit_attribute(hid_t owner, const char *name, const H5A_info_t *info, void *data) {
    struct catalogue *c = data;
    hid_t attribute = H5Aopen(owner, name, H5P_DEFAULT), type, space;
    int status;
    (void)info;
    if (attribute < 0 || (type = H5Aget_type(attribute)) < 0 || (space = H5Aget_space(attribute)) < 0)
        return h5_fail(c->job, c->path, NULL);
    status = put_tag(c, 'a') < 0 || put_text(c, name) < 0 || put_type(c, type) < 0 || put_space(c, space) < 0 ||
                     put_attribute_values(c, attribute, type, space) < 0
                 ? -1
                 : 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return status;
}

static int put_storage(struct catalogue *c, hid_t dataset, hid_t creation, uint64_t sources) {
    hsize_t chunk[H5S_MAX_RANK];
    H5D_layout_t layout = H5Pget_layout(creation);
    int rank = layout == H5D_CHUNKED ? H5Pget_chunk(creation, H5S_MAX_RANK, chunk) : 0;
    int filters = H5Pget_nfilters(creation);
    if (layout == H5D_LAYOUT_ERROR || rank < 0 || filters < 0)
        return h5_fail(c->job, c->path, NULL);
    if (put_u8(c, layout) < 0 || put_u64(c, layout == H5D_VIRTUAL ? sources : H5Dget_storage_size(dataset)) < 0 ||
        put_u64(c, layout == H5D_CONTIGUOUS ? H5Dget_offset(dataset) : HADDR_UNDEF) < 0 || put_dims(c, rank, chunk) < 0 || put_u8(c, (unsigned)filters) < 0)
        return -1;
    for (int i = 0; i < filters; i++) {
        char name[64] = "";
        unsigned flags;
        size_t values = 0;
        if (H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL, sizeof name, name, NULL) < 0)
            return h5_fail(c->job, c->path, NULL);
        name[sizeof name - 1] = '\0';
        if (put_text(c, name) < 0)
            return -1;
    }
    return 0;
}

static int memory_of(hid_t type) {
    H5T_class_t class = H5Tget_class(type);
    if (class == H5T_STRING)
        return H5Tis_variable_str(type) == 0 ? H5_AS_STORED : NO_VALUES;
    if (class == H5T_FLOAT)
        return H5Tget_size(type) <= 4 ? H5_FLOAT32 : H5_FLOAT64;
    if (class == H5T_INTEGER)
        return H5Tget_sign(type) == H5T_SGN_2 || H5Tget_size(type) < 8 ? H5_INT64 : H5_FLOAT64;
    return NO_VALUES;
}

/* The values of a small dataset. Where they cannot be read they are left out: reading them by themselves will tell why. */
static int put_small(struct catalogue *c, hid_t dataset, hid_t type, hid_t space) {
    hssize_t count = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    int memory = memory_of(type), small = count > 0 && count <= MAX_SMALL && memory != NO_VALUES;
    hid_t as = memory == H5_AS_STORED ? type : h5_memory_type(memory);
    size_t size = small ? H5Tget_size(as) * (size_t)count : 0;
    void *values = NULL;
    int status;
    if (small && size <= MAX_SMALL && H5Tget_size(type) <= MAX_SMALL)
        values = calloc(1, size);
    if (values != NULL && H5Dread(dataset, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    if (values == NULL)
        return put_u8(c, NO_VALUES) < 0 ? -1 : put_u64(c, 0);
    status = put_u8(c, (unsigned)memory) < 0 || put_u64(c, size) < 0 ? -1 : put(c, values, size);
    free(values);
    return status;
}

static int put_dataset(struct catalogue *c, hid_t dataset) {
    hid_t type = H5Dget_type(dataset), creation = H5Dget_create_plist(dataset), space = -1;
    char why[H5_TEXT];
    uint64_t sources;
    int refused = h5_refusal(dataset, why, &sources), status = -1;
    if (refused == 0)
        space = H5Dget_space(dataset);
    if (type < 0 || creation < 0 || refused < 0 || (refused == 0 && space < 0))
        h5_fail(c->job, c->path, NULL);
    else if (put_text(c, why) == 0 && put_type(c, type) == 0 && (refused ? put_u8(c, H5S_NULL) < 0 || put_u8(c, 0) < 0 : put_space(c, space) < 0) == 0)
        status = put_storage(c, dataset, creation, sources) < 0 ? -1 : put_small(c, dataset, type, space);
    H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    H5Tclose(type);
    return status;
}

static int put_object(struct catalogue *c, hid_t object);

static int put_link(struct catalogue *c, H5L_type_t type) {
    unsigned kind = type == H5L_TYPE_SOFT ? 0 : type == H5L_TYPE_EXTERNAL ? 1 : 2;
    return put_tag(c, 'l') < 0 || put_text(c, c->path) < 0 ? -1 : put_u8(c, kind);
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *data) {
    struct catalogue *c = data;
    size_t parent = strlen(c->path), length = strlen(name);
    hid_t object;
    int status;
    if (parent + length + 2 > sizeof c->path)
        return h5_fail(c->job, c->path, "path too long");
    snprintf(c->path + parent, sizeof c->path - parent, "%s%s", parent > 1 ? "/" : "", name);
    if (info->type != H5L_TYPE_HARD) {
        status = put_link(c, info->type);
    } else if ((object = H5Oopen(group, name, H5P_DEFAULT)) < 0) {
        status = h5_fail(c->job, c->path, NULL);
    } else {
        status = put_object(c, object);
        H5Oclose(object);
    }
    c->path[parent] = '\0';
    return status;
}

static int put_object(struct catalogue *c, hid_t object) {
    H5I_type_t kind = H5Iget_type(object);
    unsigned tag = kind == H5I_GROUP ? 'g' : kind == H5I_DATASET ? 'd' : 'o';
    int status = 0;
    if (put_tag(c, tag) < 0 || put_text(c, c->path) < 0 || (tag == 'd' && put_dataset(c, object) < 0))
        return -1;
    if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, c) < 0)
        return h5_fail(c->job, c->path, NULL);
    if (tag != 'g')
        return 0;
    if (++c->depth > MAX_DEPTH + 1) /* the root group is level 0 */
        return h5_fail(c->job, c->path, "groups nested too deeply");
    if (H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, c) < 0)
        status = h5_fail(c->job, c->path, NULL);
    c->depth--;
    return status;
}

/* The catalogue of a file that is open; NULL: it fails. */
static unsigned char *catalogue_of(struct h5_job *job, hid_t file) {
    unsigned char *out = malloc(job->capacity);
    struct catalogue c = {.job = job, .out = out, .path = "/"};
    hid_t root = out == NULL ? -1 : H5Oopen(file, "/", H5P_DEFAULT);
    int status = root < 0 ? h5_fail(job, "/", out == NULL ? "out of memory" : NULL) : put_object(&c, root);
    if (root >= 0)
        H5Oclose(root);
    if (status == 0)
        return out;
    free(out);
    return NULL;
}

int h5_list(struct h5_job *job, hid_t file) {
    const unsigned char *out = catalogue_of(job, file);
    return out == NULL ? -1 : h5_hand_over(H5_DATA_FD, out, job->used);
}

unsigned char *h5_list_here(struct h5_job *job) {
    unsigned char *out = NULL;
    hid_t file = h5_open(job);
    if (file >= 0) {
        out = catalogue_of(job, file);
        H5Fclose(file);
    }
    return out;
}
