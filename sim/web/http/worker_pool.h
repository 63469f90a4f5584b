#pragma once
// Threads that serve connections, one each, and as many connections that wait for a thread. What comes beyond
// waits in the operating system: memory stays bounded.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace layersim {

class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads);
  ~WorkerPool() { finish(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Waits while all is full.
  void add(std::function<void()> work);
  // Works off what is there, and ends the threads.
  void finish();

 private:
  void work();

  std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace layersim
