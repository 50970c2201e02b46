/* The threads of a block as fibers of one thread of the host. They run one at a time, each until it ends or waits. */
#ifndef CONVECT_EMULATION_BLOCK_H
#define CONVECT_EMULATION_BLOCK_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace emulation {

struct uint3 {
  unsigned x, y, z;
};

/* CUDA's variables of these names, of the thread that runs. */
extern uint3 threadIdx, blockIdx, blockDim, gridDim;

/* A line of a kernel. */
struct Place {
  const char *file;
  int line;
};

/* Ends the launch in an error. */
void trap(Place place);

/* What the lanes of a warp meet for. */
enum class Meeting { barrier, shuffle, ballot };

/* Waits until all threads of the block that have not ended are here. */
void wait_block(Place place);

/* Waits until all lanes of the mask are here. Returns the value of lane `source`, or which lanes brought a value other
   than zero. */
uint64_t wait_warp(Meeting meeting, unsigned mask, uint64_t value, int source, Place place);

/* The lane of the thread that runs. */
int lane();

/* The shared memory that the launch asks for. */
void *dynamic_shared();

/* A kernel, which registers itself by its name, the size of its arguments and the largest block. */
struct Kernel {
  Kernel(const char *name, void (*run)(const void *args), size_t size, unsigned threads);
  const char *name;
  void (*run)(const void *args);
  size_t size;
  unsigned threads;
};

/* A launch of a kernel on one block after another; `shared` is the block's dynamic shared memory. */
struct Launch {
  const Kernel *kernel;
  const void *args;
  uint3 grid, block;
  void *shared;
  bool reverse; /* the last thread first */
};

/* Prepares for the blocks of a launch, of which only one may be under way in a process. */
void begin(const Launch &launch);

/* Runs the block `index` of the launch; returns what went wrong, or nothing. */
std::string run_block(uint3 index);

}  // namespace emulation

#endif
