#include "sampler/campaign.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sampler/noise_watch.h"

namespace layersim {
namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

double CampaignProgress::per_minute() const {
  return elapsed_s > 0 ? 60 * static_cast<double>(measured + skipped) / elapsed_s : 0;
}

std::optional<double> CampaignProgress::left_s(const CampaignOptions& options) const {
  if (measured + skipped == 0) return std::nullopt;
  double left = 60 * static_cast<double>(problems - done) / per_minute();
  if (options.time_budget_s) left = std::min(left, std::max(*options.time_budget_s - elapsed_s, 0.0));
  return left;
}

CampaignState::CampaignState(const CampaignOptions& options, SampleStore& store, ShouldStop should_stop,
                             ReportProgress report)
    : options_(options),
      store_(store),
      should_stop_(std::move(should_stop)),
      report_(std::move(report)),
      start_s_(now_s()) {
  progress_.problems = options.problems;
  for (std::uint64_t i = 0; i < options.problems; ++i) progress_.done += store.done().contains(i) ? 1 : 0;
}

std::optional<std::uint64_t> CampaignState::next() {
  const std::scoped_lock lock(mutex_);
  while (next_ < options_.problems && store_.done().contains(next_)) ++next_;
  const bool late = options_.time_budget_s && now_s() - start_s_ >= *options_.time_budget_s;
  if (stopped_ || next_ >= options_.problems || late || should_stop_()) return std::nullopt;
  return next_++;
}

void CampaignState::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
}

void CampaignState::add(SampleRow row, bool noisy) {
  const std::scoped_lock lock(mutex_);
  ++(row.table == "skipped" ? progress_.skipped : progress_.measured);
  for (const auto& [name, value] : row.fields) {
    if (name == "skip_reason") progress_.skip_reason = std::get<std::string>(value);
  }
  progress_.noisy += noisy ? 1 : 0;
  store_.add(std::move(row));
  ++progress_.done;
  progress_.elapsed_s = now_s() - start_s_;
  report_(progress_);
}

CampaignProgress CampaignState::progress() const {
  const std::scoped_lock lock(mutex_);
  return progress_;
}

void run_campaign(Backend& backend, const DrawProblem& draw, const CampaignOptions& options,
                  const CampaignFacts& facts, CampaignState& state) {
  NoiseWatch watch;
  while (const std::optional<std::uint64_t> index = state.next()) {
    SampleResult result = measure(backend, draw(*index), options.protocol, options.noise);
    result.index = *index;
    state.add(make_row(result, facts.gpu, facts.stack), result.noisy);
    if (!options.ignore_noise) watch.add(result, options.noise);
  }
}

}  // namespace layersim
