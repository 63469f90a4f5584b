#include <fnmatch.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/decompose/lower.h"

namespace layersim {
namespace {

class Freezer {
 public:
  Freezer(const Graph& graph, const std::unordered_map<ValueId, std::vector<ValueId>>& sources)
      : graph_(graph), sources_(sources), frozen_(graph.values.size(), false) {}

  // Whether anything has the name.
  bool freeze(const std::string& glob, const std::vector<Layer>& layers) {
    const auto matches = [&](const std::string& name) {
      return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
    };
    bool found = false;
    for (const Layer& layer : layers) {
      if (!matches(layer.name)) continue;
      found = true;
      for (const ValueId weight : layer.weights) freeze_with_sources(weight);
    }
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      if (graph_.values[i].origin != Origin::weight || !matches(graph_.values[i].name)) continue;
      found = true;
      freeze_with_sources(static_cast<ValueId>(i));
    }
    return found;
  }

  // A tensor that was folded from frozen ones alone is frozen too.
  std::vector<bool> take(const std::vector<Layer>& layers) {
    for (const Layer& layer : layers) {
      for (const ValueId weight : layer.weights) frozen_[index(weight)] = is_frozen(weight);
    }
    return std::move(frozen_);
  }

 private:
  static std::size_t index(ValueId value) { return static_cast<std::size_t>(value); }

  void freeze_with_sources(ValueId value) {
    std::vector<ValueId> open{value};
    while (!open.empty()) {
      const ValueId current = open.back();
      open.pop_back();
      if (frozen_[index(current)]) continue;
      frozen_[index(current)] = true;
      if (const auto found = sources_.find(current); found != sources_.end()) {
        open.insert(open.end(), found->second.begin(), found->second.end());
      }
    }
  }

  // Something that it was made of is frozen, and nothing is learned still.
  bool is_frozen(ValueId value) const {
    bool found = false;
    std::vector<ValueId> open{value};
    while (!open.empty()) {
      const ValueId current = open.back();
      open.pop_back();
      if (frozen_[index(current)]) {
        found = true;
        continue;
      }
      const auto made_of = sources_.find(current);
      if (made_of != sources_.end()) {
        open.insert(open.end(), made_of->second.begin(), made_of->second.end());
      } else if (graph_.value(current).origin == Origin::weight) {
        return false;
      }
    }
    return found;
  }

  const Graph& graph_;
  const std::unordered_map<ValueId, std::vector<ValueId>>& sources_;
  std::vector<bool> frozen_;
};

}  // namespace

std::vector<bool> freeze_weights(const Graph& graph,
                                 const std::unordered_map<ValueId, std::vector<ValueId>>& sources,
                                 const std::vector<Layer>& layers, const std::vector<std::string>& globs) {
  Freezer freezer(graph, sources);
  for (const std::string& glob : globs) {
    if (!freezer.freeze(glob, layers)) {
      throw bad_use("--freeze " + glob +
                    ": no layer and no weight has such a name (layersim show lists them)");
    }
  }
  return freezer.take(layers);
}

}  // namespace layersim
