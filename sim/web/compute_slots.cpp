#include "sim/web/compute_slots.h"

#include <algorithm>

namespace layersim {

ComputeSlots::Slot::Slot(ComputeSlots& slots, std::chrono::steady_clock::time_point end) : slots_(slots) {
  std::unique_lock lock(slots_.mutex_);
  const std::uint64_t ticket = slots_.next_ticket_++;
  std::deque<std::uint64_t>& waiting = slots_.waiting_;
  waiting.push_back(ticket);
  held_ = slots_.freed_.wait_until(lock, end, [&] { return slots_.free_ > 0 && waiting.front() == ticket; });
  waiting.erase(std::find(waiting.begin(), waiting.end(), ticket));
  if (held_) --slots_.free_;
  lock.unlock();
  slots_.freed_.notify_all();  // another one is first now
}

ComputeSlots::Slot::~Slot() {
  if (!held_) return;
  {
    const std::lock_guard lock(slots_.mutex_);
    ++slots_.free_;
  }
  slots_.freed_.notify_all();
}

}  // namespace layersim
