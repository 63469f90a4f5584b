#pragma once
// Bounds how many requests compute at once: as many as the machine has cores. The others wait in the
// order in which they came, for a while.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

namespace layersim {

class ComputeSlots {
 public:
  explicit ComputeSlots(int slots) : free_(slots) {}

  // Held while it lives; false: none became free in time.
  class Slot {
   public:
    Slot(ComputeSlots& slots, std::chrono::steady_clock::time_point end);
    ~Slot();
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    explicit operator bool() const { return held_; }

   private:
    ComputeSlots& slots_;
    bool held_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  int free_;
  std::uint64_t next_ticket_ = 0;
  std::deque<std::uint64_t> waiting_;  // tickets, in order
};

}  // namespace layersim
