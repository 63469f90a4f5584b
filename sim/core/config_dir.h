#pragma once
// Where the data files lie that come with the program (devices, cloud instances, predictors).

#include <filesystem>

namespace layersim {

// The folder in the environment variable LAYERSIM_CONFIG_DIR if that is set; else ../share/layersim beside
// the executable (an installed program); else the configs folder of the sources. Throws bad_use when it is
// not there.
[[nodiscard]] std::filesystem::path config_dir();

}  // namespace layersim
