#include "sim/web/http/worker_pool.h"

#include <atomic>
#include <catch2/catch.hpp>

using namespace layersim;

TEST_CASE("all work is done, by no more threads than there are") {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::atomic<int> done{0};
  {
    WorkerPool pool(3);
    for (int i = 0; i < 200; ++i) {
      pool.add([&] {
        const int now = ++running;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::yield();
        --running;
        ++done;
      });
    }
  }
  CHECK(done == 200);
  CHECK(most <= 3);
}
