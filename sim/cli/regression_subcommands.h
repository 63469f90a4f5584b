#pragma once
// layersim regression train|predict|evaluate, each in a source of its own.

#include "sim/cli/command_line.h"

namespace layersim {

void regression_train(const Arguments& given);
void regression_predict(const Arguments& given);
void regression_evaluate(const Arguments& given);

}  // namespace layersim
