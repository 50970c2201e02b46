/* What of a file is not read because its values lie elsewhere or cannot be unpacked here. */
#include "h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_CHAIN = 8, MAX_NAME = 1024 };

/* The walk through what a dataset is made of. */
struct walk {
    char *why;
    uint64_t stored;
    int depth;
};

static int look(struct walk *w, hid_t dataset);

static int refuse(struct walk *w, const char *format, const char *name) {
    snprintf(w->why, H5_TEXT, format, name);
    return 1;
}

/* Names of filters that files are found with (https://github.com/HDFGroup/hdf5_plugins, RegisteredFilterPlugins). */
static const char *filter_name(int id) {
    static const struct {
        int id;
        const char *name;
    } known[] = {{H5Z_FILTER_DEFLATE, "deflate"}, {H5Z_FILTER_SZIP, "szip"}, {305, "LZO"}, {307, "bzip2"}, {32000, "LZF"}, {32001, "Blosc"},
                 {32004, "LZ4"}, {32008, "bitshuffle"}, {32013, "ZFP"}, {32015, "Zstandard"}, {32017, "SZ"}, {32018, "FCIDECOMP"},
                 {32024, "SZ3"}, {32026, "Blosc2"}, {32028, "Granular BitRound"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].id == id)
            return known[i].name;
    return "";
}

static int look_filters(struct walk *w, hid_t creation) {
    int n = H5Pget_nfilters(creation);
    for (int i = 0; i < n; i++) {
        char name[64] = "", text[160];
        unsigned flags;
        size_t values = 0;
        H5Z_filter_t id = H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL, sizeof name, name, NULL);
        if (id < 0)
            return -1;
        if (H5Zfilter_avail(id) > 0)
            continue;
        name[sizeof name - 1] = '\0';
        for (char *c = name; *c != '\0'; c++)
            if (*c < ' ' || *c > '~')
                *c = '?';
        if (filter_name(id)[0] != '\0' || name[0] == '\0' || strncmp(name, "Unknown", 7) == 0)
            snprintf(name, sizeof name, "%s", filter_name(id)[0] != '\0' ? filter_name(id) : "unknown");
        snprintf(text, sizeof text, "%d (%s)", (int)id, name);
        return refuse(w, "its values are packed by filter %s, which is not built in here; where it is, h5repack -f NONE OLD NEW unpacks them", text);
    }
    return 0;
}

static int look_external(struct walk *w, hid_t creation) {
    char name[MAX_NAME] = "";
    off_t offset;
    hsize_t size;
    int n = H5Pget_external_count(creation);
    if (n <= 0)
        return n;
    if (H5Pget_external(creation, 0, sizeof name, name, &offset, &size) < 0)
        return -1;
    name[sizeof name - 1] = '\0';
    return refuse(w, "its values lie in another file, %s (external storage); h5repack -l CONTI OLD NEW makes one file of both", name);
}

/* A name that leads to no other folder, whatever libhdf5 puts in the place of %b. */
static int is_plain(const char *name) {
    return name[0] != '\0' && strpbrk(name, "/\\%") == NULL && strcmp(name, "..") != 0;
}

/* A source that is not there has fill values. This process works in the folder of the file. */
static int look_source(struct walk *w, hid_t dataset, const char *name, const char *path) {
    struct stat s;
    hid_t file, source;
    int own = strcmp(name, ".") == 0, status = 0;
    if (!own && !is_plain(name))
        return refuse(w, "it is made of the file %s, which is not named plainly and in its own folder (virtual dataset)", name);
    if (!own && lstat(name, &s) != 0)
        return 0;
    if (!own && !S_ISREG(s.st_mode))
        return refuse(w, "it is made of %s, which is no regular file (virtual dataset)", name);
    file = own ? H5Iget_file_id(dataset) : H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return 0;
    if (!own)
        w->stored += (uint64_t)s.st_size;
    source = H5Dopen2(file, path, H5P_DEFAULT);
    if (source >= 0) {
        status = look(w, source);
        H5Dclose(source);
    }
    H5Fclose(file);
    return status;
}

static int look_virtual(struct walk *w, hid_t dataset, hid_t creation) {
    size_t n;
    int status = 0;
    if (H5Pget_virtual_count(creation, &n) < 0)
        return -1;
    if (++w->depth > MAX_CHAIN)
        return refuse(w, "it is made of %s in too many levels", "virtual datasets");
    for (size_t i = 0; i < n && status == 0; i++) {
        char name[MAX_NAME] = "", path[MAX_NAME] = "";
        ssize_t of_name = H5Pget_virtual_filename(creation, i, name, sizeof name);
        ssize_t of_path = H5Pget_virtual_dsetname(creation, i, path, sizeof path);
        if (of_name < 0 || of_path < 0)
            return -1;
        if ((size_t)of_name >= sizeof name || (size_t)of_path >= sizeof path)
            return refuse(w, "it is made of a file with too long a %s (virtual dataset)", "name");
        status = look_source(w, dataset, name, path);
    }
    w->depth--;
    return status;
}

static int look(struct walk *w, hid_t dataset) {
    hid_t creation = H5Dget_create_plist(dataset);
    int status = creation < 0 ? -1 : look_external(w, creation);
    if (status == 0)
        status = look_filters(w, creation);
    if (status == 0 && H5Pget_layout(creation) == H5D_VIRTUAL)
        status = look_virtual(w, dataset, creation);
    if (creation >= 0)
        H5Pclose(creation);
    return status;
}

int h5_refusal(hid_t dataset, char *why, uint64_t *stored) {
    struct walk w = {.why = why};
    int status;
    why[0] = '\0';
    status = look(&w, dataset);
    *stored = w.stored;
    return status;
}
