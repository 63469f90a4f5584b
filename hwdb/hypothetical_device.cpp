#include "hwdb/hypothetical_device.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hwdb/device_file.h"
#include "sim/core/error.h"
#include "sim/core/parse_number.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

constexpr std::array kPeaks{"peak_fp32_gflops",        "peak_fp32_tensor_gflops", "peak_fp64_gflops",
                            "peak_fp64_tensor_gflops", "peak_fp16_gflops",        "peak_fp16_tensor_gflops",
                            "peak_bf16_tensor_gflops", "peak_tf32_tensor_gflops", "peak_fp8_tensor_gflops",
                            "peak_int8_gops"};

class Changes {
 public:
  Changes(const Device& base, std::span<const DeviceChange> changes) : base_(base), device_(base) {
    for (const DeviceChange& change : changes) {
      set_device_number(device_, change.key, change.value);
      given_.push_back(change.key);
      device_.display_name +=
          (given_.size() == 1 ? " with " : ", ") + change.key + '=' + number_text(change.value);
    }
  }

  Device follow() {
    follow("multiprocessors", factor("cores"));
    follow("cores", factor("multiprocessors"));
    const double arithmetic = factor("cores") * factor("clock_peak_mhz");
    for (const char* peak : kPeaks) follow(peak, arithmetic);
    follow("memory_bandwidth_gb_s", factor("memory_bus_width_bits") * factor("memory_data_rate_gt_s"));
    return device_;
  }

 private:
  // How many times the number of the base it is now.
  [[nodiscard]] double factor(const char* key) const {
    const auto before = device_number(base_, key);
    return before ? *device_number(device_, key) / *before : 1;
  }
  void follow(const char* key, double by_factor) {
    const auto number = device_number(device_, key);
    const bool is_given = std::find(given_.begin(), given_.end(), key) != given_.end();
    if (!number || is_given || by_factor == 1) return;
    set_device_number(device_, key, *number * by_factor);
  }

  const Device& base_;
  Device device_;
  std::vector<std::string> given_;
};

}  // namespace

DeviceChange parse_device_change(const std::string& subject, std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw bad_use(subject + " takes KEY=NUMBER as memory_bandwidth_gb_s=1800, not '" + std::string(text) +
                  "'");
  }
  const std::string key(text.substr(0, equals));
  return {key, parse_positive(subject + ' ' + key, text.substr(equals + 1))};
}

Device hypothetical_device(const Device& device, std::span<const DeviceChange> changes) {
  return Changes(device, changes).follow();
}

}  // namespace layersim
