#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulation {

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr size_t stack_bytes = 512 << 10;
#else
constexpr size_t stack_bytes = 128 << 10;
#endif

/* The two fibers of the switch under way. */
Fiber *left, *entered;

/* A stack with a page below it that nothing may touch. */
char *new_stack() {
  const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
  void *p = mmap(nullptr, guard + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED || mprotect(p, guard, PROT_NONE) != 0) abort();
  return static_cast<char *>(p) + guard;
}

}  // namespace

Fiber::Fiber(void (*body)()) : body_(body) {
  if (body == nullptr) return;
  /* Stacks that began alike in their pages would share few lines of the caches. */
  static unsigned number;
  low_ = new_stack();
  size_ = stack_bytes - number++ % 32 * 128;
  reset();
}

void Fiber::reset() {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(low_, size_);
#endif
  fake_ = nullptr;
  start();
}

#ifdef EMULATION_UCONTEXT

void Fiber::start() {
  getcontext(&context_);
  context_.uc_stack.ss_sp = low_;
  context_.uc_stack.ss_size = size_;
  context_.uc_link = nullptr;
  makecontext(&context_, enter, 0);
}

#else

/* Saves the registers that a function keeps on the stack, its pointer in *from, and takes up those of `to`. */
extern "C" void emulation_switch(void **from, void *to);
__asm__(
    ".text\n"
    ".globl emulation_switch\n"
    ".hidden emulation_switch\n"
    ".type emulation_switch, @function\n"
    "emulation_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size emulation_switch, . - emulation_switch\n");

/* Six registers, the function to return to, and what that function takes for its own return address. */
void Fiber::start() {
  void **top = reinterpret_cast<void **>(low_ + size_) - 8;
  for (int i = 0; i < 8; i++) top[i] = nullptr;
  top[6] = reinterpret_cast<void *>(enter);
  top_ = top;
}

#endif

void Fiber::enter() {
  entered->arrived();
  entered->body_();
  abort();
}

void Fiber::switch_to(Fiber &other) {
  left = this;
  entered = &other;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&fake_, other.low_, other.size_);
#endif
#ifdef EMULATION_UCONTEXT
  swapcontext(&context_, &other.context_);
#else
  emulation_switch(&top_, other.top_);
#endif
  arrived();
}

/* Tells the sanitizer that the switch is done, and learns the stack of the caller, which is another in each launch. */
void Fiber::arrived() {
#ifdef __SANITIZE_ADDRESS__
  const void *low;
  size_t size;
  __sanitizer_finish_switch_fiber(fake_, &low, &size);
  if (left->body_ == nullptr) {
    left->low_ = static_cast<char *>(const_cast<void *>(low));
    left->size_ = size;
  }
#endif
}

}  // namespace emulation
