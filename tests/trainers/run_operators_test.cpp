// Operators that were timed within networks, beside the runs of these networks.

#include <algorithm>
#include <catch2/catch.hpp>
#include <mutex>
#include <set>

#include "sim/runs/run_table.h"
#include "sim/store/csv_rows.h"
#include "tests/store/temporary_folder.h"
#include "trainers/run_table_dataset.h"
#include "trainers/run_training.h"
#include "trainers/torch_module.h"

using namespace layersim;

namespace {

RunSet runs_and_operators() {
  const tests::TemporaryFolder folder;
  RunSet set;
  RunSetBuilder builder(set);
  add_runs(read_run_table(folder.write("runs.csv",
                                       "network,gpu,stack,precision,mode,batch,measured_ms,group,family\n"
                                       "lenet5,k80,tf2.5,fp32,forward,16,2,LeNet 5,small\n"
                                       "lenet5,k80,tf2.5,fp32,forward,32,3,LeNet 5,small\n"
                                       "alexnet,k80,tf2.5,fp32,forward,16,9,alexnet,large\n"
                                       "alexnet,k80,tf2.5,fp32,forward,32,16,alexnet,large\n")),
           builder);
  Warnings warnings;
  SampleSet operators;
  add_samples(operators,
              read_csv(folder.write("operators.csv",
                                    "gpu,framework,precision,mode,model,op_index,op,gemm_batch,m,n,k,"
                                    "input_shapes,output_shape,forward_ms,backward_ms,accumulate_ms\n"
                                    "k80,tf2.5,fp32,forward,lenet_5,1,linear,1,24,32,16,,,0.5,,\n"
                                    "k80,tf2.5,fp32,forward,Alexnet,1,linear,1,24,32,64,,,0.5,,\n"
                                    "k80,tf2.5,fp32,forward,other,1,linear,1,24,32,128,,,0.5,,\n"),
                       warnings),
              SampleUse::evaluation);
  add_operators(operators, set, builder);
  return set;
}

// Keeps the runs and layers of each training.
class WatchedTrainer : public RunTrainer {
 public:
  explicit WatchedTrainer(const RunTrainer& trainer) : trainer_(trainer) {}

  [[nodiscard]] RunFit train(const RunTrainingTask& task,
                             const std::function<void(const RunProgress&)>& report) const override {
    {
      const std::scoped_lock lock(mutex_);
      trainings_.emplace_back(names(task, task.runs), names(task, task.layers));
    }
    return trainer_.train(task, report);
  }

  using Names = std::set<std::string>;
  [[nodiscard]] const std::vector<std::pair<Names, Names>>& trainings() const { return trainings_; }

 private:
  static Names names(const RunTrainingTask& task, const std::vector<std::size_t>& rows) {
    Names names;
    for (const std::size_t i : rows) names.insert(task.set->runs[i].network);
    return names;
  }

  const RunTrainer& trainer_;
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Names, Names>> trainings_;
};

}  // namespace

TEST_CASE("operators within a network belong to its runs, however its name is spelt") {
  const RunSet set = runs_and_operators();
  REQUIRE(set.runs.size() == 7);
  CHECK(set.runs[4].is_layer);
  CHECK(set.runs[4].network == "LeNet 5");
  CHECK(set.runs[4].network_family == "small");
  CHECK(set.runs[5].network == "alexnet");
  CHECK(set.runs[5].network_family == "large");
  CHECK(set.runs[6].network == "other");
  CHECK(set.runs[6].measured_ms == 0.5);
}

TEST_CASE("operators within a network are left out with its runs") {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr) return;
  const WatchedTrainer watched(*trainer);
  RunTrainSettings settings;
  settings.options.epochs = 1;
  settings.options.hidden = {4};
  settings.members = 1;
  static_cast<void>(cross_validate(runs_and_operators(), LeaveOut::network, watched, settings,
                                   [](const std::string&, const RunProgress&) {}));
  // In each part a model for new devices, which does without operators, and one for known devices.
  REQUIRE(watched.trainings().size() == 4);
  std::size_t with_operators = 0;
  for (const auto& [runs, operators] : watched.trainings()) {
    CHECK(runs.size() == 1);
    if (operators.empty()) continue;
    ++with_operators;
    CHECK(operators == WatchedTrainer::Names{*runs.begin(), "other"});
  }
  CHECK(with_operators == 2);
}
