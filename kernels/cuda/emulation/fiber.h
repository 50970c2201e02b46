/* A stack and the point where its execution stands. */
#ifndef CONVECT_EMULATION_FIBER_H
#define CONVECT_EMULATION_FIBER_H

#include <cstddef>

#if !defined(__x86_64__) && !defined(EMULATION_UCONTEXT)
#define EMULATION_UCONTEXT
#endif
#ifdef EMULATION_UCONTEXT
#include <ucontext.h>
#endif

namespace emulation {

class Fiber {
 public:
  /* A fiber that will run `body`, which never returns; without one, the caller's, which has its stack. */
  explicit Fiber(void (*body)());
  Fiber(const Fiber &) = delete;

  /* Lets the fiber start anew, whatever it was doing. */
  void reset();
  /* Goes on in another fiber until something switches back. One of the two is the fiber of the caller. */
  void switch_to(Fiber &other);

 private:
  void start();
  void arrived();
  static void enter();

  void (*body_)();
  char *low_ = nullptr; /* lowest address of the stack */
  size_t size_ = 0;
  void *fake_ = nullptr; /* what the sanitizer keeps of a fiber that waits */
#ifdef EMULATION_UCONTEXT
  ucontext_t context_;
#else
  void *top_ = nullptr; /* the stack pointer of a fiber that waits */
#endif
};

}  // namespace emulation

#endif
