#include "h5.h"

#include <stdio.h>
#include <string.h>

/* Go never runs C's exit handlers, but its race detector does; libhdf5's would
 * crash on a file that a failing disk did not let it close. Only a constructor comes
 * early enough. */
__attribute__((constructor)) static void no_exit_handler(void) { H5dont_atexit(); }

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
