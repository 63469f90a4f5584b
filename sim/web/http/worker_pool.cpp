#include "sim/web/http/worker_pool.h"

namespace layersim {

WorkerPool::WorkerPool(std::size_t threads) : most_waiting_(threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

void WorkerPool::add(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < most_waiting_; });
  waiting_.push_back(std::move(work));
  lock.unlock();
  changed_.notify_all();
}

void WorkerPool::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::work() {
  for (;;) {
    std::function<void()> next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    changed_.notify_all();
    next();
  }
}

}  // namespace layersim
