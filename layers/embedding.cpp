// Table lookup: `lookups` indices (8 bytes each) choose rows of `width` elements from a stored table of
// `table_rows` rows. Forward reads and writes lookups x width elements; no MACs. The gradient of the table is
// dense in the frameworks: all of it is written, whatever the number of lookups.

#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/norm.h"
#include "layers/work.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

enum EmbeddingSize : std::size_t { kLookups, kWidth, kTableRows };
constexpr double kIndexBytes = 8;

// A gather along axis 0 of a stored matrix is a lookup, any other moves data.
void lower_gather(LoweringContext& context) {
  const Shape& table = context.full_shape(0);
  const std::int64_t out = element_count(context.output_shape(0));
  const DType dtype = context.output_dtype(0);
  const bool numbers = is_float(dtype) || (is_integer(dtype) && bits(dtype) <= 8);  // the latter quantized
  const std::string_view axis = context.node().op == "Gather" ? "axis" : "gather_axis";
  const bool lookup = context.is_weight(0) && table.size() >= 2 && numbers &&
                      normalize_axis(context.int_or(axis, 0), table.size()) == 0;
  if (!lookup) {
    context.add(make_problem(data_movement_kind(), context.dtype(0),
                             {{"elements_read", out}, {"elements_written", out}, {"function", 4}}));
    return;
  }
  Problem problem = make_problem(embedding_kind(), dtype,
                                 {{"lookups", element_count(context.full_shape(1))},
                                  {"width", element_count(table, 1, table.size())},
                                  {"table_rows", table[0]}});
  problem.weight_dtype = context.weight_dtype(0);
  context.add(std::move(problem));
}

// com.microsoft::EmbedLayerNormalization: input_ids, segment_ids, word, position and segment tables, scale,
// shift ...
void infer_embed_norm(ShapeContext& context) {
  const Shape& ids = context.shape(0, 2, 2);
  const Shape& table = context.shape(2, 2, 2);
  const Shape output{ids[0], ids[1], table[1]};
  context.set_output(0, context.dtype(2), output);
  context.set_output(1, DType::i32, {ids[0]});
  context.set_output(2, context.dtype(2), output);
}

void lower_embed_norm(LoweringContext& context) {
  const Shape& ids = context.full_shape(0);
  const Shape& table = context.full_shape(2, 2);
  const std::int64_t tokens = element_count(ids);
  const bool segments = context.has_input(4);
  std::int64_t rows = table[0] + context.full_shape(3, 1)[0];
  if (segments) rows += context.full_shape(4, 1)[0];
  context.add(
      make_problem(embedding_kind(), context.dtype(2),
                   {{"lookups", (segments ? 3 : 2) * tokens}, {"width", table[1]}, {"table_rows", rows}}),
      "lookup");
  context.add(make_problem(norm_kind(), context.dtype(2),
                           {{"function", static_cast<std::int64_t>(NormFunction::layer)},
                            {"rows", tokens},
                            {"cols", table[1]},
                            {"channels", table[1]},
                            {"scale", 1},
                            {"bias", 1},
                            {"residual", 0}}),
              "norm");
}

LayerWork embedding_work(const Problem& problem) {
  const double moved = at(problem, kLookups) * at(problem, kWidth);
  const double table = at(problem, kTableRows) * at(problem, kWidth);
  const double element = bytes(problem.dtype);
  LayerWork work;
  work.weight_elements = table;
  work.forward.bytes_read = moved * bytes(problem.weight_dtype) + at(problem, kLookups) * kIndexBytes;
  work.forward.bytes_written = moved * element;
  work.forward.kernels = 1;
  work.backward_weight.flop = moved;
  work.backward_weight.bytes_read = moved * element + at(problem, kLookups) * kIndexBytes;
  work.backward_weight.bytes_written = table * bytes(problem.weight_dtype);
  work.backward_weight.kernels = 2;
  work.keeps_input = true;
  return work;
}

}  // namespace

const LayerKind& embedding_kind() {
  static const LayerKind kKind{
      .name = "embedding",
      .summary = "lookup of rows in a stored table",
      .parameters = {{"lookups", "index", 1, 65536, Draw::log_uniform},
                     {"width", "element", 1, 16384, Draw::log_uniform},
                     {"table_rows", "row", 2, 262144, Draw::log_uniform}},
      .operators = {{"Gather", nullptr, lower_gather},
                    {"GatherBlockQuantized", nullptr, lower_gather, "com.microsoft"},
                    {"EmbedLayerNormalization", infer_embed_norm, lower_embed_norm, "com.microsoft"}},
      .work = embedding_work};
  return kKind;
}

}  // namespace layersim
