#include "sim/study/study_selection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/core/nearest_names.h"
#include "sim/core/parse_number.h"

namespace layersim {
namespace {

constexpr std::size_t kMostBatches = 4096;
constexpr std::size_t kSuggestions = 3;

// "a,b" -> a, b; blanks at the ends do not count.
std::vector<std::string> words_of(const std::string& subject, std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (word.empty()) throw bad_use(subject + ": empty entry in '" + std::string(text) + "'");
    words.emplace_back(word);
    begin = end + 1;
  }
  return words;
}

// The batches of one entry.
std::vector<std::int64_t> parse_range(const std::string& subject, const std::string& word) {
  const auto first_colon = word.find(':');
  if (first_colon == std::string::npos) return {parse_batch(subject, word)};
  const auto second_colon = word.find(':', first_colon + 1);
  const std::int64_t low = parse_batch(subject, word.substr(0, first_colon));
  const std::int64_t high =
      parse_batch(subject, word.substr(first_colon + 1, second_colon - first_colon - 1));
  if (high < low) throw bad_use(subject + ": '" + word + "' ends before it begins");
  std::vector<std::int64_t> batches;
  if (second_colon == std::string::npos) {
    for (std::int64_t batch = low; batch < high; batch *= 2) batches.push_back(batch);
    batches.push_back(high);
    return batches;
  }
  const std::int64_t step = parse_count(subject, word.substr(second_colon + 1), 1);
  if ((high - low) / step >= static_cast<std::int64_t>(kMostBatches)) {
    throw bad_use(subject + ": '" + word + "' is more than " + std::to_string(kMostBatches) + " batch sizes");
  }
  for (std::int64_t batch = low; batch <= high; batch += step) batches.push_back(batch);
  return batches;
}

double tflops(const Device& device, DType dtype) { return peak_gflops(device, dtype).value_or(0) / 1000; }

struct NumberProperty {
  std::string_view name;
  double (*value)(const Device&);
};
constexpr std::array<NumberProperty, 11> kNumbers{{
    {"memory", [](const Device& device) { return device.memory_gib; }},
    {"bandwidth", [](const Device& device) { return device.memory_bandwidth_gb_s; }},
    {"fp64", [](const Device& device) { return tflops(device, DType::f64); }},
    {"fp32", [](const Device& device) { return tflops(device, DType::f32); }},
    {"fp16", [](const Device& device) { return tflops(device, DType::f16); }},
    {"bf16", [](const Device& device) { return tflops(device, DType::bf16); }},
    {"tf32", [](const Device& device) { return device.peak_tf32_tensor_gflops.value_or(0) / 1000; }},
    {"fp8", [](const Device& device) { return tflops(device, DType::f8e4m3); }},
    {"int8", [](const Device& device) { return tflops(device, DType::i8); }},
    {"watts", [](const Device& device) { return device.tdp_w; }},
    {"year", [](const Device& device) { return static_cast<double>(device.year); }},
}};

struct TextProperty {
  std::string_view name;
  std::string Device::*member;
};
constexpr std::array<TextProperty, 3> kTexts{{
    {"technology", &Device::technology},
    {"manufacturer", &Device::manufacturer},
    {"market", &Device::market},
}};

using Condition = std::function<bool(const Device&)>;

bool holds(std::string_view comparison, double value, double limit) {
  if (comparison == ">=") return value >= limit;
  if (comparison == "<=") return value <= limit;
  if (comparison == ">") return value > limit;
  if (comparison == "<") return value < limit;
  return value == limit;
}

std::string property_names() {
  std::string names;
  for (const NumberProperty& property : kNumbers) names += std::string(property.name) + ", ";
  for (const TextProperty& property : kTexts) names += std::string(property.name) + ", ";
  return names.substr(0, names.size() - 2);
}

// "memory>=24"
Condition parse_condition(const std::string& subject, const std::string& word) {
  const std::size_t at = word.find_first_of("<>=");
  const std::size_t value_at = std::min(word.find_first_not_of("<>=", at), word.size());
  const std::string name = word.substr(0, at);
  const std::string comparison = word.substr(at, value_at - at);
  const std::string value = word.substr(value_at);
  constexpr std::array<std::string_view, 5> kComparisons{"<", "<=", "=", ">=", ">"};
  if (std::find(kComparisons.begin(), kComparisons.end(), comparison) == kComparisons.end()) {
    throw bad_use(subject + ": '" + word + "' compares with none of <, <=, =, >=, >");
  }
  const auto is_named = [&](const auto& property) { return property.name == name; };
  const auto number = std::find_if(kNumbers.begin(), kNumbers.end(), is_named);
  if (number != kNumbers.end()) {
    const double limit = parse_positive(subject + ' ' + name, value);
    return [=, value_of = number->value](const Device& device) {
      return holds(comparison, value_of(device), limit);
    };
  }
  const auto text = std::find_if(kTexts.begin(), kTexts.end(), is_named);
  if (text == kTexts.end())
    throw bad_use(subject + ": '" + word + "': no property '" + name + "'; there is " + property_names());
  if (comparison != "=") throw bad_use(subject + ": '" + word + "': " + name + " is a word, compare with =");
  return [member = text->member, value](const Device& device) { return device.*member == value; };
}

Error unknown_instance(const std::string& subject, const std::string& word, const PriceList& prices) {
  std::vector<std::string> known;
  for (const Instance& instance : prices.instances) known.push_back(instance.name);
  return bad_use(subject + ": no instance type or provider is named '" + word + "'" +
                 suggest("; the nearest are ", nearest_names(word, known, kSuggestions)));
}

}  // namespace

std::vector<std::int64_t> parse_batches(const std::string& subject, std::string_view text) {
  std::set<std::int64_t> batches;
  for (const std::string& word : words_of(subject, text)) {
    const auto range = parse_range(subject, word);
    batches.insert(range.begin(), range.end());
  }
  if (batches.size() > kMostBatches) {
    throw bad_use(subject + ": more than " + std::to_string(kMostBatches) + " batch sizes");
  }
  return {batches.begin(), batches.end()};
}

std::vector<Device> select_gpus(const std::string& subject, std::string_view text) {
  const DeviceDb db;
  std::vector<Condition> conditions;
  std::vector<Device> named;
  bool wants_all = false;
  for (const std::string& word : words_of(subject, text)) {
    if (word.find_first_of("<>=") != std::string::npos) {
      conditions.push_back(parse_condition(subject, word));
    } else if (word == "all") {
      wants_all = true;
    } else {
      named.push_back(with_context(subject, [&] { return db.find(word); }));
    }
  }
  if (wants_all || named.empty()) {
    for (Device& device : db.all()) {
      if (device.device_type == "gpu") named.push_back(std::move(device));
    }
  }
  std::vector<Device> selected;
  std::set<std::string> keys;
  for (Device& device : named) {
    const bool fits = std::all_of(conditions.begin(), conditions.end(),
                                  [&](const Condition& condition) { return condition(device); });
    if (fits && keys.insert(device.key).second) selected.push_back(std::move(device));
  }
  if (selected.empty()) throw bad_use(subject + ": no device fits '" + std::string(text) + "'");
  return selected;
}

std::vector<Instance> select_instances(const std::string& subject, std::string_view text,
                                       const PriceList& prices) {
  std::vector<Instance> selected;
  std::set<std::string> names;
  for (const std::string& word : words_of(subject, text)) {
    bool found = false;
    for (const Instance& instance : prices.instances) {
      if (word != "all" && word != instance.name && word != instance.provider) continue;
      found = true;
      if (names.insert(instance.provider + ' ' + instance.name).second) selected.push_back(instance);
    }
    if (!found) throw unknown_instance(subject, word, prices);
  }
  return selected;
}

}  // namespace layersim
