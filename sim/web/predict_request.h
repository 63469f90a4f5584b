#pragma once
// Parameters of a request -> what is to be predicted or compared. The names are those of the command line,
// with underscores.

#include "sim/pipeline.h"
#include "sim/study/study.h"
#include "sim/web/api.h"
#include "sim/web/api_parameters.h"
#include "sim/web/network_library.h"

namespace layersim {

struct PredictRequest {
  NetworkOptions network;
  DeviceOptions device;
  RunOptions run;
};

// Both throw bad_use, naming the parameter.
[[nodiscard]] PredictRequest read_predict_request(ApiParameters& parameters, NetworkLibrary& library,
                                                  const ApiLimits& limits);
[[nodiscard]] StudyRequest read_study_request(ApiParameters& parameters, NetworkLibrary& library,
                                              const PriceList& prices, const ApiLimits& limits);

}  // namespace layersim
