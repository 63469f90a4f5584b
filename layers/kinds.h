#pragma once
// The kinds by name, for lowering rules that make layers of another kind than their own. Private to the
// library.

#include "layers/layer_kind.h"

namespace layersim {

#define LAYERSIM_ENTRY(kind) [[nodiscard]] const LayerKind& kind##_kind();
#include "layer_kinds.inc"
#undef LAYERSIM_ENTRY

}  // namespace layersim
