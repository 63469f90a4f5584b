#pragma once
// The device that a command is for. Warnings go to standard error.

#include <string>

#include "hwdb/device.h"
#include "sim/cli/command_line.h"

namespace layersim {

[[nodiscard]] options::options_description device_option_group();
// --gpu NAME or --gpu-file FILE, one of which must be there. Throws bad_use.
[[nodiscard]] Device read_device(const Arguments& arguments);

// Of a JSON file; warns where its key is that of a known device with other numbers.
[[nodiscard]] Device read_own_device(const std::string& file);

}  // namespace layersim
