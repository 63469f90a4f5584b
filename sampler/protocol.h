#pragma once
// How one piece of work is timed, whatever it is and wherever it runs: some calls to warm up, then
// repetitions of so many calls each that the clock's own resolution does not count. The protocol of the seed
// paper: the time of a layer is the median of five repetitions.

#include <functional>
#include <vector>

namespace layersim {

struct Protocol {
  int warm_up_calls = 3;
  int repetitions = 5;
  double shortest_repetition_ms = 5;  // a repetition has as many calls as fill this time, one at least
  int most_calls = 20000;             // in one repetition
};

// Of one call, over the repetitions; milliseconds.
struct Timing {
  double median_ms = 0;
  double min_ms = 0;
  double max_ms = 0;
  double std_ms = 0;
  int repetitions = 0;
  int calls = 0;  // in each repetition

  // How much the repetitions scatter: (maximum - minimum) / median.
  [[nodiscard]] double spread() const { return (max_ms - min_ms) / median_ms; }
};

// Runs the work so many times in a row and returns the milliseconds that all calls took together, the
// device's work included.
using TimedCalls = std::function<double(int calls)>;

[[nodiscard]] Timing time_calls(const TimedCalls& timed_calls, const Protocol& protocol);

// The statistics of repetitions that are known; `ms` is the time of one call in each. Throws internal for
// none.
[[nodiscard]] Timing summarize_repetitions(std::vector<double> ms, int calls);

}  // namespace layersim
