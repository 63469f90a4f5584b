#include "sim/web/compute_slots.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

using namespace layersim;
using Clock = std::chrono::steady_clock;

TEST_CASE("no more hold a slot than there are, and a wait ends") {
  ComputeSlots slots(1);
  auto first = std::make_unique<ComputeSlots::Slot>(slots, Clock::now());
  CHECK(*first);
  const ComputeSlots::Slot second(slots, Clock::now() + std::chrono::milliseconds(5));
  CHECK_FALSE(second);
  first.reset();
  const ComputeSlots::Slot third(slots, Clock::now());
  CHECK(third);
}

TEST_CASE("all that wait long enough get their turn") {
  ComputeSlots slots(2);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::atomic<int> held{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&] {
      const ComputeSlots::Slot slot(slots, Clock::now() + std::chrono::seconds(60));
      if (!slot) return;
      ++held;
      const int now = ++running;
      int seen = most;
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::yield();
      --running;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(held == 32);
  CHECK(most <= 2);
}
