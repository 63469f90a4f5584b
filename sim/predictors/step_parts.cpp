#include "sim/predictors/step_parts.h"

#include <algorithm>

#include "sim/predictors/stand_in.h"

namespace layersim {
namespace {

struct Families {
  const FeatureFamily* conv = find_feature_family("conv");
  const FeatureFamily* gemm = find_feature_family("gemm");
  const FeatureFamily* recurrent = find_feature_family("recurrent");
  const FeatureFamily* streaming = find_feature_family("streaming");
};

const Families& families() {
  static const Families kFamilies;
  return kFamilies;
}

// Choices of the parameter `function` of data movements.
constexpr std::int64_t kSlice = 2;
constexpr std::int64_t kSplit = 3;

struct ProductSizes {
  std::int64_t batch, m, n, k;
};

Problem product(const Problem& like, const ProductSizes& sizes, bool transposed_a, bool transposed_b) {
  static const LayerKind* const kMatmul = find_layer_kind("matmul");
  return make_problem(*kMatmul, like.dtype,
                      {{"batch", sizes.batch},
                       {"m", sizes.m},
                       {"n", sizes.n},
                       {"k", sizes.k},
                       {"matrices_a", sizes.batch},
                       {"matrices_b", sizes.batch},
                       {"transposed_a", transposed_a ? 1 : 0},
                       {"transposed_b", transposed_b ? 1 : 0}});
}

// out = a x b with a: m x k, b: k x n. Gradient of a: out' x b^T; of b: a^T x out'.
ProductSizes product_sizes(const Problem& problem) {
  static const LayerKind* const kDense = find_layer_kind("dense");
  if (problem.kind == kDense) {
    return {1, problem.size("rows"), problem.size("out_features"), problem.size("in_features")};
  }
  return {problem.size("batch"), problem.size("m"), problem.size("n"), problem.size("k")};
}

std::int64_t output_elements(const Problem& problem) {
  if (find_feature_family(problem) == families().gemm) {
    const ProductSizes s = product_sizes(problem);
    return s.batch * s.m * s.n;
  }
  return problem.size("batch") * problem.size("out_channels") * problem.size("out_d") *
         problem.size("out_h") * problem.size("out_w");
}

class PartAdder {
 public:
  PartAdder(const LayerQuery& query, std::size_t layer, bool training, std::vector<StepPart>& parts)
      : query_(query), layer_(layer), training_(training), parts_(parts) {}

  // Nothing runs forward. Backward the gradients of what was split are joined, and those of a slice go into a
  // tensor of zeros.
  void add_view(const Problem& problem, const LayerWork& work) {
    static const LayerKind* const kConcat = find_layer_kind("concat");
    if (!training_ || !needs_gradient()) return;
    if (problem.size("function") == kSlice) {
      push(families().streaming, problem, work, Pass::backward, true,
           std::max(work.backward_data.kernels, 1));
      return;
    }
    const Problem join =
        make_problem(*kConcat, problem.dtype, {{"elements", problem.size("elements_read")}, {"operands", 2}});
    push(families().streaming, join, kConcat->work(join), Pass::forward, true, 1);
  }

  // Where several layers read an output, their gradients are added up.
  void add_gradient_sums() {
    static const LayerKind* const kElementwise = find_layer_kind("elementwise");
    if (!training_ || query_.gradient_sum_elements <= 0 || !needs_gradient()) return;
    const auto elements = static_cast<std::int64_t>(query_.gradient_sum_elements);
    const Problem sum =
        make_problem(*kElementwise, query_.problem->dtype,
                     {{"elements", elements},
                      {"operand_elements", 2 * elements},
                      {"operands", 2},
                      {"function", 0},
                      {"output_bits", static_cast<std::int64_t>(8 * bytes(query_.problem->dtype))}});
    push(families().streaming, sum, kElementwise->work(sum), Pass::forward, true, 1);
  }

  // Dropout works in training alone. What its kind counts as backward is both: the mask is drawn and
  // multiplied by, forward and backward.
  void add_training_only(const Problem& problem, const LayerWork& work) {
    if (!training_) return;
    const PassWork& both = work.backward_data;
    LayerWork halves = work;
    halves.forward = {both.macs / 2, both.flop / 2, both.bytes_read / 2, both.bytes_written / 2, 1};
    halves.backward_data = halves.forward;
    push_stream(problem, halves, 1);
  }

  void add(const Problem& problem, const LayerWork& work) {
    const FeatureFamily* family = find_feature_family(problem);
    const bool is_product = family == families().conv || family == families().gemm;
    if (is_product && problem.activation != Activation::none) {
      add_with_activation(problem);
    } else if (is_product) {
      add_product_like(problem, work);
    } else if (family == families().recurrent) {
      push(family, problem, work, Pass::forward, false, work.forward.kernels);
      if (training_ && needs_gradient())
        push(family, problem, work, Pass::backward, true, work.forward.kernels);
    } else {
      const bool has_backward =
          problem.kind == nullptr || work.backward_data.bytes() > 0 || work.backward_weight.bytes() > 0;
      push_stream(problem, work, has_backward ? std::max(work.backward_data.kernels, 1) : 0);
    }
  }

 private:
  [[nodiscard]] bool needs_gradient() const {
    return query_.needs_input_gradient || query_.needs_weight_gradient;
  }

  // An activation behind a convolution or a product: a kernel of its own, or, in stacks that fuse, a part of
  // the product's forward kernel. The networks learn which from both parts' flags.
  void add_with_activation(const Problem& problem) {
    static const LayerKind* const kActivation = find_layer_kind("activation");
    Problem activation = make_problem(*kActivation, problem.dtype, {{"elements", output_elements(problem)}});
    activation.activation = problem.activation;
    Problem plain = problem;
    plain.activation = Activation::none;
    add_product_like(problem, plain.kind->work(plain));
    follows_product_ = true;
    push_stream(activation, kActivation->work(activation), 1);
    follows_product_ = false;
  }

  void add_product_like(const Problem& problem, const LayerWork& work) {
    if (find_feature_family(problem) == families().conv) {
      add_convolution(problem, work);
    } else {
      add_product(problem, work);
    }
  }

  void push_stream(const Problem& problem, const LayerWork& work, int backward_kernels) {
    push(families().streaming, problem, work, Pass::forward, false, work.forward.kernels);
    if (training_ && needs_gradient() && backward_kernels > 0) {
      push(families().streaming, problem, work, Pass::backward, true, backward_kernels);
    }
  }

  void add_convolution(const Problem& problem, const LayerWork& work) {
    const FeatureFamily* conv = families().conv;
    push(conv, problem, work, Pass::forward, false, 1);
    if (!training_) return;
    if (query_.needs_input_gradient) push(conv, problem, work, Pass::backward_data, true, 1);
    if (query_.needs_weight_gradient) push(conv, problem, work, Pass::backward_weight, true, 1);
  }

  void add_product(const Problem& problem, const LayerWork& work) {
    push(families().gemm, problem, work, Pass::forward, false, 1);
    if (!training_) return;
    const ProductSizes s = product_sizes(problem);
    const bool two_activations = problem.kind->name == "matmul" && !query_.needs_weight_gradient;
    if (query_.needs_input_gradient) push_product(product(problem, {s.batch, s.m, s.k, s.n}, false, true));
    if (query_.needs_weight_gradient || (two_activations && query_.needs_input_gradient)) {
      push_product(product(problem, {s.batch, s.k, s.n, s.m}, true, false));
    }
  }

  void push_product(const Problem& problem) {
    push(families().gemm, problem, problem.kind->work(problem), Pass::forward, true, 1);
  }

  void push(const FeatureFamily* family, const Problem& problem, const LayerWork& work, Pass pass,
            bool backward, int kernels) {
    parts_.push_back({layer_, family, problem, work, pass, backward, follows_product_, std::max(kernels, 1)});
  }

  const LayerQuery& query_;
  std::size_t layer_;
  bool training_;
  bool follows_product_ = false;
  std::vector<StepPart>& parts_;
};

bool has_parts_of_its_own(const Problem& problem) {
  return problem.kind != nullptr &&
         (problem.kind->name == "conv_transpose" || problem.kind->name == "attention");
}

}  // namespace

FeatureQuery StepPart::query(const LayerQuery& layer_query) const {
  FeatureQuery query{.layer = layer_query, .pass = pass, .follows_product = follows_product};
  query.layer.problem = &problem;
  query.layer.work = &work;
  return query;
}

bool is_view(const Problem& problem, std::string_view stack) {
  static const LayerKind* const kDataMovement = find_layer_kind("data_movement");
  if (problem.kind != kDataMovement || !(stack.starts_with("pytorch") || stack.starts_with("torch")))
    return false;
  const std::int64_t function = problem.size("function");
  return function == kSlice || function == kSplit;
}

double count_kernels(const LayerQuery& query, const Conditions& conditions) {
  std::vector<StepPart> parts;
  append_parts(query, 0, conditions, parts);
  double kernels = 0;
  for (const StepPart& part : parts) kernels += part.kernels;
  return kernels;
}

void append_parts(const LayerQuery& query, std::size_t layer, const Conditions& conditions,
                  std::vector<StepPart>& parts) {
  PartAdder adder(query, layer, conditions.mode == Mode::training, parts);
  if (is_view(*query.problem, conditions.stack)) {
    adder.add_view(*query.problem, *query.work);
  } else if (has_parts_of_its_own(*query.problem)) {
    for (const Problem& problem : stand_ins(*query.problem, *query.work)) {
      adder.add(problem, problem.kind->work(problem));
    }
  } else if (query.work->forward.bytes() > 0) {
    adder.add(*query.problem, *query.work);
  } else if (query.work->backward_data.bytes() > 0) {
    adder.add_training_only(*query.problem, *query.work);
  }
  adder.add_gradient_sums();
}

}  // namespace layersim
