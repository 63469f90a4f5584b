// layersim regression predict|train|evaluate: a readable formula for the time of runs, from a table of them.

#include <array>

#include "sim/cli/method_command.h"
#include "sim/cli/method_runs.h"
#include "sim/cli/regression_subcommands.h"

namespace layersim {
namespace {

constexpr std::array<Subcommand, 3> kSubcommands{
    Subcommand{"predict", regression_predict,
               "features target gpu gpu-file stack mode optimizer precision batch predictor"},
    {"train", regression_train, "features target gpu-file output leave-out seed"},
    {"evaluate", regression_evaluate,
     "features target gpu-file predictor held-out leave-one-network-out extrapolate seed csv"}};

int run(const Command& command, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMostWords = 2;
  options::options_description rows("rows");
  rows.add_options()                                                                            //
      ("features", text_value("A,B"), "columns to learn from (default: found by their names)")  //
      ("target", text_value("COLUMN"), "the column to predict, in _ms or _s (default: found)");
  options::options_description predicting = method_run_option_group();
  predicting.add_options()("batch", text_value("N"), "samples in a batch");
  options::options_description training("predict, train, evaluate");
  training.add_options()  //
      ("predictor", input_file(),
       "what `regression train` wrote (default: the one that comes along)")  //
      ("output,o", binary_output_file(), "train: where the predictor goes")  //
      ("leave-out", text_value("WHAT"),
       "train: what cross-validation leaves out: configuration, network, family, gpu, or a feature")  //
      ("held-out", "evaluate: predict each fifth of the configurations by the others")                //
      ("leave-one-network-out", "evaluate: predict each network by all others")                       //
      ("extrapolate", text_value("WHAT"),
       "evaluate: predict the largest batch, the deepest networks (depth), each GPU (gpu), the most GPUs "
       "(gpus), or "
       "the largest values of a feature by the rest")         //
      ("seed", text_value("N"), "of the folds (default: 1)")  //
      ("csv", output_file(), "evaluate: write each row with its prediction; - is standard output");
  options::options_description output("output");
  output.add_options()("json", output_file(), "write JSON; - is standard output");
  const auto given = read_arguments(command, {rows, predicting, training, output}, arguments, kMostWords, 1);
  if (given) run_subcommand(command.name, kSubcommands, *given);
  return 0;
}

}  // namespace

Command regression_command() {
  return {.name = "regression",
          .summary = "a readable formula for the time of runs, fitted to a table of them",
          .usage = "predict NET --gpu GPU --batch N | predict|train|evaluate RUNS.csv",
          .example =
              "layersim regression train runs.csv -o regression.h5\n"
              "         layersim regression predict resnet50 --gpu t4 --batch 64\n"
              "         layersim regression evaluate runs.csv --extrapolate gpu",
          .run = run};
}

}  // namespace layersim
