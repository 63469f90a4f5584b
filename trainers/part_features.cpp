#include "trainers/part_features.h"

#include <algorithm>
#include <array>

namespace layersim {
namespace {

constexpr auto kConv = std::to_array<std::string_view>({"log_batch",
                                                        "log_in_w",
                                                        "log_in_channels",
                                                        "log_out_channels",
                                                        "log_groups",
                                                        "log_group_channels",
                                                        "log_kernel_w",
                                                        "log_stride",
                                                        "log_out_w",
                                                        "log_input_elements",
                                                        "log_output_elements",
                                                        "log_weight_elements",
                                                        "log_flop",
                                                        "log_intensity",
                                                        "log_flop_time",
                                                        "log_memory_time",
                                                        "log_flop_to_memory_time",
                                                        "is_backward_data",
                                                        "is_backward_weight",
                                                        "bias",
                                                        "kernel_is_1",
                                                        "kernel_is_3",
                                                        "stride_is_1",
                                                        "wave_fill_128x32",
                                                        "log_waves_128x32",
                                                        "wave_fill_128x128",
                                                        "log_waves_128x128",
                                                        "wave_fill_winograd",
                                                        "log_waves_winograd",
                                                        "winograd_fill_2",
                                                        "winograd_fill_4",
                                                        "fft_possible",
                                                        "fft_fill",
                                                        "fft_tile_fill",
                                                        "log_fft_size"});
constexpr auto kGemm = std::to_array<std::string_view>(
    {"log_batch", "log_m", "m_fill_32", "log_n", "log_k", "log_output_elements", "log_left_elements",
     "log_right_elements", "log_flop", "log_flop_time", "log_memory_time", "log_intensity", "log_waves_64064",
     "stored_operand", "transposed_a", "transposed_b", "bias"});

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_learned_from_runs(const FeatureFamily& family, std::string_view feature) {
  if (family.name == "conv") return contains(kConv, feature);
  if (family.name == "gemm") return contains(kGemm, feature);
  return true;
}

}  // namespace layersim
