// layersim regression train: fits a formula to a table of runs.

#include <algorithm>
#include <array>

#include "sim/cli/method_command.h"
#include "sim/cli/output.h"
#include "sim/cli/regression_rows.h"
#include "sim/cli/regression_subcommands.h"
#include "sim/cli/regression_unfitted.h"
#include "sim/core/error.h"
#include "sim/methods/regression/regression_model.h"
#include "sim/predictors/predictor.h"
#include "sim/report/readable_text.h"
#include "sim/store/provenance.h"
#include "trainers/methods/regression_training.h"

namespace layersim {
namespace {

std::string formulas_text(const RegressionModel& model) {
  if (model.step_terms.empty()) return formula(model);
  return formula(model) + "\nof networks, GPUs and sizes unlike those fitted:\n" + step_formula(model);
}

// A slip of the pen would be learned as software of its own.
std::vector<std::string> warn_of_stacks(const std::string& file, const RegressionTable& table) {
  if (!table.is_of_runs()) return {};
  const std::vector<std::string> known = make_predictor("")->known_stacks();
  const std::string unknown = describe_unknown_stacks(table, [&](const std::string& stack) {
    return std::find(known.begin(), known.end(), stack) != known.end();
  });
  if (unknown.empty()) return {};
  return {file + ": stack " + unknown +
          ": `predict` knows none of that name; it is learned as one of its own"};
}

}  // namespace

void regression_train(const Arguments& given) {
  const auto output = given.text("output");
  if (!output) throw bad_use("regression train needs -o FILE for the predictor");
  const RegressionTable table = read_regression_rows(given, true);
  const std::vector<std::string> warnings = warn_of_stacks(only_regression_table(given), table);
  const std::string left_out =
      given.text("leave-out").value_or(table.rows.front().network.empty() ? "configuration" : "network");
  RegressionModel model = with_context(only_regression_table(given), [&] {
    return fit_regression(table, parse_left_out(table, left_out), seed_of(given));
  });
  model.date = new_provenance("runs").date;
  model.sources = source_lines(std::array{only_regression_table(given)});
  PendingFile pending(*output);
  write_regression_model(model, pending.path());
  pending.commit();
  write_result(given,
               {{"schema_version", 1},
                {"method", "regression"},
                {"rows", table.rows.size()},
                {"networks", model.networks},
                {"terms", model.terms.size()},
                {"formula", formula(model)},
                {"formula_outside", step_formula(model)},
                {"left_out", model.left_out},
                {"left_out_mape", model.left_out_mape},
                {"warnings", warnings}},
               formulas_text(model) + '\n' + short_number(100 * model.left_out_mape) +
                   " % error where each " + model.left_out + " was left out; written to " + *output + '\n');
  print_warnings(warnings);
}

}  // namespace layersim
