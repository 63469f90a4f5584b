// Convolutions. Features beside the plain sizes: what the libraries' algorithms depend on. Winograd wants 3x3
// kernels of stride 1 and output tiles of 2 or 4; FFT wants padded images near powers of two up to 256;
// implicit GEMM wants channel counts that fill its tiles of 32, 64, 128 and grids that fill the device's
// multiprocessors; explicit GEMM writes an im2col matrix that must fit the workspace.

#include <algorithm>
#include <array>
#include <bit>

#include "sim/features/device_numbers.h"
#include "sim/features/families/make_family.h"
#include "sim/features/families/problem_sizes.h"
#include "sim/features/feature_sink.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 7> kTerms{
    "launch", "forward_flop", "memory", "gradient_flop", "weight_gradient_flop", "backward_memory", "drift"};
// The campaign on PyTorch with autotuning began at launches of 0.1-0.2 ms and ended at 0.4-0.9 ms.
constexpr double kDriftMs = 0.3;
constexpr std::size_t kDriftTerm = 6;
// Steps of the position as a feature, so that the fresh process of a user is like the first rows.
constexpr double kDriftSteps = 50;

struct ConvSizes {
  explicit ConvSizes(const Problem& problem);

  std::int64_t batch, in_channels, out_channels, groups, bias;
  std::int64_t in_h, in_w, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, out_h, out_w;
  std::int64_t in_d, kernel_d, out_d;
};

ConvSizes::ConvSizes(const Problem& p) {
  struct Places {
    ParameterPlace batch{"conv", "batch"}, in_channels{"conv", "in_channels"},
        out_channels{"conv", "out_channels"}, groups{"conv", "groups"}, bias{"conv", "bias"},
        in_d{"conv", "in_d"}, in_h{"conv", "in_h"}, in_w{"conv", "in_w"}, kernel_d{"conv", "kernel_d"},
        kernel_h{"conv", "kernel_h"}, kernel_w{"conv", "kernel_w"}, stride_h{"conv", "stride_h"},
        stride_w{"conv", "stride_w"}, begin_h{"conv", "pad_begin_h"}, begin_w{"conv", "pad_begin_w"},
        end_h{"conv", "pad_end_h"}, end_w{"conv", "pad_end_w"}, out_d{"conv", "out_d"},
        out_h{"conv", "out_h"}, out_w{"conv", "out_w"};
  };
  static const Places kPlaces;
  batch = kPlaces.batch.of(p);
  in_channels = kPlaces.in_channels.of(p);
  out_channels = kPlaces.out_channels.of(p);
  groups = std::max<std::int64_t>(kPlaces.groups.of(p), 1);
  bias = kPlaces.bias.of(p);
  in_d = kPlaces.in_d.of(p);
  in_h = kPlaces.in_h.of(p);
  in_w = kPlaces.in_w.of(p);
  kernel_d = kPlaces.kernel_d.of(p);
  kernel_h = kPlaces.kernel_h.of(p);
  kernel_w = kPlaces.kernel_w.of(p);
  stride_h = kPlaces.stride_h.of(p);
  stride_w = kPlaces.stride_w.of(p);
  pad_h = kPlaces.begin_h.of(p) + kPlaces.end_h.of(p);
  pad_w = kPlaces.begin_w.of(p) + kPlaces.end_w.of(p);
  out_d = kPlaces.out_d.of(p);
  out_h = kPlaces.out_h.of(p);
  out_w = kPlaces.out_w.of(p);
}

// The step in ms, part by part.
std::array<double, kTerms.size()> physical_terms(const FeatureQuery& query, const DeviceNumbers& device,
                                                 double input_elements, double output_elements) {
  const LayerWork& work = *query.layer.work;
  const bool training = query.pass == Pass::training;
  const double flop_ms = 2 * work.forward.macs / device.matrix_flop_per_ms;
  const double memory_ms = 2 * work.forward.bytes() / device.bytes_per_ms;
  const bool all_backward = training || query.pass == Pass::backward;
  double updated = query.layer.learned_elements;
  if (query.updates_activations) updated += input_elements + output_elements;
  const double update_ms =
      training ? updated * (device.optimizer.reads + device.optimizer.writes) * 4 / device.bytes_per_ms : 0;
  return {
      0.03,
      query.pass == Pass::forward || training ? flop_ms : 0,
      memory_ms,
      (all_backward && query.layer.needs_input_gradient) || query.pass == Pass::backward_data ? flop_ms : 0,
      (all_backward && query.layer.needs_weight_gradient) || query.pass == Pass::backward_weight ? flop_ms
                                                                                                 : 0,
      training ? 2 * memory_ms + update_ms : 0,
      kDriftMs * query.campaign_position};
}

// How a grid of tiles fills the device. Grouped convolutions have kernels of their own, without these tiles.
template <typename Sink>
void write_tiles(Sink& sink, std::string_view share, std::string_view log_count, std::int64_t count,
                 const ConvSizes& sizes, const DeviceNumbers& device) {
  const bool is_tiled = sizes.groups <= 1;
  sink.add(share, "1", is_tiled ? occupancy(count, device.multiprocessor_count) : 1);
  sink.add(log_count, "1", is_tiled ? safe_log(static_cast<double>(count) / device.multiprocessors) : 0);
}

template <typename Sink>
void write_features(Sink& sink, const FeatureQuery& query, const DeviceNumbers& device, float* log_terms) {
  const Problem& problem = *query.layer.problem;
  const ConvSizes s(problem);
  const double batch = static_cast<double>(s.batch);
  const double spatial_out = static_cast<double>(s.out_d * s.out_h * s.out_w);
  const double taps = static_cast<double>(s.kernel_d * s.kernel_h * s.kernel_w);
  const std::int64_t channels_of_group = s.in_channels / s.groups;
  const double group_channels = static_cast<double>(channels_of_group);
  const double inputs = batch * static_cast<double>(s.in_channels * s.in_d * s.in_h * s.in_w);
  const double outputs = batch * static_cast<double>(s.out_channels) * spatial_out;
  const double weights = taps * group_channels * static_cast<double>(s.out_channels);
  const double flop = 2 * outputs * taps * group_channels;

  const auto terms = physical_terms(query, device, inputs, outputs);
  const double roofline_ms = write_log_terms(terms, log_terms) - terms[kDriftTerm];
  const double flop_ms = flop / device.matrix_flop_per_ms;
  const double memory_ms = query.layer.work->forward.bytes() / device.bytes_per_ms;

  sink.add("log_batch", "1", safe_log(batch));
  sink.add("log_in_w", "1", safe_log(static_cast<double>(s.in_w)));
  sink.add("log_in_h", "1", safe_log(static_cast<double>(s.in_h)));
  sink.add("log_in_channels", "1", safe_log(static_cast<double>(s.in_channels)));
  sink.add("log_out_channels", "1", safe_log(static_cast<double>(s.out_channels)));
  sink.add("log_groups", "1", safe_log(static_cast<double>(s.groups)));
  sink.add("log_group_channels", "1", safe_log(group_channels));
  sink.add("log_kernel_w", "1", safe_log(static_cast<double>(s.kernel_w)));
  sink.add("log_kernel_h", "1", safe_log(static_cast<double>(s.kernel_h)));
  sink.add("log_stride", "1", safe_log(static_cast<double>(s.stride_w)));
  sink.add("log_out_w", "1", safe_log(static_cast<double>(s.out_w)));
  sink.add("log_out_h", "1", safe_log(static_cast<double>(s.out_h)));
  sink.add("log_input_elements", "element", safe_log(inputs));
  sink.add("log_output_elements", "element", safe_log(outputs));
  sink.add("log_weight_elements", "element", safe_log(weights));
  sink.add("log_flop", "FLOP", safe_log(flop));
  sink.add("log_gemm_rows", "1", safe_log(batch * spatial_out));
  sink.add("log_gemm_depth", "1", safe_log(taps * group_channels));
  sink.add("log_gemm_gradient_depth", "1", safe_log(taps * static_cast<double>(s.out_channels)));
  const double columns = batch * spatial_out * taps * group_channels;
  sink.add("log_im2col_elements", "element", safe_log(columns));
  sink.add(
      "log_col2im_elements", "element",
      safe_log(batch * static_cast<double>(s.in_h * s.in_w) * taps * static_cast<double>(s.out_channels)));
  sink.add("log_intensity", "FLOP/element", safe_log(flop / (inputs + outputs + weights)));
  sink.add("log_flop_time", "ms", safe_log(flop_ms));
  sink.add("log_memory_time", "ms", safe_log(memory_ms));
  sink.add("log_roofline_time", "ms", safe_log(roofline_ms));
  sink.add("log_flop_to_memory_time", "1", safe_log(flop_ms) - safe_log(memory_ms));
  sink.add("log_update_time", "ms", terms[5] > 0 ? safe_log(terms[5] - 4 * memory_ms + 1e-9) : 0);

  sink.add("padded", "flag", flag(s.pad_w > 0));
  sink.add("is_training", "flag", flag(query.pass == Pass::training));
  sink.add("is_backward", "flag", flag(query.pass == Pass::backward));
  sink.add("is_backward_data", "flag", flag(query.pass == Pass::backward_data));
  sink.add("is_backward_weight", "flag", flag(query.pass == Pass::backward_weight));
  sink.add("bias", "flag", static_cast<float>(s.bias));
  for (int k = 1; k < 8; ++k) sink.add("kernel_is_", k, "flag", flag(s.kernel_w == k && s.kernel_h == k));
  sink.add("kernel_is_oblong", "flag", flag(s.kernel_w != s.kernel_h));
  for (int k = 1; k < 5; ++k) sink.add("stride_is_", k, "flag", flag(s.stride_w == k));
  for (const Activation activation : {Activation::relu, Activation::tanh, Activation::sigmoid}) {
    sink.add(name(activation), "flag", flag(problem.activation == activation));
  }
  for (const int t : {4, 8}) {
    sink.add("in_channels_divisible_by_", t, "flag", flag(s.in_channels % t == 0));
    sink.add("out_channels_divisible_by_", t, "flag", flag(s.out_channels % t == 0));
  }
  sink.add("one_in_channel", "flag", flag(s.in_channels == 1));
  sink.add("one_out_channel", "flag", flag(s.out_channels == 1));
  for (const int t : {8, 16, 32, 64, 128}) {
    sink.add("out_channels_fill_", t, "1", occupancy(s.out_channels, t));
    sink.add("in_channels_fill_", t, "1", occupancy(s.in_channels, t));
  }
  const std::int64_t rows = s.batch * s.out_d * s.out_h * s.out_w;
  write_tiles(sink, "wave_fill_128x32", "log_waves_128x32", tiles(rows, 128) * tiles(s.out_channels, 32), s,
              device);
  const std::int64_t winograd_tiles = s.batch * tiles(s.out_w, 2) * tiles(s.out_h, 2);
  write_tiles(sink, "wave_fill_winograd", "log_waves_winograd",
              tiles(winograd_tiles, 32) * tiles(s.out_channels, 32), s, device);
  write_tiles(sink, "wave_fill_128x128", "log_waves_128x128", tiles(rows, 128) * tiles(s.out_channels, 128),
              s, device);
  for (const int t : {2, 4}) sink.add("batch_divisible_by_", t, "flag", flag(s.batch % t == 0));
  for (const int t : {8, 16, 32}) sink.add("batch_fill_", t, "1", occupancy(s.batch, t));

  const std::int64_t padded = std::max<std::int64_t>({s.in_w + s.pad_w, s.in_h + s.pad_h, 1});
  const auto fft_size =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(padded, 8))));
  sink.add("fft_fill", "1", static_cast<float>(padded) / static_cast<float>(fft_size));
  sink.add("fft_possible", "flag", flag(padded <= 256));
  sink.add("log_fft_size", "1", safe_log(static_cast<double>(fft_size)));
  sink.add("fft_tile_fill", "1", occupancy(s.out_w, std::max<std::int64_t>(33 - s.kernel_w, 1)));
  const bool winograd = s.kernel_w == 3 && s.kernel_h == 3 && s.stride_w == 1 && s.stride_h == 1;
  for (const int t : {2, 4}) {
    sink.add("winograd_fill_", t, "1", winograd ? occupancy(s.out_w, t) * occupancy(s.out_h, t) : 0);
  }
  sink.add("odd_in_w", "flag", flag(s.in_w % 2 != 0));
  sink.add("in_w_divisible_by_4", "flag", flag(s.in_w % 4 == 0));
  sink.add("odd_out_w", "flag", flag(s.out_w % 2 != 0));
  sink.add("out_w_divisible_by_4", "flag", flag(s.out_w % 4 == 0));
  sink.add("log_im2col_to_4_gib", "1", limited(safe_log(4 * columns / 4294967296.0), -6, 6));
  const double resident = device.element_bytes * (inputs + outputs) * (query.pass == Pass::training ? 4 : 1);
  sink.add("log_resident_to_memory", "1", limited(safe_log(resident / device.memory_bytes), -8, 3));
  sink.add("odd_padding", "flag", flag(s.pad_w % 2 != 0));
  sink.add("padding", "1", static_cast<float>(std::min<std::int64_t>(s.pad_w, 8)));
  const std::int64_t rest = (s.in_w - s.kernel_w + s.pad_w) % std::max<std::int64_t>(s.stride_w, 1);
  sink.add("unused_columns", "1", static_cast<float>(std::clamp<std::int64_t>(rest, 0, 4)));
  sink.add("campaign_position", "1",
           static_cast<float>(std::floor(query.campaign_position * kDriftSteps) / kDriftSteps));
  sink.add("no_input_gradient", "flag",
           flag(query.pass == Pass::training && !query.layer.needs_input_gradient));
  sink.add("depthwise", "flag", flag(s.groups > 1 && s.groups == s.in_channels));
  for (const int t : {6, 14}) sink.add("out_w_fill_", t, "1", occupancy(s.out_w, t));
  sink.add(
      "log_row_elements", "element",
      safe_log(static_cast<double>(s.in_w) * static_cast<double>(std::min<std::int64_t>(s.in_channels, 16))));
}

bool covers(const Problem& problem) {
  static const LayerKind* const kKind = find_layer_kind("conv");
  return problem.kind == kKind;
}

}  // namespace

const FeatureFamily& feature_family_conv() {
  static const FeatureFamily kFamily =
      make_family("conv", "conv", kTerms, covers, [](auto&&... args) { write_features(args...); });
  return kFamily;
}

}  // namespace layersim
