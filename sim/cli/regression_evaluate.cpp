// layersim regression evaluate: errors of the formula on a table of runs.

#include <functional>
#include <memory>

#include "sim/cli/method_command.h"
#include "sim/cli/progress_line.h"
#include "sim/cli/regression_rows.h"
#include "sim/cli/regression_subcommands.h"
#include "sim/cli/regression_unfitted.h"
#include "sim/core/error.h"
#include "sim/methods/regression/regression_model.h"
#include "trainers/methods/regression_training.h"

namespace layersim {
namespace {

std::function<void(int part, int parts)> show_progress() {
  return [line = std::make_shared<ProgressLine>()](int part, int parts) {
    line->show("fit without part " + std::to_string(part + 1) + " of " + std::to_string(parts),
               part + 1 == parts);
  };
}

struct Evaluated {
  ErrorTable errors;
  EvaluationLabel label;
};

Evaluated evaluate_extrapolating(const RegressionTable& table, const std::string& what, std::uint64_t seed) {
  EvaluationLabel label{"regression", "", what, ""};
  if (what == "gpu") {
    label.how = "each GPU was predicted by a formula fitted to all others";
    return {evaluate_regression_left_out(table, {LeftOut::What::gpu, {}}, seed, show_progress()), label};
  }
  label.how = what == "depth"
                  ? "of each family the deepest network was predicted by a formula fitted to the rest"
                  : "the rows with the largest " + what + " were predicted by a formula fitted to the rest";
  return {evaluate_extrapolation(table, what == "gpus" ? "n_gpus" : what, seed), label};
}

Evaluated evaluate_fitted(const Arguments& given) {
  const RegressionTable table = read_regression_rows(given, true);
  const auto left_out = [&](const LeftOut& what) {
    return with_context(only_regression_table(given), [&] {
      return evaluate_regression_left_out(table, what, seed_of(given), show_progress());
    });
  };
  if (const auto what = given.text("extrapolate"))
    return with_context(only_regression_table(given),
                        [&] { return evaluate_extrapolating(table, *what, seed_of(given)); });
  if (given.has("held-out"))
    return {left_out({}),
            {"regression", "", "configuration",
             "each fifth of the configurations was predicted by a formula fitted to the others"}};
  return {left_out({LeftOut::What::network, {}}),
          {"regression", "", "network", "each network was predicted by a formula fitted to all others"}};
}

Evaluated evaluate_predictor(const Arguments& given) {
  const std::string file = regression_predictor_file(given);
  const RegressionModel model = read_regression_model(file);
  RegressionTable table = read_regression_rows(given, true, model.features);
  with_context(only_regression_table(given), [&] { arrange_features(table, model.features); });
  EvaluationLabel label{
      "regression", file, nullptr,
      "nothing: by " + file +
          ", which may have seen these runs; --leave-one-network-out tells the error on new "
          "ones"};
  const std::vector<std::string> warnings = warn_of_unfitted(only_regression_table(given), table, model);
  print_warnings(warnings);
  label.more = {{"warnings", warnings}};
  return {evaluate_regression(table, model), std::move(label)};
}

}  // namespace

void regression_evaluate(const Arguments& given) {
  int fitted = 0;
  for (const char* way : {"held-out", "leave-one-network-out", "extrapolate"})
    fitted += given.has(way) ? 1 : 0;
  if (fitted + (given.has("predictor") ? 1 : 0) > 1)
    throw bad_use("--held-out, --leave-one-network-out, --extrapolate and --predictor exclude each other");
  const Evaluated evaluated = fitted > 0 ? evaluate_fitted(given) : evaluate_predictor(given);
  write_evaluation(given, evaluated.label, evaluated.errors);
}

}  // namespace layersim
