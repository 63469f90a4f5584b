#pragma once
// The whole flow: network file -> graph -> layers -> features -> predictor -> times -> report.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hwdb/device.h"
#include "hwdb/hypothetical_device.h"
#include "hwdb/price_list.h"
#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"
#include "sim/parallel/parallel_step.h"
#include "sim/predictors/predictor.h"
#include "sim/report/report.h"

namespace layersim {

// A file, or the name of a network in the zoo, and what it leaves open.
struct NetworkOptions {
  std::string network;
  std::function<Graph(Warnings& warnings)>
      open;  // empty: `network` says where it is; else it is its name alone
  ShapeBindings bindings;
  bool assume_batchnorm = false;    // put back what an export folded into convolutions
  std::vector<std::string> freeze;  // globs over names of layers and weights that are not trained
};

struct DeviceOptions {
  std::string gpu;                                // key or alias; empty where a file is given
  std::optional<std::filesystem::path> gpu_file;  // a device that is not in the list
};

// Training images of ImageNet-1k (ILSVRC 2012).
inline constexpr std::int64_t kDefaultDatasetSize = 1'281'167;

struct RunOptions {
  Mode mode = Mode::training;
  std::optional<Optimizer> optimizer;        // nothing: sgd in training
  std::optional<Precision> precision;        // nothing: as the file stores its tensors
  std::optional<std::int64_t> dataset_size;  // nothing: kDefaultDatasetSize
  std::int64_t epochs = 1;
  std::int64_t validation_size = 0;            // samples of a forward pass after each epoch
  std::optional<double> loader_samples_per_s;  // nothing: input is always there in time
  bool find_max_batch = false;
  std::optional<HourlyPrice> price;      // of one device; nothing: no cost is told
  ParallelOptions parallel;              // the batch counts over all devices
  std::string method;                    // empty: the best there is
  std::filesystem::path predictor_file;  // empty: the one that comes along
  std::string stack;                     // empty: the newest that the method knows well for the device
};

// Reads and takes apart. Throws bad_use for a name that is neither a file nor in the zoo, bad_input for a
// damaged file.
[[nodiscard]] Network load_network(const NetworkOptions& options, Mode mode);
[[nodiscard]] Device load_device(const DeviceOptions& options);

// What `layersim show` prints.
[[nodiscard]] Report show(const Network& network, const NetworkOptions& options);
// What `layersim predict` prints. Throws nothing_predicted when there is nothing to add up.
[[nodiscard]] Report predict(Network network, const NetworkOptions& options, const Device& device,
                             const RunOptions& run_options);

// The same with a predictor that is there already; method and file of the options do not count.
[[nodiscard]] Report predict(Network network, const NetworkOptions& options, const Device& device,
                             const RunOptions& run_options, const Predictor& predictor);

// The same on a device that does not exist: `device` with the changes. The report tells of both, or of the
// changed one alone, with a warning, where `device` lacks the precision.
[[nodiscard]] Report predict_hypothetical(const Network& network, const NetworkOptions& options,
                                          const Device& device, std::span<const DeviceChange> changes,
                                          const RunOptions& run_options);

// What the predictors see of each layer, as CSV.
[[nodiscard]] std::string describe_features(Network network, const Device& device,
                                            const RunOptions& run_options);

}  // namespace layersim
