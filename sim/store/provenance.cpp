#include "sim/store/provenance.h"

#include <chrono>
#include <ctime>
#include <iterator>
#include <utility>

namespace layersim {

Provenance new_provenance(std::string kind) {
  Provenance provenance;
  provenance.kind = std::move(kind);
  provenance.tool_version = LAYERSIM_VERSION;
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32] = {};
  provenance.date.assign(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc));
  return provenance;
}

void DistinctTexts::add(const Table& batch, std::string_view column) {
  const Column* found = batch.find(column);
  if (found == nullptr || !found->is_text()) return;
  std::int32_t last = kMissingCode;
  for (const std::int32_t code : found->codes) {
    if (code == last || code == kMissingCode) continue;
    last = code;
    const std::string& text = found->dictionary.text(code);
    if (!texts_.contains(text)) texts_.insert(text);
  }
}

std::string DistinctTexts::joined() const {
  constexpr std::size_t kMost = 100;
  if (texts_.size() > kMost) return std::to_string(texts_.size()) + " different";
  std::string result;
  for (const std::string& text : texts_) result.append(result.empty() ? "" : ",").append(text);
  return result;
}

}  // namespace layersim
