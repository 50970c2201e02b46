#include "block.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "fiber.h"

namespace emulation {

uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace {

enum class State { running, at_block, at_warp, ended };

struct Thread {
  uint3 index;
  Fiber *fiber;
  State state;
  Place place;
  Meeting meeting;
  unsigned mask;
  uint64_t value; /* brought to a meeting, then taken from it */
  int source;
};

/* The block that runs, of which there is one. */
struct Block {
  const Launch *launch;
  std::vector<Thread> threads;
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<Fiber *> idle; /* fibers that run no thread */
  size_t next;               /* how many threads have started */
  Thread *current;
  std::string error;

  Fiber *scheduler() {
    static Fiber fiber(nullptr);
    return &fiber;
  }
  Thread &thread(size_t n) { return threads[launch->reverse ? threads.size() - 1 - n : n]; }
};

Block block;

/* What a fiber does: it runs threads that have not started, one after another, and then waits for another block. A
   thread that waits keeps its fiber. */
void run_threads() {
  for (;;) {
    while (block.next < block.threads.size() && block.error.empty()) {
      Thread &t = block.thread(block.next++);
      Fiber *own = t.fiber = block.idle.back();
      block.idle.pop_back();
      t.state = State::running;
      block.current = &t;
      threadIdx = t.index;
      block.launch->kernel->run(block.launch->args);
      block.current->state = State::ended;
      block.idle.push_back(own);
    }
    block.idle.back()->switch_to(*block.scheduler());
  }
}

/* Starts all threads: each ends or waits. */
void start_threads() {
  while (block.next < block.threads.size() && block.error.empty()) {
    if (block.idle.empty()) {
      block.fibers.push_back(std::make_unique<Fiber>(run_threads));
      block.idle.push_back(block.fibers.back().get());
    }
    block.scheduler()->switch_to(*block.idle.back());
  }
}

/* The threads of a warp, from the first on. */
struct Warp {
  Thread *first;
  int lanes;
};

/* Goes on with the threads of a warp that a barrier let go. */
void resume(Warp warp) {
  for (int l = 0; l < warp.lanes && block.error.empty(); l++) {
    Thread &t = warp.first[block.launch->reverse ? warp.lanes - 1 - l : l];
    if (t.state != State::running) continue;
    block.current = &t;
    threadIdx = t.index;
    block.scheduler()->switch_to(*t.fiber);
  }
}

/* Leaves the running thread until it is resumed. */
void wait(State state, Place place) {
  Thread &t = *block.current;
  t.state = state;
  t.place = place;
  t.fiber->switch_to(*block.scheduler());
}

bool same(Place a, Place b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string text(Place p) {
  const char *name = std::strrchr(p.file, '/');
  return std::string(name ? name + 1 : p.file) + ":" + std::to_string(p.line);
}

std::string text(uint3 v) {
  return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

void fail(const std::string &what) {
  if (block.error.empty()) block.error = what;
}

/* Lets all threads go that wait for the block, once every thread does that has not ended. */
bool release_block() {
  const Thread *first = nullptr;
  for (const Thread &t : block.threads) {
    if (t.state == State::ended) continue;
    if (t.state != State::at_block) return false;
    if (first && !same(first->place, t.place)) {
      fail("threads wait at different barriers, " + text(first->place) + " and " + text(t.place));
      return true;
    }
    first = &t;
  }
  for (Thread &t : block.threads)
    if (t.state == State::at_block) t.state = State::running;
  return first != nullptr;
}

/* Hands out what the lanes of a mask brought. */
void exchange(Thread *warp, const Thread &like) {
  uint64_t brought[32] = {}, votes = 0;
  for (int l = 0; l < 32; l++) {
    if (!(like.mask >> l & 1)) continue;
    brought[l] = warp[l].value;
    votes |= (uint64_t)(brought[l] != 0) << l;
  }
  const Meeting meeting = like.meeting;
  const unsigned mask = like.mask;
  for (int l = 0; l < 32; l++) {
    if (!(mask >> l & 1)) continue;
    Thread &t = warp[l];
    const int source = t.source & 31;
    if (meeting == Meeting::shuffle && !(mask >> source & 1))
      return fail("lane " + std::to_string(l) + " reads lane " + std::to_string(source) + ", which the mask of " +
                  text(t.place) + " does not name");
    t.value = meeting == Meeting::ballot ? votes : brought[source];
    t.state = State::running;
  }
}

/* Lets the lanes go that a waiting thread names, once all of them wait in the same place. */
bool release_lanes(Warp warp, const Thread &like) {
  for (int l = 0; l < 32; l++) {
    if (!(like.mask >> l & 1)) continue;
    if (l >= warp.lanes || warp.first[l].state == State::ended) {
      fail(text(like.place) + " names lane " + std::to_string(l) + ", which " +
           (l >= warp.lanes ? "does not exist" : "has ended"));
      return true;
    }
    const Thread &t = warp.first[l];
    if (t.state != State::at_warp || t.mask != like.mask || t.meeting != like.meeting || !same(t.place, like.place))
      return false;
  }
  exchange(warp.first, like);
  return true;
}

bool release_warp(Warp warp) {
  bool any = false;
  for (int l = 0; l < warp.lanes && block.error.empty(); l++)
    if (warp.first[l].state == State::at_warp) any |= release_lanes(warp, warp.first[l]);
  return any;
}

/* Runs one warp after the other, each until its threads have ended, wait for the block or can go no further. */
void run_warps() {
  const size_t all = block.threads.size(), warps = (all + 31) / 32;
  for (size_t n = 0; n < warps && block.error.empty(); n++) {
    const size_t first = 32 * (block.launch->reverse ? warps - 1 - n : n);
    const Warp warp = {&block.threads[first], (int)std::min<size_t>(32, all - first)};
    do resume(warp);
    while (block.error.empty() && release_warp(warp));
  }
}

bool all_ended() {
  for (const Thread &t : block.threads)
    if (t.state != State::ended) return false;
  return true;
}

/* Says where the threads of a block wait that nothing lets go. */
void fail_deadlock() {
  std::map<std::string, int> waiting;
  for (const Thread &t : block.threads) {
    if (t.state == State::ended) waiting["have ended"]++;
    else waiting["wait at " + text(t.place) + (t.state == State::at_block ? " for the block" : " for lanes")]++;
  }
  std::string what = "deadlock:";
  for (const auto &w : waiting) what += " " + std::to_string(w.second) + " threads " + w.first + ";";
  what.pop_back();
  fail(what);
}

/* Takes the fibers from threads that will never end. */
void abandon() {
  block.idle.clear();
  for (auto &fiber : block.fibers) {
    fiber->reset();
    block.idle.push_back(fiber.get());
  }
}

}  // namespace

int lane() { return (int)((block.current - block.threads.data()) & 31); }

void *dynamic_shared() { return block.launch->shared; }

void trap(Place place) { fail("a trap at " + text(place)); }

void wait_block(Place place) { wait(State::at_block, place); }

uint64_t wait_warp(Meeting meeting, unsigned mask, uint64_t value, int source, Place place) {
  Thread &t = *block.current;
  t.meeting = meeting;
  t.mask = mask;
  t.value = value;
  t.source = source;
  if (!(mask >> lane() & 1))
    fail("lane " + std::to_string(lane()) + " waits at " + text(place) + " for a mask that does not name it");
  wait(State::at_warp, place);
  return t.value;
}

void begin(const Launch &launch) {
  const uint3 n = launch.block;
  block.launch = &launch;
  block.threads.resize((size_t)n.x * n.y * n.z);
  Thread *t = block.threads.data();
  for (unsigned z = 0; z < n.z; z++)
    for (unsigned y = 0; y < n.y; y++)
      for (unsigned x = 0; x < n.x; x++) (t++)->index = {x, y, z};
  blockDim = n;
  gridDim = launch.grid;
}

std::string run_block(uint3 index) {
  blockIdx = index;
  block.next = 0;
  block.error.clear();
  start_threads();
  for (;;) {
    run_warps();
    if (!block.error.empty() || all_ended()) break;
    if (!release_block()) fail_deadlock();
  }
  if (block.error.empty()) return "";
  abandon();
  return "block " + text(index) + ": " + block.error;
}

}  // namespace emulation
