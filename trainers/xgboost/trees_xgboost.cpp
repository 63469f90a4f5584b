// Regression trees by the C API of XGBoost, in a module of its own that is loaded only to train.

#include <xgboost/c_api.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "sim/core/error.h"
#include "sim/core/json.h"
#include "trainers/tree_trainer.h"

namespace layersim {
namespace {

void check(int result) {
  if (result != 0) throw internal_error(std::string("XGBoost: ") + XGBGetLastError());
}

class TrainingRows {
 public:
  TrainingRows(const Matrix& features, std::span<const float> values) {
    check(XGDMatrixCreateFromMat(features.values.data(), features.rows(), features.columns,
                                 std::numeric_limits<float>::quiet_NaN(), &handle_));
    check(XGDMatrixSetFloatInfo(handle_, "label", values.data(), values.size()));
  }
  ~TrainingRows() { XGDMatrixFree(handle_); }
  TrainingRows(const TrainingRows&) = delete;
  TrainingRows& operator=(const TrainingRows&) = delete;

  [[nodiscard]] DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  explicit Booster(const TrainingRows& rows) : rows_(rows.handle()) {
    check(XGBoosterCreate(&rows_, 1, &handle_));
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  void set(const char* name, const std::string& value) {
    check(XGBoosterSetParam(handle_, name, value.c_str()));
  }
  void train_round(int round) { check(XGBoosterUpdateOneIter(handle_, round, rows_)); }
  [[nodiscard]] Json model() const {
    bst_ulong size = 0;
    const char* text = nullptr;
    check(XGBoosterSaveModelToBuffer(handle_, R"({"format": "json"})", &size, &text));
    return Json::parse(text, text + size);
  }

 private:
  DMatrixHandle rows_;
  BoosterHandle handle_ = nullptr;
};

// A leaf has no left child, and its value where others have their condition.
void add_tree(Forest& forest, const Json& tree) {
  const auto first = static_cast<std::int32_t>(forest.nodes.size());
  forest.roots.push_back(first);
  const Json& left = tree.at("left_children");
  const Json& right = tree.at("right_children");
  const Json& feature = tree.at("split_indices");
  const Json& condition = tree.at("split_conditions");
  for (std::size_t i = 0; i < left.size(); ++i) {
    ForestNode node;
    node.threshold = condition[i].get<float>();
    if (left[i].get<std::int32_t>() >= 0) {
      node.feature = feature[i].get<std::int32_t>();
      node.left = first + left[i].get<std::int32_t>();
      node.right = first + right[i].get<std::int32_t>();
    }
    forest.nodes.push_back(node);
  }
}

class XgboostTreeTrainer final : public TreeTrainer {
 public:
  [[nodiscard]] Forest train(const Matrix& features, std::span<const float> values,
                             const TreeOptions& options) const override {
    const TrainingRows rows(features, values);
    Booster booster(rows);
    const float mean =
        std::accumulate(values.begin(), values.end(), 0.0F) / static_cast<float>(values.size());
    const bool is_forest = options.rounds == 1;
    booster.set("objective", "reg:squarederror");
    booster.set("verbosity", "0");
    booster.set("nthread", "1");
    booster.set("tree_method", "exact");
    booster.set("base_score", std::to_string(mean));
    booster.set("eta", std::to_string(options.learning_rate));
    booster.set("num_parallel_tree", std::to_string(options.trees_a_round));
    booster.set("max_depth", std::to_string(options.depth));
    booster.set("min_child_weight", std::to_string(options.least_rows));
    booster.set("subsample", std::to_string(options.row_share));
    booster.set(is_forest ? "colsample_bynode" : "colsample_bytree", std::to_string(options.feature_share));
    booster.set("lambda", std::to_string(options.leaf_penalty));
    booster.set("seed", std::to_string(options.seed));
    for (int round = 0; round < options.rounds; ++round) booster.train_round(round);

    const Json model = booster.model().at("learner");
    Forest forest;
    forest.base = std::stof(model.at("learner_model_param").at("base_score").get<std::string>());
    for (const Json& tree : model.at("gradient_booster").at("model").at("trees")) add_tree(forest, tree);
    return forest;
  }
};

}  // namespace

extern "C" const TreeTrainer* layersim_xgboost_tree_trainer() {
  static const XgboostTreeTrainer kTrainer;
  return &kTrainer;
}

}  // namespace layersim
