#pragma once
// From measured runs and layers to a run model, and how well it does on what it has not seen. Everything that
// is said of errors comes from models that were trained without the network, the family of networks or the
// device in question.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/predictors/run_model.h"
#include "trainers/run_dataset.h"
#include "trainers/run_trainer.h"

namespace layersim {

// What is kept out of training together.
enum class LeaveOut : unsigned char { network, family, gpu };
[[nodiscard]] std::span<const std::string_view> leave_out_names();
[[nodiscard]] std::string_view name(LeaveOut leave_out);

struct RunTrainSettings {
  RunTrainingOptions options;
  int members = 2;  // networks of which the mean is taken
  // Networks, families or devices are left out in so many parts; 0: each alone.
  int folds = 0;
  // Whether a model of its own answers for devices and stacks that it was trained on. It sees all that is
  // known of a device and does better there, and worse on devices left out.
  bool has_known_devices = true;
};

// `what`: "runs, fold 2 of 6". Called by one thread at a time.
using RunTrainReport = std::function<void(const std::string& what, const RunProgress&)>;

// Trained on these runs and layers of the set; without intervals and known errors.
[[nodiscard]] RunModel fit_runs(const RunSet& set, const std::vector<std::size_t>& training,
                                const RunTrainer& trainer, const RunTrainSettings& settings,
                                const std::string& what, const RunTrainReport& report);

struct RunPrediction {
  double ms = 0;
  RunNovelty novelty = RunNovelty::none;  // device: of one that the model has no runs of
};
// What the model says of these runs.
[[nodiscard]] std::vector<RunPrediction> predict_runs(const RunModel& model, const RunSet& set,
                                                      const std::vector<std::size_t>& runs);

struct HeldOutRun {
  std::size_t run = 0;  // index into RunSet::runs
  RunPrediction predicted;
};
// Each run predicted by a model that was trained without its network, family or device, and each layer by one
// that was trained without it.
// Throws bad_use for a set with one of them alone.
[[nodiscard]] std::vector<HeldOutRun> cross_validate(const RunSet& set, LeaveOut leave_out,
                                                     const RunTrainer& trainer,
                                                     const RunTrainSettings& settings,
                                                     const RunTrainReport& report);

struct TrainedRuns {
  RunModel model;
  std::vector<HeldOutRun> networks;  // left out, as cross_validate has them; none of one network alone
  std::vector<HeldOutRun> devices;   // none of one device alone
};
// The model on all runs, with intervals and errors from cross_validate by network and by device.
[[nodiscard]] TrainedRuns train_runs(const RunSet& set, const RunTrainer& trainer,
                                     const RunTrainSettings& settings, const RunTrainReport& report);

}  // namespace layersim
