#define _GNU_SOURCE
#include "mpi.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* What is asked of MPI. Handles are pointers in Open MPI and the standard ABI, and int in MPICH: of each function that takes one there are two forms. A status is as large as
   that of any library, and not looked at. */
static struct {
	void *library;
	int abi;
	void *world, *byte, *returns;
	int (*init)(int *, char ***, int, int *);
	int (*finalize)(void);
	int (*text)(int, char *, int *);
	void *abort, *rank, *size, *handler, *send, *receive, *test, *probe;
} mpi;

static char status[256];

const char *link_load(const char *path, int abi)
{
	static const struct {
		const char *name;
		void **to;
	} all[] = {
		{"MPI_Init_thread", (void **)&mpi.init}, {"MPI_Finalize", (void **)&mpi.finalize}, {"MPI_Error_string", (void **)&mpi.text}, {"MPI_Abort", &mpi.abort},
		{"MPI_Comm_rank", &mpi.rank},            {"MPI_Comm_size", &mpi.size},             {"MPI_Comm_set_errhandler", &mpi.handler},
		{"MPI_Isend", &mpi.send},                {"MPI_Irecv", &mpi.receive},              {"MPI_Test", &mpi.test},
		{"MPI_Iprobe", &mpi.probe},
	};
	static char missing[128];
	/* Components of Open MPI look for its symbols among those of the whole program. */
	mpi.library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!mpi.library)
		return dlerror();
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		*all[i].to = dlsym(mpi.library, all[i].name);
		if (!*all[i].to) {
			snprintf(missing, sizeof missing, "it has no %s", all[i].name);
			return missing;
		}
	}
	mpi.abi = abi;
	switch (abi) {
	case MPI_OPEN:
		mpi.world = dlsym(mpi.library, "ompi_mpi_comm_world");
		mpi.byte = dlsym(mpi.library, "ompi_mpi_byte");
		mpi.returns = dlsym(mpi.library, "ompi_mpi_errors_return");
		if (!mpi.world || !mpi.byte || !mpi.returns)
			return "it is not Open MPI";
		break;
	case MPI_CH:
		if (dlsym(mpi.library, "ompi_mpi_comm_world"))
			return "it is Open MPI";
		mpi.world = (void *)0x44000000;
		mpi.byte = (void *)0x4c00010d;
		mpi.returns = (void *)0x54000001;
		break;
	default:
		mpi.world = (void *)0x101;
		mpi.byte = (void *)0x247;
		mpi.returns = (void *)0x143;
	}
	return NULL;
}

/* CALL calls a function of MPI, of the types that it has with handles as pointers, or as int. */
#define CALL(f, pointers, numbers, asPointers, asNumbers) (mpi.abi == MPI_CH ? ((int(*) numbers)(f)) asNumbers : ((int(*) pointers)(f)) asPointers)
#define NUMBER(handle) ((int)(intptr_t)(handle))

int link_init(int *rank, int *size)
{
	int given, serialized = mpi.abi == MPI_STANDARD ? 2048 : 2;
	int code = mpi.init(NULL, NULL, serialized, &given);
	if (!code && given < serialized)
		return -1;
	if (!code)
		code = CALL(mpi.handler, (void *, void *), (int, int), (mpi.world, mpi.returns), (NUMBER(mpi.world), NUMBER(mpi.returns)));
	if (!code)
		code = CALL(mpi.rank, (void *, int *), (int, int *), (mpi.world, rank), (NUMBER(mpi.world), rank));
	if (!code)
		code = CALL(mpi.size, (void *, int *), (int, int *), (mpi.world, size), (NUMBER(mpi.world), size));
	return code;
}

int link_finish(void) { return mpi.finalize(); }

void link_abort(int code) { CALL(mpi.abort, (void *, int), (int, int), (mpi.world, code), (NUMBER(mpi.world), code)); }

void link_text(int code, char *text)
{
	int n = 0;
	if (code == -1)
		strcpy(text, "it does not let several threads call it, one at a time (MPI_THREAD_SERIALIZED)");
	else if (mpi.text(code, text, &n))
		sprintf(text, "code %d", code);
}

int link_start(struct link_message *all, int n)
{
	/* What is received is asked for first, so that it need not be kept elsewhere. */
	for (int receives = 1; receives >= 0; receives--)
		for (struct link_message *m = all; m < all + n; m++) {
			if (m->receives != receives)
				continue;
			m->done = 0;
			m->request = NULL;
			void *f = receives ? mpi.receive : mpi.send;
			int code = CALL(f, (void *, int, void *, int, int, void *, void **), (void *, int, int, int, int, int, void **),
			                (m->bytes, m->count, mpi.byte, m->rank, m->tag, mpi.world, &m->request),
			                (m->bytes, m->count, NUMBER(mpi.byte), m->rank, m->tag, NUMBER(mpi.world), &m->request));
			if (code)
				return code;
		}
	return 0;
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1000000000 * (int64_t)t.tv_sec + t.tv_nsec;
}

int link_wait(struct link_message *all, int n, int64_t nanoseconds, int *left)
{
	int64_t begin = 0;
	for (int round = 0;; round++) {
		*left = 0;
		for (struct link_message *m = all; m < all + n; m++) {
			if (m->done)
				continue;
			int code = ((int (*)(void **, int *, void *))mpi.test)(&m->request, &m->done, status);
			if (code)
				return code;
			*left += !m->done;
		}
		if (!*left)
			return 0;
		if (round % 16 == 15) { /* others may need the core */
			int64_t at = now();
			if (!begin)
				begin = at;
			if (at - begin >= nanoseconds)
				return 0;
			sched_yield();
		}
	}
}

void link_sleep(int64_t nanoseconds)
{
	struct timespec t = {0, nanoseconds};
	nanosleep(&t, NULL);
}

int link_probe(int rank, int tag, int *came)
{
	return CALL(mpi.probe, (int, int, void *, int *, void *), (int, int, int, int *, void *), (rank, tag, mpi.world, came, status),
	            (rank, tag, NUMBER(mpi.world), came, status));
}
