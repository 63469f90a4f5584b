#pragma once
// Options that several commands share, in groups: each with its description and its reader.

#include <string>
#include <vector>

#include "sim/cli/command_line.h"
#include "sim/pipeline.h"

namespace layersim {

[[nodiscard]] options::options_description network_option_group();
// The network is the command's only word.
[[nodiscard]] NetworkOptions read_network_options(const Arguments& arguments);

// --kinds: layer kinds and feature families; empty: all. Throws bad_use on a name that is neither.
[[nodiscard]] std::vector<std::string> read_kinds(const Arguments& arguments);

[[nodiscard]] options::options_description hypothetical_option_group();
[[nodiscard]] std::vector<DeviceChange> read_device_changes(const Arguments& arguments);

// Those of --method, for help texts.
[[nodiscard]] std::string method_names();

[[nodiscard]] options::options_description run_option_group();
[[nodiscard]] RunOptions read_run_options(const Arguments& arguments);

// --epochs of a training.
[[nodiscard]] int read_training_epochs(const Arguments& arguments, int otherwise);

// Where a report goes.
struct OutputOptions {
  std::string json_file;  // empty: none; "-": standard output, as the other
  std::string csv_file;
  bool all_layers = false;

  // No other format goes to standard output, so the table does.
  [[nodiscard]] bool wants_table() const { return json_file != "-" && csv_file != "-"; }
};
[[nodiscard]] options::options_description output_option_group();
[[nodiscard]] OutputOptions read_output_options(const Arguments& arguments);
void write_report(const Report& report, const OutputOptions& output);

}  // namespace layersim
