#include "trainers/trainer_list.h"

#include <vector>

#include "sim/core/error.h"
#include "trainers/torch_module.h"

namespace layersim {

const Trainer& linear_trainer();
const Trainer& tiny_dnn_trainer();

namespace {

std::vector<const Trainer*> trainers() {
  std::vector<const Trainer*> list;
  if (const Trainer* torch = load_torch_trainer()) list.push_back(torch);
#ifdef LAYERSIM_HAS_TINY_DNN
  list.push_back(&tiny_dnn_trainer());
#endif
  list.push_back(&linear_trainer());
  return list;
}

}  // namespace

std::string trainer_names() {
  std::string names;
  for (const Trainer* trainer : trainers()) names.append(names.empty() ? "" : ", ").append(trainer->name());
  return names;
}

const Trainer& find_trainer(std::string_view name) {
  const std::vector<const Trainer*> list = trainers();
  if (name.empty()) return *list.front();
  for (const Trainer* trainer : list) {
    if (trainer->name() == name) return *trainer;
  }
  throw bad_use("no trainer '" + std::string(name) + "'; there is " + trainer_names());
}

}  // namespace layersim
