#include "sim/cli/regression_rows.h"

#include "hwdb/device_file.h"
#include "sim/core/error.h"
#include "sim/methods/regression/regression_model.h"

namespace layersim {

const std::string& only_regression_table(const Arguments& given) {
  if (given.words.size() != 2)
    throw bad_use("regression " + given.words.front() + " takes one table of runs");
  return given.words[1];
}

RegressionTable read_regression_rows(const Arguments& given, bool needs_target,
                                     const std::vector<std::string>& read_by_predictor) {
  std::vector<Device> own_devices;
  if (const auto file = given.text("gpu-file")) own_devices.push_back(read_device_file(*file));
  return read_regression_table(only_regression_table(given),
                               {comma_separated(given.text("features").value_or("")),
                                given.text("target").value_or(""), needs_target, read_by_predictor},
                               own_devices);
}

std::string regression_predictor_file(const Arguments& given) {
  return given.text("predictor").value_or(shipped_regression_file().string());
}

}  // namespace layersim
