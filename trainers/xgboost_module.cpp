#include "trainers/xgboost_module.h"

#include "sim/core/error.h"
#include "sim/core/module_loader.h"

namespace layersim {

const TreeTrainer& load_tree_trainer() {
  using Entry = decltype(&layersim_xgboost_tree_trainer);
  const auto entry = reinterpret_cast<Entry>(  // NOLINT: as POSIX has it
      find_module_entry("layersim_xgboost.so", "layersim_xgboost_tree_trainer"));
  if (entry == nullptr)
    throw bad_use(
        "trees are trained by XGBoost, which this program was built without (Debian: libxgboost-dev)");
  return *entry();
}

}  // namespace layersim
