// The trace of torch.profiler: Kineto's JSON in the trace event format of Chrome (complete events "X", times
// in us). Names of categories changed: Operator, Kernel, Memcpy, Memset, Runtime of 2021 are cpu_op, kernel,
// gpu_memcpy, gpu_memset, cuda_runtime since. A kernel tells the operation that launched it by an "External
// id", directly or through the runtime call with the same "correlation". Read in one pass: nothing but the
// events that count is kept.

#include <algorithm>
#include <set>
#include <unordered_map>

#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/methods/common/text_input.h"
#include "sim/methods/transfer/profile_formats.h"

namespace layersim {
namespace {

enum class Category { other, operation, annotation, kernel, memcpy, memset, runtime };

Category category_of(std::string_view text) {
  const std::string name = lower_case(text);
  if (name == "cpu_op" || name == "operator") return Category::operation;
  if (name == "user_annotation") return Category::annotation;
  if (name == "kernel") return Category::kernel;
  if (name == "gpu_memcpy" || name == "memcpy") return Category::memcpy;
  if (name == "gpu_memset" || name == "memset") return Category::memset;
  if (name == "runtime" || name == "cuda_runtime" || name == "hip_runtime" || name == "cuda_driver")
    return Category::runtime;
  return Category::other;
}

struct Event {
  std::string phase;
  std::string name;
  std::string category;
  double duration_us = 0;
  std::int64_t device = 0;
  std::int64_t external_id = 0;
  std::int64_t correlation = 0;
};

struct DeviceWork {
  std::string name;
  double duration_us = 0;
  std::int64_t external_id = 0;
  std::int64_t correlation = 0;
};

constexpr std::string_view kStepPrefix = "ProfilerStep#";

class Trace {
 public:
  void add(Event& event) {
    if (event.phase != "X") return;
    const Category category = category_of(event.category);
    switch (category) {
      case Category::other:
        return;
      case Category::operation:
      case Category::annotation:
        add_host_event(event, category);
        return;
      case Category::runtime:
        if (event.external_id != 0) external_ids_[event.correlation] = event.external_id;
        return;
      case Category::kernel:
        ++profile_.kernels;
        profile_.kernel_ms += event.duration_us / 1000;
        devices_.insert(event.device);
        break;
      case Category::memcpy:
        profile_.memcpy_ms += event.duration_us / 1000;
        break;
      case Category::memset:
        profile_.memset_ms += event.duration_us / 1000;
        break;
    }
    work_.push_back({std::move(event.name), event.duration_us, event.external_id, event.correlation});
  }

  OperationProfile finish() {
    profile_.format = "chrome trace";
    profile_.devices = static_cast<std::int64_t>(devices_.size());
    profile_.steps = static_cast<std::int64_t>(steps_.size());
    OperationTotals totals;
    for (const DeviceWork& work : work_) add_time(totals, operation_of(work), work.duration_us / 1000, 1);
    profile_.device = by_time(totals);
    if (profile_.steps > 0) {
      profile_.step_ms = step_us_ / 1000 / static_cast<double>(profile_.steps);
      const double busy_ms = profile_.kernel_ms + profile_.memcpy_ms + profile_.memset_ms;
      profile_.device_idle_ms = std::max(0.0, step_us_ / 1000 - busy_ms);
    }
    if (profile_.devices > 1)
      profile_.warnings.push_back("the trace has kernels of " + std::to_string(profile_.devices) +
                                  " devices");
    return std::move(profile_);
  }

 private:
  void add_host_event(Event& event, Category category) {
    if (category == Category::operation) ++profile_.operations;
    if (event.name.starts_with(kStepPrefix)) {
      if (steps_.insert(event.name).second) step_us_ += event.duration_us;
    } else if (category == Category::operation && event.external_id != 0) {
      operations_.try_emplace(event.external_id, std::move(event.name));
    }
  }

  [[nodiscard]] const std::string& operation_of(const DeviceWork& work) const {
    std::int64_t id = work.external_id;
    if (const auto found = external_ids_.find(work.correlation); id == 0 && found != external_ids_.end())
      id = found->second;
    const auto operation = operations_.find(id);
    return operation == operations_.end() ? work.name : operation->second;
  }

  OperationProfile profile_;
  std::vector<DeviceWork> work_;
  std::unordered_map<std::int64_t, std::string> operations_;     // by external id
  std::unordered_map<std::int64_t, std::int64_t> external_ids_;  // by correlation
  std::set<std::int64_t> devices_;
  std::set<std::string> steps_;
  double step_us_ = 0;
};

// What the parser of the JSON library calls.
class TraceHandler final : public nlohmann::json_sax<Json> {
 public:
  explicit TraceHandler(Trace& trace) : trace_(trace) {}
  [[nodiscard]] bool has_events() const { return event_depth_ > 0; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(Json::number_integer_t value) override {
    return number(static_cast<double>(value), value);
  }
  bool number_unsigned(Json::number_unsigned_t value) override {
    return number(static_cast<double>(value), static_cast<std::int64_t>(value));
  }
  bool number_float(Json::number_float_t value, const std::string&) override { return number(value, 0); }
  bool binary(Json::binary_t&) override { return true; }
  bool string(std::string& value) override {
    if (!in_event() || depth_ != event_depth_) return true;
    if (key_ == "ph") event_.phase = value;
    if (key_ == "name") event_.name = std::move(value);
    if (key_ == "cat") event_.category = value;
    return true;
  }
  bool key(std::string& value) override {
    key_ = std::move(value);
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    if (in_event() && depth_ == event_depth_) event_ = {};
    if (in_event() && depth_ == event_depth_ + 1) in_arguments_ = key_ == "args";
    return true;
  }
  bool end_object() override {
    if (in_event() && depth_ == event_depth_) trace_.add(event_);
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    // The list of events is the whole document, or the member traceEvents of it.
    if (depth_ == 1 || (depth_ == 2 && key_ == "traceEvents")) {
      in_events_ = true;
      event_depth_ = depth_ + 1;
    }
    return true;
  }
  bool end_array() override {
    --depth_;
    if (depth_ == event_depth_ - 2) in_events_ = false;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    throw bad_input("is damaged or cut off: no JSON from byte " + std::to_string(position) + " on");
  }

 private:
  [[nodiscard]] bool in_event() const { return in_events_ && depth_ >= event_depth_; }

  bool number(double value, std::int64_t whole) {
    if (!in_event()) return true;
    if (depth_ == event_depth_ && key_ == "dur") event_.duration_us = value;
    if (depth_ == event_depth_ + 1 && in_arguments_) {
      if (key_ == "device") event_.device = whole;
      if (key_ == "External id" || key_ == "external id") event_.external_id = whole;
      if (key_ == "correlation") event_.correlation = whole;
    }
    return true;
  }

  Trace& trace_;
  Event event_;
  std::string key_;
  int depth_ = 0;
  int event_depth_ = 0;  // of the objects that are events; 0: no list of events seen yet
  bool in_events_ = false;
  bool in_arguments_ = false;
};

}  // namespace

OperationProfile read_chrome_trace(std::string_view text) {
  Trace trace;
  TraceHandler handler(trace);
  Json::sax_parse(text.begin(), text.end(), &handler);
  if (!handler.has_events()) throw bad_input("is JSON without traceEvents: no trace of a profiler");
  OperationProfile profile = trace.finish();
  if (profile.operations == 0 && profile.kernels == 0)
    throw bad_input("is a trace without operations and kernels");
  return profile;
}

}  // namespace layersim
