#include "sim/runs/baseline.h"

#include <fstream>
#include <sstream>

#include "sim/core/error.h"
#include "sim/core/json.h"

namespace layersim {
namespace {

// Member of a JSON object; throws naming it when it is not there or of another type.
template <typename Value>
Value member(const Json& object, const char* key) {
  try {
    return object.at(key).get<Value>();
  } catch (const Json::exception&) {
    throw bad_input("key '" + std::string(key) + "' is missing or no " +
                    (std::is_arithmetic_v<Value> ? "number" : "text"));
  }
}

std::string text_or_empty(const Json& run, const char* key) {
  const auto found = run.find(key);
  return found == run.end() || found->is_null() ? "" : member<std::string>(run, key);
}

std::string join(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += part + '\n';
  return text;
}

std::string identity_of(const Json& run) {
  return join({member<std::string>(run, "network"), member<std::string>(run, "gpu"),
               text_or_empty(run, "stack"), member<std::string>(run, "precision"),
               member<std::string>(run, "mode"), member<std::string>(run, "optimizer"),
               std::to_string(member<int>(run, "n_gpus")), std::to_string(member<std::int64_t>(run, "batch")),
               text_or_empty(run, "parallel"), text_or_empty(run, "nodes"),
               text_or_empty(run, "interconnect"), text_or_empty(run, "micro_batches"),
               text_or_empty(run, "dim"), text_or_empty(run, "input")});
}

Baseline read(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw bad_input("cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  const Json json = Json::parse(text.str(), nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw bad_input("is no JSON object");
  Baseline baseline;
  baseline.mape = member<double>(json, "mape");
  const auto runs = json.find("runs");
  if (runs == json.end() || !runs->is_array()) throw bad_input("key 'runs' is missing or no list");
  for (std::size_t i = 0; i < runs->size(); ++i) {
    with_context("runs[" + std::to_string(i) + "]", [&] {
      const Json& run = (*runs)[i];
      const auto ape = run.find("ape");
      const bool is_predicted = ape != run.end() && !ape->is_null();
      baseline.ape[identity_of(run)].push_back(is_predicted ? std::optional(member<double>(run, "ape"))
                                                            : std::nullopt);
    });
  }
  return baseline;
}

}  // namespace

std::string identity(const Validation& validation, const RunResult& result) {
  const Run& run = validation.run_of(result);
  return join({run.network_name, run.device->key, run.stack, std::string(name(result.precision)),
               std::string(name(run.mode)), std::string(name(run.optimizer)),
               std::to_string(run.parallel.cluster.devices), std::to_string(run.batch),
               validation.table.field(run, "parallel"), validation.table.field(run, "nodes"),
               validation.table.field(run, "interconnect"), validation.table.field(run, "micro_batches"),
               validation.table.field(run, "dim"), validation.table.field(run, "input")});
}

Baseline read_baseline(const std::string& file) {
  return with_context(file, [&] { return read(file); });
}

}  // namespace layersim
