#pragma once
// Measured whole networks from a CSV file, plain or gzip: which network ran where, how, and how long a batch
// took.
//
//   network      file, relative to the folder of the table, or a name of the zoo
//   gpu          key or alias of a device
//   batch        samples, over all GPUs together
//   measured_ms  of one batch
//
// These columns must be there. The following may be left out; an empty field counts as what is said here:
//
//   stack        or framework: the software that ran it ("tf2.5"); empty: not told
//   precision    empty: as the file stores its tensors
//   mode         forward or training; empty: training
//   optimizer    empty: no update of the weights. Without the column a training step ends in plain sgd
//   n_gpus       empty, or 0 of a CPU: 1
//   parallel     as --parallel: ddp, dp, tp or pp; empty: ddp. Of one GPU it does not matter
//   nodes, interconnect, micro_batches     as the options of the same names
//   dim, input   as --dim and --input, several separated by ';'
//
//   layer_times  file with measured times of the run's layers, relative to the folder of the table (blame.h)
//
// Other columns are carried through; those of flag_columns.h must be 0, 1 or empty.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hwdb/device.h"
#include "sim/features/conditions.h"
#include "sim/graph/infer_shapes.h"
#include "sim/parallel/parallel_step.h"

namespace layersim {

struct Run {
  std::size_t line = 0;          // of the table, from 1
  std::string network;           // as open_network takes it
  std::string network_name;      // as the table has it
  std::vector<std::string> row;  // all fields as they stand, parallel to RunTable::columns
  std::shared_ptr<const Device> device;
  std::string stack;
  std::optional<Precision> precision;
  Mode mode = Mode::training;
  Optimizer optimizer = Optimizer::sgd;  // none in forward mode
  ParallelOptions parallel;
  ParallelPlan plan;
  std::int64_t batch = 1;
  ShapeBindings bindings;  // `dim` and `input` alone
  double measured_ms = 0;
};

struct RunTable {
  std::string file;
  std::vector<std::string> columns;
  std::vector<Run> runs;

  // "runs.csv: line 12", to begin a message about a run.
  [[nodiscard]] std::string place(const Run& run) const;
  // The field of that column; empty where the table has none.
  [[nodiscard]] std::string field(const Run& run, std::string_view column) const;
  // What is left out together with it: the column `group`, else the network's name without folder and suffix.
  [[nodiscard]] std::string architecture(const Run& run) const;
};

// `own_devices` stand for their keys, beside those of configs/gpus. Without `measured` the column
// measured_ms is not read and need not be there. Throws bad_input naming file, line and column.
[[nodiscard]] RunTable read_run_table(const std::string& file, const std::vector<Device>& own_devices = {},
                                      bool measured = true);

// A row by its columns: name and field. Views into the table that it is of.
using RunFields = std::vector<std::pair<std::string_view, std::string_view>>;

// For rows that are read in another way from `file`: throws bad_input naming the column where read_run_table
// would refuse the row. Columns that are not given pass, but for `gpu`, which must be.
[[nodiscard]] std::function<void(const RunFields& fields)> run_row_check(
    const std::string& file, const std::vector<Device>& own_devices);

}  // namespace layersim
