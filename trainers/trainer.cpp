#include "trainers/trainer.h"

#include "sim/store/table.h"

namespace layersim {

std::string describe(const TrainingOptions& options, int members) {
  std::string text = "hidden ";
  for (std::size_t i = 0; i < options.hidden.size(); ++i) {
    text += (i == 0 ? "" : "-") + std::to_string(options.hidden[i]);
  }
  const auto add = [&](const std::string& name, double value) {
    text += ", " + name + ' ' + format_number(value);
  };
  add("epochs", options.epochs);
  add("batch", options.batch_rows);
  add("learning rate", options.learning_rate);
  add("weight decay", options.weight_decay);
  add("Huber delta", options.huber_delta);
  add("device dropout", options.device_dropout);
  add("members", members);
  return text;
}

}  // namespace layersim
