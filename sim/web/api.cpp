#include "sim/web/api.h"

#include <algorithm>
#include <array>
#include <functional>
#include <thread>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/report/device_json.h"
#include "sim/report/study_report.h"
#include "sim/web/api_parameters.h"
#include "sim/web/compute_slots.h"
#include "sim/web/network_library.h"
#include "sim/web/openapi.h"
#include "sim/web/predict_request.h"
#include "sim/web/study_answer.h"
#include "sim/web/timed_predictor.h"
#include "sim/zoo/zoo.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 3> kFormats{"json", "csv", "html"};

ApiAnswer json_answer(std::string text) {
  return {.status = 200, .type = "application/json", .body = std::move(text), .file_name = ""};
}

// One line for people: an error quotes names of files and networks, which may hold anything.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, ' ');
  return text;
}

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_use:
    case ErrorKind::check_failed:
      return 400;
    case ErrorKind::bad_input:
    case ErrorKind::nothing_predicted:
      return 422;
    case ErrorKind::internal:
      break;
  }
  return 500;
}

}  // namespace

class Api::Implementation {
 public:
  Implementation(ApiLimits limits, std::unique_ptr<const Predictor> predictor)
      : limits_(limits),
        predictor_(std::move(predictor)),
        library_(limits.kept_uploads, limits.upload_nodes),
        slots_(static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U))),
        gpus_(devices_json(DeviceDb().all())),
        networks_(zoo_json()),
        openapi_(openapi_text()) {}

  [[nodiscard]] const ApiLimits& limits() const { return limits_; }

  ApiAnswer answer(const ApiRequest& request) {
    struct Route {
      std::string_view method;
      std::string_view path;
      ApiAnswer (Implementation::*run)(const ApiRequest&);
    };
    static constexpr std::array kRoutes{
        Route{"GET", "/api/v1/gpus", &Implementation::list_gpus},
        Route{"GET", "/api/v1/networks", &Implementation::list_networks},
        Route{"POST", "/api/v1/networks", &Implementation::upload},
        Route{"GET", "/api/v1/predict", &Implementation::predict_one},
        Route{"POST", "/api/v1/predict", &Implementation::predict_one},
        Route{"GET", "/api/v1/compare", &Implementation::compare},
        Route{"POST", "/api/v1/compare", &Implementation::compare},
        Route{"GET", "/api/v1/openapi.json", &Implementation::describe},
        Route{"GET", "/api/v1/health", &Implementation::tell_health},
    };
    bool known_path = false;
    for (const Route& route : kRoutes) {
      if (route.path != request.path) continue;
      known_path = true;
      if (route.method == request.method) return (this->*route.run)(request);
    }
    if (known_path)
      return api_error(405, "the path does not take " + std::string(request.method.substr(0, 20)));
    return api_error(404, "no such path: /api/v1/openapi.json describes all");
  }

 private:
  ApiAnswer list_gpus(const ApiRequest& /*request*/) { return json_answer(gpus_); }
  ApiAnswer list_networks(const ApiRequest& /*request*/) { return json_answer(networks_); }
  ApiAnswer describe(const ApiRequest& /*request*/) { return json_answer(openapi_); }
  ApiAnswer tell_health(const ApiRequest& /*request*/) { return json_answer("{\"status\": \"ok\"}\n"); }

  // `work` gets the time at which the request must be done.
  ApiAnswer compute(const std::function<ApiAnswer(TimedPredictor::Clock::time_point)>& work) {
    const auto end = TimedPredictor::Clock::now() + limits_.request_time;
    const ComputeSlots::Slot slot(slots_, end);
    if (!slot) return api_error(503, "busy: try again later");
    return work(end);
  }

  ApiAnswer upload(const ApiRequest& request) {
    ApiParameters parameters(request.query, "");
    const std::string name = parameters.text("name").value_or("network.onnx");
    parameters.check_all_read();
    if (request.upload_file.empty()) return api_error(400, "the body is the ONNX file");
    return compute([&](TimedPredictor::Clock::time_point) {
      const std::string id = library_.add(request.upload_file, name);
      const LibraryNetwork network = library_.find(id);
      Json inputs = Json::array();
      for (const ValueId input : network.graph->inputs) inputs.push_back(network.graph->value(input).name);
      const Json json{{"id", id},
                      {"name", network.name},
                      {"nodes", network.graph->nodes.size()},
                      {"inputs", inputs},
                      {"warnings", network.warnings.all()}};
      ApiAnswer answer = json_answer(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
      answer.status = 201;
      return answer;
    });
  }

  ApiAnswer predict_one(const ApiRequest& request) {
    ApiParameters parameters(request.query, request.body);
    return compute([&](TimedPredictor::Clock::time_point end) {
      PredictRequest asked = read_predict_request(parameters, library_, limits_);
      const TimedPredictor predictor(*predictor_, end);
      const Device device = load_device(asked.device);
      asked.run.price = rent_of_gpu(device.key, prices_);
      return json_answer(to_json(
          predict(load_network(asked.network, asked.run.mode), asked.network, device, asked.run, predictor)));
    });
  }

  ApiAnswer compare(const ApiRequest& request) {
    ApiParameters parameters(request.query, request.body);
    const std::string format(kFormats[parameters.choice("format", kFormats).value_or(0)]);
    return compute([&](TimedPredictor::Clock::time_point end) {
      const StudyRequest study = read_study_request(parameters, library_, prices_, limits_);
      const TimedPredictor predictor(*predictor_, end);
      return study_answer(study, run_study(study, predictor), format);
    });
  }

  ApiLimits limits_;
  PriceList prices_ = shipped_prices();
  std::unique_ptr<const Predictor> predictor_;
  NetworkLibrary library_;
  ComputeSlots slots_;
  std::string gpus_;
  std::string networks_;
  std::string openapi_;
};

bool is_upload(std::string_view method, std::string_view path) {
  return method == "POST" && path == "/api/v1/networks";
}

Api::Api(ApiLimits limits, std::unique_ptr<const Predictor> predictor)
    : implementation_(std::make_unique<Implementation>(limits, std::move(predictor))) {}

Api::~Api() = default;

const ApiLimits& Api::limits() const { return implementation_->limits(); }

ApiAnswer Api::answer(const ApiRequest& request) {
  try {
    return implementation_->answer(request);
  } catch (const OutOfTime&) {
    return api_error(503, "the request takes longer than it may: ask for fewer batches or GPUs");
  } catch (const Error& error) {
    return api_error(status_of(error.kind()), one_line(error.what()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return api_error(500, one_line(error.what()));
  }
}

ApiAnswer api_error(int status, std::string_view message) {
  const Json json{{"error", {{"status", status}, {"message", message}}}};
  return {.status = status,
          .type = "application/json",
          .body = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n',
          .file_name = ""};
}

}  // namespace layersim
