#include "sampler/fake_backend.h"

#include "sampler/random_stream.h"
#include "sim/core/error.h"
#include "sim/core/parse_number.h"

namespace layersim {
namespace {

constexpr double kLaunchMs = 0.005;
constexpr double kFlopPerMs = 1e9;
constexpr double kBytesPerMs = 1e8;

struct FakeDevice {
  double memory_mib = 16384;
  double noise = 0;  // each run is longer by up to this share
};

double pass_ms(const PassWork& work) {
  return kLaunchMs * work.kernels + work.flop / kFlopPerMs + work.bytes() / kBytesPerMs;
}

class FakeLayer : public PreparedLayer {
 public:
  FakeLayer(const SampleProblem& sample, const FakeDevice& device)
      : is_training_(sample.mode == Mode::training),
        optimizer_(sample.optimizer),
        work_(sample.problem.kind->work(sample.problem)),
        noise_(device.noise) {}

  MeasuredStep run(int calls) override {
    const double scale = calls * (1 + noise_ * random_.unit());
    MeasuredStep time{.forward_ms = scale * pass_ms(work_.forward)};
    if (is_training_) {
      time.backward_ms = scale * (pass_ms(work_.backward_data) + pass_ms(work_.backward_weight));
      time.update_ms = scale * work_.weight_elements * cost(optimizer_).flop / kFlopPerMs;
    }
    time.total_ms = time.forward_ms + time.backward_ms + time.update_ms;
    return time;
  }

 private:
  bool is_training_;
  Optimizer optimizer_;
  LayerWork work_;
  double noise_;
  RandomStream random_{1, 0};
};

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(const FakeDevice& device) : device_(device) {}

  [[nodiscard]] BackendFacts facts() const override {
    return {.device = "a formula",
            .stack = "formula1.0",
            .library_version = "formula 1.0",
            .driver = "",
            .threads = 1,
            .memory_mib = device_.memory_mib};
  }

  [[nodiscard]] std::unique_ptr<PreparedLayer> prepare(const SampleProblem& sample) override {
    if (sample.precision != Precision::fp32) throw CannotMeasure("a formula knows fp32 alone");
    return std::make_unique<FakeLayer>(sample, device_);
  }

 private:
  FakeDevice device_;
};

}  // namespace

std::unique_ptr<Backend> make_fake_backend(const std::string& settings) {
  FakeDevice device;
  for (std::size_t begin = 0; begin < settings.size();) {
    const std::size_t end = std::min(settings.find(',', begin), settings.size());
    const std::string setting = settings.substr(begin, end - begin);
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const std::string name = setting.substr(0, equals);
    if (name != "memory_mib" && name != "noise") {
      throw bad_use("--device fake: '" + setting + "' is neither memory_mib=N nor noise=X");
    }
    const std::string_view text = std::string_view(setting).substr(std::min(equals + 1, setting.size()));
    (name == "noise" ? device.noise : device.memory_mib) = parse_positive("--device fake: " + name, text);
    begin = end + 1;
  }
  return std::make_unique<FakeBackend>(device);
}

}  // namespace layersim
