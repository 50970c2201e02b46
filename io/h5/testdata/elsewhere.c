/* Makes elsewhere.h5 and source.h5, for what must not be read: h5cc elsewhere.c && ./a.out
 *
 * elsewhere.h5: /external… in external storage, /virtual… made of other files, /filter… packed by unknown filters, links.
 * source.h5: /x, four values; /chain, virtual, made of /etc/passwd. */
#include <hdf5.h>
#include <stdio.h>

static const hsize_t four = 4;

static hid_t space(void) { return H5Screate_simple(1, &four, NULL); }

static void external(hid_t file, const char *name, const char *of) {
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, of, 0, 32);
    H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space(), H5P_DEFAULT, creation, H5P_DEFAULT));
}

static void made_of(hid_t file, const char *name, const char *of, const char *dataset) {
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(creation, space(), of, dataset, space());
    H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space(), H5P_DEFAULT, creation, H5P_DEFAULT));
}

/* Of no limit in length, so that libhdf5 opens the sources to tell how long it is. */
static void unlimited(hid_t file, const char *name, const char *of) {
    hsize_t none = 0, one = 1, most = H5S_UNLIMITED;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), all = H5Screate_simple(1, &four, &most), source = H5Screate_simple(1, &four, &most);
    H5Sselect_hyperslab(all, H5S_SELECT_SET, &none, &one, &most, &one);
    H5Sselect_hyperslab(source, H5S_SELECT_SET, &none, &one, &most, &one);
    H5Pset_virtual(creation, all, of, "/x", source);
    H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, all, H5P_DEFAULT, creation, H5P_DEFAULT));
}

/* One file for each block of four. */
static void pattern(hid_t file, const char *name, const char *of) {
    hsize_t none = 0, one = 4, most = H5S_UNLIMITED;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), all = H5Screate_simple(1, &four, &most);
    H5Sselect_hyperslab(all, H5S_SELECT_SET, &none, &one, &most, &one);
    H5Pset_virtual(creation, all, of, "/x", space());
    H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, all, H5P_DEFAULT, creation, H5P_DEFAULT));
}

static void packed(hid_t file, const char *name, H5Z_filter_t filter) {
    static const unsigned char bytes[5] = {1, 2, 3, 4, 5};
    hsize_t origin = 0;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), dataset;
    H5Pset_chunk(creation, 1, &four);
    H5Pset_filter(creation, filter, H5Z_FLAG_OPTIONAL, 0, NULL);
    dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space(), H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &origin, sizeof bytes, bytes);
    H5Dclose(dataset);
}

static void plain(hid_t file) {
    const double values[4] = {1, 2, 3, 4};
    hid_t dataset = H5Dcreate2(file, "/x", H5T_IEEE_F64LE, space(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
}

int main(void) {
    hid_t file = H5Fcreate("source.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    plain(file);
    made_of(file, "/chain", "/etc/passwd", "/x");
    H5Fclose(file);
    file = H5Fcreate("elsewhere.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    plain(file);
    external(file, "/external", "/etc/passwd");
    external(file, "/external_beside", "pipe");
    made_of(file, "/virtual", "source.h5", "/x");
    made_of(file, "/virtual_own", ".", "/x");
    made_of(file, "/virtual_absolute", "/etc/passwd", "/x");
    made_of(file, "/virtual_above", "../source.h5", "/x");
    pattern(file, "/virtual_pattern", "source%b.h5");
    made_of(file, "/virtual_pipe", "pipe", "/x");
    made_of(file, "/virtual_link", "link.h5", "/x");
    made_of(file, "/virtual_chain", "source.h5", "/chain");
    made_of(file, "/virtual_self", ".", "/virtual_self");
    made_of(file, "/virtual_filter", ".", "/filter");
    unlimited(file, "/virtual_unlimited", "pipe");
    packed(file, "/filter", 32015);
    packed(file, "/filter_unnamed", 31999);
    H5Lcreate_soft("/x", file, "/soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("source.h5", "/x", file, "/link", H5P_DEFAULT, H5P_DEFAULT);
    return H5Fclose(file) < 0;
}
