#pragma once
// A profile of training steps as profilers export it, reduced to what a transfer to another device needs: how
// long each operation took on the device in all, and how long a step took. Kinds of files, recognised by
// their content (gzip too):
//   - profile rows: a CSV with one row for each profiled run, columns `device_<operation>_ms` (totals over
//     `profiled_steps` steps), `device_idle_ms`, and what is known of the run (gpu, model, batch, pixel,
//     batch_ms);
//   - operation list: a CSV with the columns `operation` and `time_ms`;
//   - tensorflow stats: the table of operation statistics of the TensorFlow profiler, as CSV or JSON;
//   - chrome trace: the trace of torch.profiler (Kineto), old and new names of categories;
//   - key_averages: the table that key_averages().table() of PyTorch prints.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace layersim {

struct OperationTime {
  std::string name;  // as in the file: "Conv2D", "aten::addmm", or a kernel's name where no operation is told
  double time_ms = 0;      // in all
  std::int64_t count = 0;  // 0: not told
};

struct OperationProfile {
  std::string format;                 // of the kinds above
  std::vector<OperationTime> device;  // longest first, without idle time
  std::vector<OperationTime> host;
  std::optional<double> device_idle_ms;
  std::int64_t steps = 0;         // that the times span; 0: not told
  std::optional<double> step_ms;  // of one step, measured

  // Totals as the file has them.
  std::int64_t operations =
      0;  // trace: events of operations, nested ones too; tensorflow stats: occurrences on the device
  std::int64_t kernels = 0;  // trace: events; tables: rows with device time
  double kernel_ms = 0;      // trace: without copies; tables: the device time in all
  double memcpy_ms = 0;
  double memset_ms = 0;
  std::int64_t devices = 0;  // that ran kernels; 0: not told
  double host_ms = 0;        // self time on the host, where the file tells it
  std::vector<std::string> warnings;

  // What profile rows tell of the run; empty or 0 when not told.
  std::size_t line = 0;  // of the file, from 1
  std::string gpu;
  std::string network;
  std::int64_t batch = 0;
  std::int64_t pixel = 0;

  [[nodiscard]] double device_ms() const;  // sum over the operations
};

// All profiles of a file: one, but for profile rows. Throws bad_input, one line naming the file, for a file
// of none of the kinds above.
[[nodiscard]] std::vector<OperationProfile> read_profiles(const std::string& file);

}  // namespace layersim
