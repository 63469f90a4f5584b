#include "sim/predictors/predictor.h"

#include <algorithm>
#include <array>

#include "sim/core/error.h"

namespace layersim {

#define LAYERSIM_ENTRY(method) \
  std::unique_ptr<Predictor> make_##method(const std::filesystem::path& trained_file);
#include "predictors.inc"
#undef LAYERSIM_ENTRY

namespace {

constexpr std::array kMethods{
#define LAYERSIM_ENTRY(method) PredictorMethod{#method, &make_##method},
#include "predictors.inc"
#undef LAYERSIM_ENTRY
};

}  // namespace

std::string_view name(Basis basis) {
  switch (basis) {
    case Basis::none:
      return "none";
    case Basis::roofline:
      return "roofline";
    case Basis::estimated:
      return "estimated";
    case Basis::trained:
      return "trained";
  }
  return "none";
}

void check_stack(const Predictor& predictor, const std::string& stack) {
  const std::vector<std::string> known = predictor.known_stacks();
  if (stack.empty() || known.empty() || std::find(known.begin(), known.end(), stack) != known.end()) return;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  throw bad_use("the predictor knows no stack '" + stack + "'; it knows " + names);
}

std::span<const PredictorMethod> predictor_methods() { return kMethods; }

std::unique_ptr<Predictor> make_predictor(std::string_view method,
                                          const std::filesystem::path& trained_file) {
  if (method.empty()) return kMethods.front().make(trained_file);
  std::string names;
  for (const PredictorMethod& candidate : kMethods) {
    if (candidate.name == method) return candidate.make(trained_file);
    names += (names.empty() ? "" : ", ") + std::string(candidate.name);
  }
  throw bad_use("no method '" + std::string(method) + "'; there is " + names);
}

}  // namespace layersim
