#pragma once
// How far devices stay behind their data sheets, learned beside the networks of a run model.

#include <torch/torch.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "trainers/run_trainer.h"
#include "trainers/torch/torch_mlp.h"

namespace layersim {

// What terms have in common across families.
enum class Nature : std::int64_t { launch, arithmetic, memory };
inline constexpr std::int64_t kNatures = 3;
inline constexpr double kTermShare = 0.4;  // of a factor's deviation, that of a single term from its nature

inline Nature nature_of(std::string_view term) {
  if (term == "launch" || term == "drift") return Nature::launch;
  const bool is_arithmetic = term.find("flop") != std::string_view::npos || term == "arithmetic";
  return is_arithmetic ? Nature::arithmetic : Nature::memory;
}

// Log factors of terms that are linear in the factors of devices: those of a term's nature, and its own.
class DeviceFactors {
 public:
  explicit DeviceFactors(const RunTrainingTask& task) {
    std::vector<float> factors;
    for (const auto& of_setting : task.factors_of_setting)
      factors.insert(factors.end(), of_setting.begin(), of_setting.end());
    const auto width = static_cast<std::int64_t>(task.factors.size());
    mean_ = torch::zeros({width, kNatures});
    std::vector<double> penalties;
    for (std::int64_t i = 0; i < width; ++i) {
      const FactorPlan& plan = task.factors[static_cast<std::size_t>(i)];
      mean_[i][static_cast<std::int64_t>(Nature::arithmetic)] = plan.arithmetic_mean;
      penalties.push_back(1 / (plan.deviation * plan.deviation));
    }
    penalties_ = column_of(penalties).unsqueeze(1);
    factors_ = matrix_of(factors, task.factors_of_setting.size(), static_cast<int>(width));
    const auto options = torch::TensorOptions().requires_grad(true);
    of_natures_ = mean_.clone().requires_grad_(true);
    for (const PartRows& part : task.set->parts) {
      std::vector<std::int64_t> natures;
      for (const std::string_view term : part.family->terms)
        natures.push_back(static_cast<std::int64_t>(nature_of(term)));
      of_terms_.push_back(torch::zeros({width, static_cast<std::int64_t>(natures.size())}, options));
      natures_.push_back(torch::tensor(natures));
      settings_.push_back(torch::tensor(std::vector<std::int64_t>(part.setting.begin(), part.setting.end())));
    }
  }

  [[nodiscard]] std::vector<torch::Tensor> parameters() const {
    std::vector<torch::Tensor> all = of_terms_;
    all.push_back(of_natures_);
    return all;
  }

  [[nodiscard]] torch::Tensor penalty() const {
    const torch::Tensor off = of_natures_ - mean_;
    torch::Tensor sum = (penalties_ * off * off).sum();
    for (const torch::Tensor& of_terms : of_terms_)
      sum = sum + (penalties_ * of_terms * of_terms).sum() / (kTermShare * kTermShare);
    return sum;
  }

  // Of these rows of a family: rows x terms.
  // Nothing when there are no factors.
  [[nodiscard]] torch::Tensor of_rows(std::size_t family, const torch::Tensor& rows) const {
    if (factors_.numel() == 0) return torch::zeros({1});
    return factors_.matmul(weights(family)).index_select(0, settings_[family].index_select(0, rows));
  }

  // terms x factors, row-major.
  [[nodiscard]] std::vector<float> fitted(std::size_t family) const {
    const torch::Tensor fitted = weights(family).detach().t().contiguous();
    return {fitted.data_ptr<float>(), fitted.data_ptr<float>() + fitted.numel()};
  }

 private:
  [[nodiscard]] torch::Tensor weights(std::size_t family) const {
    return of_natures_.index_select(1, natures_[family]) + of_terms_[family];
  }

  torch::Tensor factors_;            // settings x factors
  torch::Tensor mean_, of_natures_;  // factors x natures
  torch::Tensor penalties_;          // factors x 1
  std::vector<torch::Tensor> of_terms_, natures_, settings_;
};

}  // namespace layersim
