#include "sim/study/study.h"

#include <algorithm>
#include <map>
#include <memory>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/decompose/decompose.h"
#include "sim/features/device_precisions.h"
#include "sim/import/open_network.h"
#include "sim/parallel/parallel_step.h"
#include "sim/study/choose_cells.h"
#include "sim/study/network_at_batch.h"
#include "sim/timing/epoch_time.h"

namespace layersim {
namespace {

constexpr double kSecondsOfAnHour = 3600;
// Networks that are done and wait to be handed over, for each thread.
constexpr std::size_t kWindowOfAThread = 8;

// By the samples that one GPU works on.
using Batches = std::map<std::int64_t, std::unique_ptr<NetworkAtBatch>>;
// Of one choice, parallel to the batches of the request.
using Row = std::vector<const NetworkAtBatch*>;

// The one that is known best for most of the devices. Hardware is compared under the same software.
std::string common_stack(const StudyRequest& request, const Predictor& predictor) {
  std::vector<std::string> stacks;
  for (const StudyChoice& choice : request.choices) stacks.push_back(predictor.default_stack(choice.device));
  return *std::max_element(stacks.begin(), stacks.end(), [&](const std::string& a, const std::string& b) {
    return std::count(stacks.begin(), stacks.end(), a) < std::count(stacks.begin(), stacks.end(), b);
  });
}

void check_precisions(const StudyRequest& request) {
  if (!request.precision) return;
  const Precision needed = *request.precision == Precision::mixed ? Precision::fp16 : *request.precision;
  for (const StudyChoice& choice : request.choices) {
    try {
      check_precision(choice.device, *request.precision);
    } catch (const Error& error) {
      throw bad_use("--precision: " + std::string(error.what()) + "; of several GPUs, 'all," +
                    std::string(name(needed)) + ">=1' takes those that have it");
    }
  }
}

class Studier {
 public:
  Studier(const StudyRequest& request, const Predictor& predictor)
      : request_(request),
        predictor_(predictor),
        stack_(request.stack.empty() ? common_stack(request, predictor) : request.stack) {}

  [[nodiscard]] NetworkStudy study(const StudyNetwork& network, int threads) const {
    return with_context(network.name, [&] {
      Warnings warnings;
      const Graph graph = network.open(warnings);
      Batches batches = needed_batches();
      std::vector<Batches::iterator> places;
      for (auto place = batches.begin(); place != batches.end(); ++place) places.push_back(place);
      parallel_for(places.size(), threads, [&](std::size_t i) {
        places[i]->second = std::make_unique<NetworkAtBatch>(request_, graph, warnings, places[i]->first);
      });
      NetworkStudy study = describe(network, batches);
      std::vector<Warnings> said(request_.choices.size());
      const std::size_t row_size = request_.batches.size();
      study.cells.resize(request_.choices.size() * row_size);
      parallel_for(request_.choices.size(), threads, [&](std::size_t choice) {
        const std::span<StudyCell> cells(study.cells);
        fill_cells(batches, choice, cells.subspan(choice * row_size, row_size), said[choice]);
      });
      for (const Warnings& of_choice : said) {
        for (const std::string& text : of_choice.all()) warnings.add(text);
      }
      for (const auto& [batch, network_at_batch] : batches) {
        for (const std::string& text : network_at_batch->network().warnings.all()) warnings.add(text);
      }
      study.warnings = warnings.all();
      const std::string unmodelled = unmodelled_warning(batches.begin()->second->network());
      if (!unmodelled.empty()) study.warnings.insert(study.warnings.begin(), unmodelled);
      choose_cells(study, request_.choices.size());
      warn_of_tight_memory(study);
      return study;
    });
  }

 private:
  // Not yet made.
  [[nodiscard]] Batches needed_batches() const {
    Batches batches;
    for (const StudyChoice& choice : request_.choices) {
      for (const std::int64_t batch : request_.batches) batches[batch_of_gpu(batch, choice.n_gpus)];
    }
    return batches;
  }

  [[nodiscard]] NetworkStudy describe(const StudyNetwork& network, const Batches& batches) const {
    const NetworkAtBatch& first = *batches.begin()->second;
    NetworkStudy study;
    study.network = network.name;
    study.stack = stack_;
    study.params = first.network().params;
    study.macs_per_sample = first.network().macs_max / static_cast<double>(first.batch());
    return study;
  }

  // The predictor is asked once for all batches of a choice. `of` gives the questions of one batch.
  template <typename Of>
  [[nodiscard]] std::vector<NetworkTime> times(const Row& batches, const Conditions& conditions, const Of& of,
                                               Warnings& warnings) const {
    std::vector<LayerQuery> queries;
    for (const NetworkAtBatch* batch : batches) {
      const auto questions = of(*batch).questions();
      queries.insert(queries.end(), questions.begin(), questions.end());
    }
    std::vector<LayerPrediction> answers(queries.size());
    predictor_.predict(queries, conditions, answers);
    std::vector<NetworkTime> times;
    std::size_t first = 0;
    for (const NetworkAtBatch* batch : batches) {
      const NetworkQuestions& asked = of(*batch);
      const std::span<const LayerPrediction> own(answers.data() + first, asked.questions().size());
      times.push_back(asked.time(own, conditions, predictor_, warnings));
      first += own.size();
    }
    return times;
  }

  void fill_cells(const Batches& batches, std::size_t choice, std::span<StudyCell> cells,
                  Warnings& warnings) const {
    const StudyChoice& of_choice = request_.choices[choice];
    const Device& device = of_choice.device;
    Row row;
    for (const std::int64_t batch : request_.batches) {
      row.push_back(batches.at(batch_of_gpu(batch, of_choice.n_gpus)).get());
    }
    const Cluster cluster =
        make_cluster({.devices = of_choice.n_gpus, .hosts = 1, .interconnects = {}}, device);
    const Conditions conditions = row.front()->conditions(device, stack_);
    for (std::string& text : predictor_.warnings(conditions)) warnings.add(std::move(text));
    std::vector<NetworkTime> steps = times(
        row, conditions, [](const NetworkAtBatch& batch) -> auto& { return batch.step(); }, warnings);
    std::vector<NetworkTime> validations;
    if (request_.validation_size > 0) {
      Warnings ignored;
      validations = times(
          row, forward_pass(conditions),
          [](const NetworkAtBatch& batch) -> auto& { return *batch.validation(); }, ignored);
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      StudyCell& cell = cells[i];
      cell.choice = choice;
      cell.batch = request_.batches[i];
      cell.enough_samples = cell.batch >= of_choice.n_gpus;
      ParallelStep step;
      step.memory = row[i]->memory(steps[i].repeats, device);
      step.time = std::move(steps[i]);
      if (of_choice.n_gpus > 1) exchange_gradients(step, row[i]->network(), conditions, cluster);
      fill_times(cell, step.time, validations.empty() ? nullptr : &validations[i]);
      cell.memory = step.memory;
      cell.usable_bytes = usable_bytes(device);
      cell.is_tight = is_tight(cell.memory, conditions);
      fill_money(cell, of_choice);
    }
  }

  void warn_of_tight_memory(NetworkStudy& study) const {
    const auto is_tight = [](const StudyCell& cell) { return cell.is_tight && cell.enough_samples; };
    const auto first = std::find_if(study.cells.begin(), study.cells.end(), is_tight);
    if (first == study.cells.end()) return;
    const auto more = std::count_if(first + 1, study.cells.end(), is_tight);
    const std::string rows = request_.choices[first->choice].name + " at batch " +
                             std::to_string(first->batch) +
                             (more > 0 ? " (and rows like it: " + std::to_string(more) + ')' : "");
    study.warnings.insert(study.warnings.begin(),
                          "at least 90 % of the memory is needed by " + rows +
                              ": PyTorch may free and ask anew within a step, which takes up to 1.7 times as "
                              "long");
  }

  void fill_times(StudyCell& cell, const NetworkTime& time, const NetworkTime* validation) const {
    cell.step = wait_for_loader(time.step, cell.batch);
    std::optional<StepTime> validation_step;
    if (validation != nullptr) validation_step = wait_for_loader(validation->step, cell.batch);
    const EpochTime epochs = epoch_time({.batch = cell.batch,
                                         .dataset_size = request_.dataset_size,
                                         .validation_size = request_.validation_size,
                                         .epochs = request_.epochs},
                                        cell.step, validation_step);
    cell.epoch_s = epochs.epoch_s();
    cell.total_s = epochs.total_s;
    const double batch_ms = cell.step.batch_ms();
    if (cell.step.interval_ms && batch_ms > 0) {
      cell.total_interval_s = Interval{cell.total_s * cell.step.interval_ms->low / batch_ms,
                                       cell.total_s * cell.step.interval_ms->high / batch_ms};
    }
    std::size_t known = 0;
    std::size_t inside = 0;
    for (const LayerPrediction& layer : time.layers) {
      known += layer.basis != Basis::none ? 1 : 0;
      inside += layer.inside_trained_range ? 1 : 0;
    }
    if (known == 0) throw Error(ErrorKind::nothing_predicted, "no layer of the network has a model");
    cell.inside_trained_range = static_cast<double>(inside) / static_cast<double>(time.layers.size());
  }

  [[nodiscard]] StepTime wait_for_loader(StepTime step, std::int64_t batch) const {
    if (request_.loader_samples_per_s) {
      wait_for_input(step, 1000 * static_cast<double>(batch) / *request_.loader_samples_per_s);
    }
    return step;
  }

  void fill_money(StudyCell& cell, const StudyChoice& choice) const {
    const double hours = cell.total_s / kSecondsOfAnHour;
    if (choice.price) cell.cost_usd = hours * choice.price->usd;
    if (request_.budget_usd) cell.within_budget = cell.cost_usd && *cell.cost_usd <= *request_.budget_usd;
    if (request_.deadline_h) cell.within_deadline = hours <= *request_.deadline_h;
  }

  const StudyRequest& request_;
  const Predictor& predictor_;
  std::string stack_;
};

}  // namespace

std::int64_t batch_of_gpu(std::int64_t batch, int n_gpus) { return (batch + n_gpus - 1) / n_gpus; }

StudyNetwork study_network(const std::string& network, const ShapeBindings& bindings) {
  return {network, [=](Warnings& warnings) { return open_network(network, warnings, bindings); }};
}

void run_study(const StudyRequest& request, const Predictor& predictor,
               const std::function<void(NetworkStudy&&)>& take) {
  if (request.networks.empty() || request.choices.empty() || request.batches.empty()) {
    throw internal_error("a study without networks, hardware or batches");
  }
  const int threads = request.threads > 0 ? request.threads : hardware_threads();
  check_stack(predictor, request.stack);
  check_precisions(request);
  const Studier studier(request, predictor);
  const std::size_t count = request.networks.size();
  const std::size_t window = kWindowOfAThread * static_cast<std::size_t>(threads);
  for (std::size_t first = 0; first < count; first += window) {
    const std::size_t size = std::min(window, count - first);
    // Few networks are divided among the threads, many are taken whole.
    const bool divide = size < static_cast<std::size_t>(threads);
    std::vector<NetworkStudy> studies(size);
    parallel_for(size, divide ? 1 : threads, [&](std::size_t i) {
      studies[i] = studier.study(request.networks[first + i], divide ? threads : 1);
    });
    for (NetworkStudy& study : studies) take(std::move(study));
  }
}

std::vector<NetworkStudy> run_study(const StudyRequest& request, const Predictor& predictor) {
  std::vector<NetworkStudy> studies;
  run_study(request, predictor, [&](NetworkStudy&& study) { studies.push_back(std::move(study)); });
  return studies;
}

}  // namespace layersim
