#include "trainers/known_rows.h"

#include <cmath>
#include <map>
#include <string>
#include <tuple>

namespace layersim {
namespace {

using KnownKey = std::tuple<std::string, std::string, std::string, std::string>;

KnownKey key_of(const SampleSet& set, const Sample& sample) {
  return {set.devices[static_cast<std::size_t>(sample.device)].key,
          set.stacks[static_cast<std::size_t>(sample.stack)], std::string(name(sample.precision)),
          std::string(name(sample.pass))};
}

}  // namespace

std::vector<KnownRows> known_rows(const SampleSet& set, std::span<const std::size_t> trained,
                                  std::span<const std::size_t> kept_out,
                                  std::span<const TimeEstimate> estimates) {
  std::map<KnownKey, KnownRows> known;
  for (const std::size_t i : trained) ++known[key_of(set, set.samples[i])].rows;
  for (std::size_t i = 0; i < kept_out.size(); ++i) {
    const Sample& sample = set.samples[kept_out[i]];
    const double log_ms = static_cast<double>(estimates[i].log_ms);
    const double predicted_ms = std::exp(log_ms);
    const double error_ms = predicted_ms - sample.time_ms;
    const double log_ratio = log_ms - std::log(sample.time_ms);
    KnownRows& entry = known[key_of(set, sample)];
    ++entry.held_out_rows;
    entry.held_out_mape += std::abs(error_ms) / sample.time_ms;
    entry.held_out_rmse_ms += error_ms * error_ms;
    entry.held_out_coverage +=
        std::abs(log_ratio) <= static_cast<double>(estimates[i].log_half_width) ? 1 : 0;
  }
  std::vector<KnownRows> rows;
  for (auto& [key, entry] : known) {
    std::tie(entry.gpu, entry.stack, entry.precision, entry.pass) = key;
    if (entry.held_out_rows > 0) {
      const auto count = static_cast<double>(entry.held_out_rows);
      entry.held_out_mape /= count;
      entry.held_out_rmse_ms = std::sqrt(entry.held_out_rmse_ms / count);
      entry.held_out_coverage /= count;
    }
    rows.push_back(std::move(entry));
  }
  return rows;
}

}  // namespace layersim
