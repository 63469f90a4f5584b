#pragma once
// What users name as batch sizes and hardware of a study. All throw bad_use with `subject` ("--gpus") before
// the message.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hwdb/device.h"
#include "hwdb/price_list.h"

namespace layersim {

// "16:256": 16, 32, 64, 128, 256 (doubled, the end included); "16:64:16": 16, 32, 48, 64; "16,24,40"; and
// these joined by commas. In ascending order, each once.
[[nodiscard]] std::vector<std::int64_t> parse_batches(const std::string& subject, std::string_view text);

// Comma-separated names, "all" (every GPU), and conditions that must all hold, of "memory" (GiB), "bandwidth"
// (GB/s), "fp32" and all other precisions but mixed (peak TFLOP/s of matrix products), "watts" and "year":
// "memory>=24", "watts<300"; of "technology", "manufacturer" and "market": "technology=ampere". Conditions
// without a name choose among all. Each device once, in the order of the names.
[[nodiscard]] std::vector<Device> select_gpus(const std::string& subject, std::string_view text);

// Comma-separated names of instance types, of providers (all of theirs), or "all".
[[nodiscard]] std::vector<Instance> select_instances(const std::string& subject, std::string_view text,
                                                     const PriceList& prices);

}  // namespace layersim
