#pragma once
// One device file: a JSON object with plain text for the names, and {"value": ..., "source": ...} for every
// fact.

#include <filesystem>
#include <optional>
#include <string_view>

#include "hwdb/device.h"

namespace layersim {

// Throws bad_input for anything that is missing, unknown, out of range or contradicts itself
// (peak_fp32_gflops against cores x clock, bandwidth against bus width x data rate).
[[nodiscard]] Device read_device_file(const std::filesystem::path& path);

// The same from text; `name` stands before every error.
[[nodiscard]] Device read_device_text(const std::string& name, std::string_view text);

// A number by its key in the file. Setting throws bad_use for a key that there is not and for values out of
// the range of the files; reading gives nothing for a number that the device does not have.
void set_device_number(Device& device, std::string_view key, double value);
[[nodiscard]] std::optional<double> device_number(const Device& device, std::string_view key);

// Lower-case letters, digits and hyphens.
[[nodiscard]] bool is_device_key(std::string_view text);

}  // namespace layersim
