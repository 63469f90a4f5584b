#pragma once
// Fills a report from a network and from what was predicted for it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sim/decompose/decompose.h"
#include "sim/features/layer_query.h"
#include "sim/parallel/parallel_step.h"
#include "sim/report/report.h"
#include "sim/timing/epoch_time.h"
#include "sim/timing/memory.h"
#include "sim/timing/step_time.h"

namespace layersim {

// `batch` as the user bound it; nothing: what the network's first input says.
[[nodiscard]] Report describe_network(const Network& network, const std::string& file,
                                      std::optional<std::int64_t> batch);

// `repeats` and `times` are parallel to the layers; times are for the batch. Throws nothing_predicted when no
// layer has a time.
void add_run(Report& report, std::span<const double> repeats, std::span<const LayerPrediction> times,
             const StepTime& step, const Memory& memory, const Conditions& conditions,
             const Predictor& predictor);

// For a run on several devices, after add_run.
void add_parallel(Report& report, const ParallelPlan& plan, const ParallelStep& step,
                  std::int64_t device_batch);

// What each layer is bound by; `queries` are parallel to the layers.
void add_bounds(Report& report, std::span<const LayerQuery> queries, const Conditions& conditions);

// Of a report for a hypothetical device: that for the device that exists, of the same network.
void add_before(Report& report, const Report& before);

// `is_default`: the user named no size of the data set.
void add_epochs(Report& report, const EpochPlan& plan, const EpochTime& time, bool is_default);

}  // namespace layersim
