#include "sim/report/study_charts.h"

#include <algorithm>
#include <set>

#include "sim/report/layer_chart.h"
#include "sim/report/readable_text.h"
#include "sim/report/svg.h"
#include "sim/report/svg_chart.h"
#include "sim/report/xy_chart.h"

namespace layersim {
namespace {

constexpr std::size_t kMostSeries = 8;
constexpr std::size_t kMostTicks = 12;
constexpr std::size_t kMostLimits = 6;
constexpr double kMib = 1024.0 * 1024.0;
constexpr double kSecondsOfAnHour = 3600;

// The choices that are drawn, in the order of the request: all of few; of many those on the pareto front,
// then those with the fastest best batch.
std::vector<std::size_t> drawn_choices(const StudyRequest& request, const NetworkStudy& study) {
  std::vector<std::size_t> ranked;
  for (const std::size_t row : study.pareto) ranked.push_back(study.cells[row].choice);
  std::vector<std::size_t> best;
  for (const auto& row : study.best_of_choice) {
    if (row) best.push_back(*row);
  }
  std::sort(best.begin(), best.end(),
            [&](std::size_t a, std::size_t b) { return study.cells[a].epoch_s < study.cells[b].epoch_s; });
  for (const std::size_t row : best) ranked.push_back(study.cells[row].choice);
  for (std::size_t i = 0; i < request.choices.size(); ++i) ranked.push_back(i);
  std::set<std::size_t> drawn;
  for (const std::size_t choice : ranked) {
    if (drawn.size() < kMostSeries) drawn.insert(choice);
  }
  return {drawn.begin(), drawn.end()};
}

std::string title_of(const StudyRequest& request, const StudyCell& cell) {
  std::string title = request.choices[cell.choice].name + ", batch " + std::to_string(cell.batch) +
                      ": batch " + short_number(cell.step.batch_ms()) + " ms, all epochs " +
                      duration(cell.total_s);
  if (cell.cost_usd) title += ", " + short_number(*cell.cost_usd) + " USD";
  return title;
}

std::string drawn_note(const StudyRequest& request, const std::vector<std::size_t>& drawn) {
  if (drawn.size() == request.choices.size()) return "";
  return " " + std::to_string(drawn.size()) + " of " + std::to_string(request.choices.size()) +
         " choices are drawn: the pareto front and the fastest.";
}

// One series a choice over the batches that fit.
template <typename Value, typename Bounds>
XyChart over_batches(const StudyRequest& request, const NetworkStudy& study,
                     const std::vector<std::size_t>& drawn, const Value& value, const Bounds& bounds) {
  XyChart chart;
  chart.x_label = "batch size";
  if (request.batches.size() <= kMostTicks)
    chart.x_ticks.assign(request.batches.begin(), request.batches.end());
  for (const std::size_t choice : drawn) {
    XySeries series{.name = request.choices[choice].name, .points = {}};
    for (const StudyCell& cell : study.cells) {
      if (cell.choice != choice || !cell.enough_samples || !cell.fits() || value(cell) <= 0) continue;
      series.points.push_back(
          {static_cast<double>(cell.batch), value(cell), bounds(cell), title_of(request, cell)});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

bool has_points(const XyChart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(),
                     [](const XySeries& series) { return !series.points.empty(); });
}

std::optional<Interval> scaled_interval(const StudyCell& cell, double value) {
  if (!cell.step.interval_ms) return std::nullopt;
  const double batch_ms = cell.step.batch_ms();
  return Interval{value * cell.step.interval_ms->low / batch_ms,
                  value * cell.step.interval_ms->high / batch_ms};
}

XyChart pareto_chart(const StudyRequest& request, const NetworkStudy& study,
                     const std::vector<std::size_t>& drawn) {
  XyChart chart{.title = "Cost against time of the whole run: " + printable(study.network),
                .x_label = "hours for all epochs",
                .y_label = "USD for all epochs",
                .series = {}};
  for (const std::size_t choice : drawn) {
    XySeries series{.name = request.choices[choice].name, .points = {}, .joined = false};
    for (const StudyCell& cell : study.cells) {
      if (cell.choice != choice || !cell.enough_samples || !cell.fits() || !cell.cost_usd ||
          *cell.cost_usd <= 0)
        continue;
      series.points.push_back({cell.total_s / kSecondsOfAnHour, *cell.cost_usd, {}, title_of(request, cell)});
    }
    chart.series.push_back(std::move(series));
  }
  XySeries front{.name = "", .points = {}};
  for (const std::size_t row : study.pareto) {
    front.points.push_back({study.cells[row].total_s / kSecondsOfAnHour, *study.cells[row].cost_usd, {}, {}});
  }
  chart.series.push_back(std::move(front));
  return chart;
}

std::string memory_chart(const StudyRequest& request, const NetworkStudy& study,
                         const std::vector<std::size_t>& drawn) {
  BarChart chart{
      .title = "Memory of a GPU by batch size: " + printable(study.network), .unit = "MiB", .rows = {}};
  for (const StudyCell& cell : study.cells) {
    if (cell.choice != drawn.front()) continue;
    const Memory& memory = cell.memory;
    chart.rows.push_back({"batch " + std::to_string(cell.batch),
                          with_thousands(memory.total_bytes() / kMib) + " MiB",
                          {{"weights", kBlue, memory.weights_bytes / kMib},
                           {"gradients", kOrange, memory.gradients_bytes / kMib},
                           {"optimizer", kGreen, memory.optimizer_bytes / kMib},
                           {"activations", kSkyBlue, memory.activations_bytes / kMib},
                           {"workspace", kPurple, memory.workspace_bytes / kMib},
                           {"context", kGrey, memory.context_bytes / kMib}}});
  }
  double longest = 0;
  for (const StudyCell& cell : study.cells) longest = std::max(longest, cell.memory.total_bytes() / kMib);
  std::set<double> limits;
  for (const std::size_t choice : drawn) {
    const double usable_mib = usable_bytes(request.choices[choice].device) / kMib;
    // A limit far beyond the bars would only squeeze them.
    if (limits.size() >= kMostLimits || usable_mib > 2 * longest || !limits.insert(usable_mib).second)
      continue;
    chart.limits.push_back({request.choices[choice].name, usable_mib});
  }
  std::sort(chart.limits.begin(), chart.limits.end(),
            [](const BarLimit& a, const BarLimit& b) { return a.at < b.at; });
  return bar_chart(chart);
}

}  // namespace

std::vector<StudyPicture> study_pictures(const StudyRequest& request, const NetworkStudy& study,
                                         const Report* fastest) {
  const std::vector<std::size_t> drawn = drawn_choices(request, study);
  const std::string note = drawn_note(request, drawn);
  const std::string network = printable(study.network);
  std::vector<StudyPicture> pictures;
  const auto hours = [](const StudyCell& cell) { return cell.epoch_s / kSecondsOfAnHour; };
  XyChart time = over_batches(request, study, drawn, hours,
                              [&](const StudyCell& cell) { return scaled_interval(cell, hours(cell)); });
  time.title = "Time of an epoch: " + network;
  time.y_label = "hours";
  if (has_points(time)) {
    pictures.push_back(
        {"time",
         "Time of an epoch against the batch size, for batches that fit in memory. Bars: in 90 % of "
         "cases the measured time lies within." +
             note,
         xy_chart(time)});
  }
  const auto usd = [](const StudyCell& cell) { return cell.cost_usd.value_or(0); };
  XyChart cost = over_batches(request, study, drawn, usd,
                              [&](const StudyCell& cell) { return scaled_interval(cell, usd(cell)); });
  cost.title = "Cost of the whole run: " + network;
  cost.y_label = "USD for all epochs";
  if (has_points(cost)) {
    pictures.push_back({"cost", "Cost of the whole run against the batch size." + note, xy_chart(cost)});
    pictures.push_back(
        {"pareto",
         "Cost against time: each mark is a batch size. What lies on the dashed line no other choice beats "
         "in both.",
         xy_chart(pareto_chart(request, study, drawn))});
  }
  pictures.push_back({"memory", "Memory at the worst moment of a step; dashed: what a device has for it.",
                      memory_chart(request, study, drawn)});
  if (fastest != nullptr) {
    pictures.push_back(
        {"layers", "Where the time of a batch goes on the fastest choice.", layer_chart(*fastest)});
  }
  return pictures;
}

}  // namespace layersim
