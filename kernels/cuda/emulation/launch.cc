#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "block.h"
#include "emulation.h"

#ifndef __SANITIZE_ADDRESS__
/* Shared variables of all kernels. */
extern char __start_convect_shared[] __attribute__((weak));
extern char __stop_convect_shared[] __attribute__((weak));
#endif

namespace emulation {

namespace {

/* Limits of compute capability 9.0; a GPU refuses what is beyond. */
constexpr unsigned most_threads = 1024, most_z = 64, most_blocks_yz = 65535;
constexpr size_t most_shared = 227 << 10, most_args = 4096;

/* Bytes of memory that nobody wrote; any float or double of them is a NaN. */
constexpr int garbage = 0xff;

std::vector<const Kernel *> &kernels() {
  static std::vector<const Kernel *> all;
  return all;
}

const Kernel *find(const char *name) {
  for (const Kernel *k : kernels())
    if (std::strcmp(k->name, name) == 0) return k;
  return nullptr;
}

/* What a GPU would refuse. */
std::string refused(const Kernel *k, const int grid[3], const int block[3], size_t shared, size_t size) {
  if (k == nullptr) return "there is no such kernel";
  if (size != k->size)
    return "arguments of " + std::to_string(size) + " bytes where it takes " + std::to_string(k->size);
  if (size > most_args) return "arguments of more than 4096 bytes";
  for (int i = 0; i < 3; i++)
    if (grid[i] < 1 || block[i] < 1) return "an empty grid or block";
  if ((unsigned)grid[1] > most_blocks_yz || (unsigned)grid[2] > most_blocks_yz)
    return "more than 65535 blocks along y or z";
  const uint64_t threads = (uint64_t)block[0] * (uint64_t)block[1] * (uint64_t)block[2];
  if (threads > most_threads || (unsigned)block[2] > most_z) return "a block of more than 1024 threads, or 64 along z";
  if (threads > k->threads)
    return "a block of " + std::to_string(threads) + " threads where the kernel is bound to " + std::to_string(k->threads);
  if (shared > most_shared) return "more than 227 KiB of shared memory";
  return "";
}

/* Makes shared variables what they are on a GPU before anything is written to them. */
void spoil_shared_variables() {
#ifndef __SANITIZE_ADDRESS__
  if (__start_convect_shared) memset(__start_convect_shared, garbage, (size_t)(__stop_convect_shared - __start_convect_shared));
#endif
}

uint3 dimensions(const int n[3]) { return {(unsigned)n[0], (unsigned)n[1], (unsigned)n[2]}; }

/* Runs the blocks one after another until one fails. */
std::string run_grid(const Launch &launch, size_t shared) {
  const uint64_t nx = launch.grid.x, ny = launch.grid.y, blocks = nx * ny * launch.grid.z;
  begin(launch);
  for (uint64_t b = 0; b < blocks; b++) {
    if (shared > 0) memset(launch.shared, garbage, shared);
    const uint64_t n = launch.reverse ? blocks - 1 - b : b;
    std::string error = run_block({(unsigned)(n % nx), (unsigned)(n / nx % ny), (unsigned)(n / nx / ny)});
    if (!error.empty()) return error;
  }
  return "";
}

std::string launch(const char *name, const int grid[3], const int block[3], size_t shared, const void *args, size_t size,
                   bool reverse) {
  const Kernel *kernel = find(name);
  std::string error = refused(kernel, grid, block, shared, size);
  if (!error.empty()) return error;
  void *dynamic = nullptr;
  if (shared > 0 && posix_memalign(&dynamic, 16, shared) != 0) return "no memory";
  spoil_shared_variables();
  error = run_grid({kernel, args, dimensions(grid), dimensions(block), dynamic, reverse}, shared);
  free(dynamic);
  return error;
}

}  // namespace

Kernel::Kernel(const char *name, void (*run)(const void *args), size_t size, unsigned threads)
    : name(name), run(run), size(size), threads(threads) {
  kernels().push_back(this);
}

}  // namespace emulation

int emulation_launch(const char *kernel, const int grid[3], const int block[3], size_t shared, const void *args,
                     size_t size, int reverse, char *message, size_t room) {
  const std::string error = emulation::launch(kernel, grid, block, shared, args, size, reverse != 0);
  snprintf(message, room, "%s: %s", kernel, error.c_str());
  return !error.empty();
}

void *emulation_alloc(size_t bytes) {
  void *p = nullptr;
  if (bytes == 0 || posix_memalign(&p, 256, bytes) != 0) return nullptr;
  memset(p, 0, bytes);
  return p;
}

const char *emulation_kernel(int n) {
  return n < (int)emulation::kernels().size() ? emulation::kernels()[(size_t)n]->name : nullptr;
}
