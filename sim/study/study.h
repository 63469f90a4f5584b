#pragma once
// What-if studies: networks x hardware x batch sizes -> times, memory, money, and what to choose. Every batch
// that is asked for is predicted for itself, since time is not smooth in it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hwdb/device.h"
#include "hwdb/price_list.h"
#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"
#include "sim/predictors/predictor.h"
#include "sim/timing/memory.h"
#include "sim/timing/step_time.h"

namespace layersim {

struct StudyNetwork {
  std::string name;                               // in the results
  std::function<Graph(Warnings& warnings)> open;  // called once, by any thread
};
// A file or a name of the zoo; it is read when the study comes to it.
[[nodiscard]] StudyNetwork study_network(const std::string& network, const ShapeBindings& bindings = {});

// A card to buy instead of renting.
struct Purchase {
  double card_usd = 0;            // of all GPUs of the choice, as the following
  std::string date;               // of the price
  double watts = 0;               // under load
  double power_usd_per_hour = 0;  // under load
  double usd_per_hour = 0;        // with the card written off over the years
  // Hours of use after which buying is cheaper than renting; nothing where it never is, or nothing is to
  // rent.
  std::optional<double> break_even_h{};
};

// Hardware to choose from: a GPU, or an instance type of a cloud.
struct StudyChoice {
  std::string name;  // "k80", "p2.xlarge"
  Device device;
  int n_gpus = 1;                      // of one host, in data parallel training
  std::optional<HourlyPrice> price{};  // nothing: no cost is told
  std::optional<Purchase> purchase{};
};

struct StudyRequest {
  std::vector<StudyNetwork> networks;
  std::vector<StudyChoice> choices;
  std::vector<std::int64_t> batches;
  ShapeBindings bindings;  // of all networks, without the batch
  std::vector<std::string> freeze;
  bool assume_batchnorm = false;
  Mode mode = Mode::training;
  std::optional<Optimizer> optimizer;  // nothing: sgd in training
  std::optional<Precision> precision;  // nothing: as the file stores its tensors
  // Software that times are for, on all hardware; empty: the one that is known best for most of it.
  std::string stack;
  std::int64_t dataset_size = 1;     // samples of an epoch
  std::int64_t validation_size = 0;  // samples of a forward pass after each epoch
  std::int64_t epochs = 1;
  std::optional<double> loader_samples_per_s;
  std::optional<double> budget_usd;  // limits of a whole run
  std::optional<double> deadline_h;
  int threads = 0;  // 0: as many as the machine has cores
};

// The largest share of a batch that one of the GPUs has.
[[nodiscard]] std::int64_t batch_of_gpu(std::int64_t batch, int n_gpus);
// How the study takes its networks apart.
[[nodiscard]] DecomposeOptions study_decomposition(const StudyRequest& request, std::int64_t batch);

// One network on one choice at one batch size.
struct StudyCell {
  std::size_t choice = 0;      // index into the request
  std::int64_t batch = 0;      // over all GPUs together
  bool enough_samples = true;  // at least one for each GPU; else the cell is of no use
  StepTime step;               // of a batch
  double epoch_s = 0;
  double total_s = 0;                        // all epochs
  std::optional<Interval> total_interval_s;  // as the batch's
  Memory memory;                             // of one GPU
  double usable_bytes = 0;                   // of the device
  bool is_tight = false;                     // its memory, as is_tight of sim/timing/memory.h
  double inside_trained_range = 0;           // share of the layers
  std::optional<double> cost_usd;            // of the whole run
  bool within_budget = true;                 // true without a budget; false where no cost is known
  bool within_deadline = true;

  [[nodiscard]] bool fits() const { return memory.total_bytes() <= usable_bytes; }
  // Can be chosen.
  [[nodiscard]] bool is_eligible() const {
    return enough_samples && fits() && within_budget && within_deadline;
  }
  [[nodiscard]] double samples_per_s() const { return 1000 * static_cast<double>(batch) / step.batch_ms(); }
};

// Indices are into `cells`. Only eligible cells are chosen.
struct NetworkStudy {
  std::string network;
  double params = 0;
  double macs_per_sample = 0;
  std::vector<StudyCell> cells;         // choice by choice, each with all batches in the request's order
  std::optional<std::size_t> fastest;   // the least total time
  std::optional<std::size_t> cheapest;  // the least cost
  std::vector<std::size_t> pareto;      // none is both faster and cheaper; from the fastest to the cheapest
  std::vector<std::optional<std::size_t>> best_of_choice;  // parallel to the choices: the least epoch time
  std::string stack;  // software that times are for; empty: none in particular
  std::vector<std::string> warnings;
};

// Calls `take` for each network in the order of the request, always from the calling thread. Memory does not
// grow with the number of networks. Throws what reading and decomposing a network throws, and
// nothing_predicted where no layer of a network has a time.
void run_study(const StudyRequest& request, const Predictor& predictor,
               const std::function<void(NetworkStudy&&)>& take);
// The same, collected.
[[nodiscard]] std::vector<NetworkStudy> run_study(const StudyRequest& request, const Predictor& predictor);

}  // namespace layersim
