#include "trainers/trainer_list.h"

#include <vector>

#include "sim/core/error.h"
#include "trainers/torch_module.h"

namespace layersim {

const Trainer& linear_trainer();
const Trainer& tiny_dnn_trainer();

namespace {

struct Entry {
  std::string_view name;
  const Trainer& (*load)();
};

std::vector<Entry> entries() {
  std::vector<Entry> list;
  if (has_torch_trainer()) {
    list.push_back({"libtorch", []() -> const Trainer& { return *load_torch_trainer(); }});
  }
#ifdef LAYERSIM_HAS_TINY_DNN
  list.push_back({"tiny_dnn", tiny_dnn_trainer});
#endif
  list.push_back({"linear", linear_trainer});
  return list;
}

Entry find_entry(std::string_view name) {
  const std::vector<Entry> list = entries();
  if (name.empty()) return list.front();
  for (const Entry& entry : list) {
    if (entry.name == name) return entry;
  }
  throw bad_use("no trainer '" + std::string(name) + "'; there is " + trainer_names());
}

}  // namespace

std::string trainer_names() {
  std::string names;
  for (const Entry& entry : entries()) names.append(names.empty() ? "" : ", ").append(entry.name);
  return names;
}

void check_trainer(std::string_view name) { static_cast<void>(find_entry(name)); }

const Trainer& find_trainer(std::string_view name) { return find_entry(name).load(); }

}  // namespace layersim
