#pragma once
// Measuring problems one after the other until all are done, the time is over or somebody says stop.

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "sampler/measurement.h"
#include "sampler/sample_store.h"

namespace layersim {

struct CampaignOptions {
  std::uint64_t problems = 0;             // from 0 on; those that are done in the store count
  std::optional<double> time_budget_s{};  // of this process
  bool ignore_noise = false;
  std::string problems_digest{};  // the same for the same problems only: ranks must agree on them
  Protocol protocol{};
  NoiseLimits noise{};
};

struct CampaignProgress {
  std::uint64_t done = 0;  // of all, earlier ones included
  std::uint64_t problems = 0;
  std::uint64_t measured = 0;  // by this process
  std::uint64_t skipped = 0;
  std::uint64_t noisy = 0;
  double elapsed_s = 0;
  std::string skip_reason{};  // of the last one skipped

  [[nodiscard]] double per_minute() const;
  // Until all are done or the time budget is used up; nothing before the first sample.
  [[nodiscard]] std::optional<double> left_s(const CampaignOptions& options) const;
};

using DrawProblem = std::function<SampleProblem(std::uint64_t index)>;
using ReportProgress = std::function<void(const CampaignProgress&)>;
using ShouldStop = std::function<bool()>;

// What is known of a running campaign, on one device or on many (shared_campaign.h). Threads may share it.
class CampaignState {
 public:
  CampaignState(const CampaignOptions& options, SampleStore& store, ShouldStop should_stop,
                ReportProgress report);

  // The next problem to measure; nothing when it is time to end.
  [[nodiscard]] std::optional<std::uint64_t> next();
  // There is no next problem from now on.
  void stop();
  // Keeps a row; tells progress.
  void add(SampleRow row, bool noisy);
  [[nodiscard]] CampaignProgress progress() const;

 private:
  const CampaignOptions& options_;
  SampleStore& store_;
  ShouldStop should_stop_;
  ReportProgress report_;
  double start_s_;
  std::uint64_t next_ = 0;
  bool stopped_ = false;
  CampaignProgress progress_;
  mutable std::mutex mutex_;
};

// On one device. Throws check_failed when the machine becomes too noisy; what was measured is in the store.
void run_campaign(Backend& backend, const DrawProblem& draw, const CampaignOptions& options,
                  const CampaignFacts& facts, CampaignState& state);

}  // namespace layersim
