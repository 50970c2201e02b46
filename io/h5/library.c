#include "h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What has to be settled before anything else runs; only a constructor comes early
 * enough, and without a second thread the environment may be changed.
 *
 * Go never runs C's exit handlers, but its race detector does; libhdf5's would
 * crash on a file that a failing disk did not let it close.
 *
 * libhdf5 locks the files that it opens, and some file systems have no locks. Ours get
 * their names when they are whole and never change after that, so they need none. The
 * variable counts for every version and overrides what the user's own says.
 *
 * A process that was started to read a file does so and ends here, before there is any Go. */
__attribute__((constructor)) static void prepare_library(void) {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    H5dont_atexit();
    h5_serve();
}

void h5_prepare_thread(void) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0); /* a file must not make libhdf5 load plugins */
}

static herr_t append_description(unsigned n, const H5E_error2_t *error, void *text) {
    size_t used = strlen(text);
    (void)n;
    if (error->desc != NULL)
        snprintf((char *)text + used, H5_TEXT - used, "%s\n", error->desc);
    return 0;
}

void h5_error_text(char *text) {
    text[0] = '\0';
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, append_description, text);
}

hid_t h5_memory_type(int memory) {
    switch (memory) {
    case H5_FLOAT32: return H5T_NATIVE_FLOAT;
    case H5_FLOAT64: return H5T_NATIVE_DOUBLE;
    case H5_INT64: return H5T_NATIVE_INT64;
    }
    return H5I_INVALID_HID;
}
