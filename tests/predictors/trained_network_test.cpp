#include "sim/predictors/trained_network.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "hwdb/device_db.h"
#include "sim/features/device_numbers.h"
#include "sim/features/transferable_features.h"

using namespace layersim;

namespace {

Mlp random_mlp(std::mt19937& random, int width, int terms) {
  std::normal_distribution<float> normal(0, 0.1F);
  Mlp layers;
  for (const int outputs : {13, terms}) {
    DenseLayer layer{width, outputs, {}, {}};
    layer.weights.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(outputs));
    layer.bias.resize(static_cast<std::size_t>(outputs));
    for (float& w : layer.weights) w = normal(random);
    for (float& b : layer.bias) b = normal(random);
    layers.push_back(std::move(layer));
    width = outputs;
  }
  return layers;
}

// A network with random weights for a family, without normalisation.
TrainedNetwork random_network(const FeatureFamily& family, DeviceView view) {
  TrainedNetwork network;
  network.family = family.name;
  network.gpus = {"k80", "v100-sxm2"};
  network.stacks = {"tf1.10"};
  network.device_view = view;
  const std::size_t of_device =
      view == DeviceView::full ? device_feature_specs().size() : transferable_feature_specs().size();
  const std::size_t inputs = family.features.size() + of_device + 3;
  network.mean.assign(inputs, 0.5F);
  network.scale.assign(inputs, 4.0F);
  network.low.assign(family.features.size(), -std::numeric_limits<float>::max());
  network.high.assign(family.features.size(), std::numeric_limits<float>::max());
  std::mt19937 random(7);
  for (int member = 0; member < 2; ++member) {
    network.members.push_back(
        random_mlp(random, static_cast<int>(inputs), static_cast<int>(family.terms.size())));
  }
  return network;
}

// The definition, in double arithmetic.
double reference_log_ms(const TrainedNetwork& network, const FeatureQuery& query,
                        const Conditions& conditions) {
  const FeatureFamily& family = *find_feature_family(network.family);
  std::vector<float> features(family.features.size());
  std::vector<float> terms(family.terms.size());
  family.fill(query, DeviceNumbers(conditions), features.data(), terms.data());
  const auto shared = shared_features(conditions, network.device_view, network.gpus, network.stacks);
  features.insert(features.end(), shared.begin(), shared.end());
  std::vector<double> inputs;
  for (std::size_t i = 0; i < features.size(); ++i) {
    inputs.push_back(std::clamp((static_cast<double>(features[i]) - static_cast<double>(network.mean[i])) /
                                    static_cast<double>(network.scale[i]),
                                -8.0, 8.0));
  }
  for (const auto& calibration : network.calibrations) {
    if (calibration.gpu != conditions.device->key) continue;
    const std::size_t identity = identity_feature_count();
    const std::size_t own = family.features.size();
    for (std::size_t i = 0; i < calibration.device_inputs.size(); ++i) {
      const std::size_t place = i < identity ? i : device_feature_specs().size() + i - identity;
      inputs[own + place] = static_cast<double>(calibration.device_inputs[i]);
    }
    for (std::size_t k = 0; k < terms.size(); ++k) {
      terms[k] += static_cast<float>(calibration.log_factors[k]);
    }
  }
  const std::vector<float> factors = machine_factors(conditions, network.machines);
  for (std::size_t i = 0; i < network.factor_weights.size(); ++i)
    terms[i / factors.size()] += network.factor_weights[i] * factors[i % factors.size()];
  double log_sum = 0;
  for (const Mlp& member : network.members) {
    std::vector<double> x = inputs;
    for (std::size_t l = 0; l < member.size(); ++l) {
      const DenseLayer& layer = member[l];
      std::vector<double> y;
      for (std::size_t o = 0; o < layer.bias.size(); ++o) {
        double sum = static_cast<double>(layer.bias[o]);
        for (std::size_t i = 0; i < x.size(); ++i)
          sum += static_cast<double>(layer.weights[o * x.size() + i]) * x[i];
        y.push_back(l + 1 < member.size() ? sum / (1 + std::exp(-sum)) : sum);
      }
      x = y;
    }
    double time = 0;
    for (std::size_t k = 0; k < x.size(); ++k) time += std::exp(x[k] + static_cast<double>(terms[k]));
    log_sum += std::log(time);
  }
  return log_sum / static_cast<double>(network.members.size());
}

Problem some_problem(const FeatureFamily& family, std::int64_t size) {
  // A family for parts of whole steps is not found by problem and takes any.
  const bool takes_any = family.name == "streaming";
  for (const LayerKind* kind : layer_kinds()) {
    Problem problem;
    problem.kind = kind;
    for (const Parameter& parameter : kind->parameters) {
      problem.sizes.push_back(parameter.unit == "choice" || parameter.unit == "flag"
                                  ? parameter.low
                                  : std::max(parameter.low, std::min(parameter.high, size)));
    }
    if (kind->derive != nullptr) kind->derive(problem);
    if (takes_any || family.covers(problem)) return problem;
  }
  throw std::logic_error("no kind for the family");
}

void check_engine(const std::vector<FeatureQuery>& queries, const Conditions& conditions,
                  const TrainedNetwork& network) {
  std::vector<TimeEstimate> estimates(queries.size());
  evaluate(network, queries, conditions, estimates);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    CHECK(static_cast<double>(estimates[i].log_ms) ==
          Approx(reference_log_ms(network, queries[i], conditions)).margin(1e-5));
  }
}

// The engine against the definition for all families; `prepare` makes the network what the case is about.
template <typename Prepare>
void check_engine(DeviceView view, Prepare prepare) {
  const Device device = DeviceDb().find("v100-sxm2");
  const Conditions conditions{.device = &device, .optimizer = Optimizer::adam, .stack = "tf1.10"};
  for (const FeatureFamily* family : feature_families()) {
    INFO(family->name);
    TrainedNetwork network = random_network(*family, view);
    prepare(*family, network);
    std::vector<Problem> problems;
    std::vector<LayerWork> works;
    std::vector<FeatureQuery> queries;
    for (std::int64_t size = 1; size <= 70; ++size) problems.push_back(some_problem(*family, size));
    for (const Problem& problem : problems) works.push_back(problem.kind->work(problem));
    for (std::size_t i = 0; i < problems.size(); ++i) {
      queries.push_back({.layer = {.problem = &problems[i], .work = &works[i], .learned_elements = 10},
                         .pass = i % 2 == 0 ? Pass::training : Pass::forward});
    }
    check_engine(queries, conditions, network);
  }
}

void calibrate_for(const std::string& gpu, const FeatureFamily& family, TrainedNetwork& network) {
  TrainedNetwork::Calibration calibration;
  calibration.gpu = gpu;
  for (std::size_t k = 0; k < family.terms.size(); ++k)
    calibration.log_factors.push_back(0.1 * static_cast<double>(k + 1));
  for (std::size_t i = 0; i < identity_feature_count() + network.gpus.size(); ++i)
    calibration.device_inputs.push_back(0.2F * static_cast<float>(i % 5) - 0.3F);
  network.calibrations.push_back(calibration);
}

}  // namespace

TEST_CASE("the features of each family have names of their own and finite values") {
  for (const FeatureFamily* family : feature_families()) {
    INFO(family->name);
    std::set<std::string_view> names;
    for (const FeatureSpec& spec : family->features) names.insert(spec.name);
    CHECK(names.size() == family->features.size());

    const Problem problem = some_problem(*family, 1);
    const LayerWork work = problem.kind->work(problem);
    const Device device = DeviceDb().find("k80");
    const DeviceNumbers numbers(Conditions{.device = &device});
    // One place more than there are features: it must stay as it is.
    std::vector<float> features(family->features.size() + 1, 12345.0F);
    std::vector<float> terms(family->terms.size() + 1, 12345.0F);
    family->fill({.layer = {.problem = &problem, .work = &work}}, numbers, features.data(), terms.data());
    CHECK(features.back() == 12345.0F);
    CHECK(terms.back() == 12345.0F);
    for (std::size_t i = 0; i < family->features.size(); ++i) {
      INFO(family->features[i].name);
      CHECK(std::isfinite(features[i]));
      CHECK(features[i] != 12345.0F);
    }
  }
}

TEST_CASE("the engine agrees with the definition to 1e-5, also where the last block is short") {
  check_engine(DeviceView::full, [](const FeatureFamily& family, TrainedNetwork& network) {
    calibrate_for("k80", family, network);  // another device: not used
  });
}

TEST_CASE("the engine takes the inputs and factors of a calibration for the device") {
  check_engine(DeviceView::full, [](const FeatureFamily& family, TrainedNetwork& network) {
    calibrate_for("v100-sxm2", family, network);
  });
}

TEST_CASE("the engine adds the factors of a device to a network that sees little of it") {
  check_engine(DeviceView::transferable, [](const FeatureFamily& family, TrainedNetwork& network) {
    network.machines = {{"tf1.10", "k80"}, {"tf1.10", "v100-sxm2"}, {"tf2.5", "v100-sxm2"}};
    network.factor_weights.resize(family.terms.size() * (device_factor_specs().size() + 3));
    for (std::size_t i = 0; i < network.factor_weights.size(); ++i)
      network.factor_weights[i] = 0.05F * static_cast<float>(i % 7) - 0.1F;
  });
}
