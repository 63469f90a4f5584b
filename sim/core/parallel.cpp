#include "sim/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace layersim {

int hardware_threads() { return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1); }

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t error_index = count;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        next = count;
        if (i < error_index) {
          error_index = i;
          error = std::current_exception();
        }
      }
    }
  };
  const std::size_t helpers = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  std::vector<std::jthread> pool;
  for (std::size_t i = 1; i < helpers; ++i) pool.emplace_back(work);
  work();
  pool.clear();
  if (error) std::rethrow_exception(error);
}

}  // namespace layersim
