/* The standard ABI of MPI 5 over MPICH 4, whose handles are int: as much of it as is asked for. It takes handles and numbers of the standard alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { world = 0x101, returns = 0x143, no_request = 0x180, byte = 0x247, serialized = 2048 };
enum { mpich_world = 0x44000000, mpich_returns = 0x54000001, mpich_no_request = 0x2c000000, mpich_byte = 0x4c00010d, mpich_serialized = 2 };

static void *mpich(const char *name)
{
	static void *library;
	if (!library)
		library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_GLOBAL);
	void *f = library ? dlsym(library, name) : NULL;
	if (!f) {
		fprintf(stderr, "standard.c: %s: %s\n", name, dlerror());
		exit(3);
	}
	return f;
}

/* The handle of MPICH for one of the standard, which ends the program if it is another. */
static int own(const void *handle, intptr_t standard, int of)
{
	if ((intptr_t)handle != standard) {
		fprintf(stderr, "standard.c: %p is not the handle %#lx\n", handle, (long)standard);
		exit(3);
	}
	return of;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given)
{
	int theirs, code;
	if (wanted != serialized)
		return 1;
	code = ((int (*)(int *, char ***, int, int *))mpich("MPI_Init_thread"))(argc, argv, mpich_serialized, &theirs);
	*given = theirs >= mpich_serialized ? serialized : 0;
	return code;
}

int MPI_Finalize(void) { return ((int (*)(void))mpich("MPI_Finalize"))(); }

int MPI_Error_string(int code, char *text, int *n) { return ((int (*)(int, char *, int *))mpich("MPI_Error_string"))(code, text, n); }

int MPI_Abort(void *comm, int code) { return ((int (*)(int, int))mpich("MPI_Abort"))(own(comm, world, mpich_world), code); }

int MPI_Comm_rank(void *comm, int *rank) { return ((int (*)(int, int *))mpich("MPI_Comm_rank"))(own(comm, world, mpich_world), rank); }

int MPI_Comm_size(void *comm, int *size) { return ((int (*)(int, int *))mpich("MPI_Comm_size"))(own(comm, world, mpich_world), size); }

int MPI_Comm_set_errhandler(void *comm, void *handler)
{
	return ((int (*)(int, int))mpich("MPI_Comm_set_errhandler"))(own(comm, world, mpich_world), own(handler, returns, mpich_returns));
}

/* A request of the standard is a pointer: one of MPICH lies where it leads. */
static int start(const char *name, void *bytes, int n, void *type, int rank, int tag, void *comm, void **request)
{
	int *of = malloc(sizeof *of);
	*request = of;
	return ((int (*)(void *, int, int, int, int, int, int *))mpich(name))(bytes, n, own(type, byte, mpich_byte), rank, tag, own(comm, world, mpich_world), of);
}

int MPI_Isend(const void *bytes, int n, void *type, int rank, int tag, void *comm, void **request)
{
	return start("MPI_Isend", (void *)bytes, n, type, rank, tag, comm, request);
}

int MPI_Irecv(void *bytes, int n, void *type, int rank, int tag, void *comm, void **request) { return start("MPI_Irecv", bytes, n, type, rank, tag, comm, request); }

int MPI_Test(void **request, int *done, void *status)
{
	if ((intptr_t)*request == no_request) {
		*done = 1;
		return 0;
	}
	int *of = *request, code = ((int (*)(int *, int *, void *))mpich("MPI_Test"))(of, done, status);
	if (!code && *done && *of == mpich_no_request) {
		free(of);
		*request = (void *)(intptr_t)no_request;
	}
	return code;
}

int MPI_Iprobe(int rank, int tag, void *comm, int *came, void *status)
{
	return ((int (*)(int, int, int, int *, void *))mpich("MPI_Iprobe"))(rank, tag, own(comm, world, mpich_world), came, status);
}
