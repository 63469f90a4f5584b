// Einsum of one or two operands. Labels in both operands and the output are batch axes, those that the output
// lacks are contracted (k), the rest are rows (m) of the first or columns (n) of the second operand.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "layers/kinds.h"
#include "layers/matrix_product.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

// Axes that an ellipsis stands for get labels of their own, counted from the right, below any letter.
constexpr std::size_t kMaxEllipsisAxes = 32;
using Labels = std::string;

struct Equation {
  std::vector<Labels> operands;
  Labels output;
  std::map<char, std::int64_t> sizes;
};

Labels ellipsis_labels(std::size_t axes) {
  if (axes >= kMaxEllipsisAxes) throw bad_input("an ellipsis stands for too many axes");
  Labels labels;
  for (std::size_t i = axes; i > 0; --i) labels += static_cast<char>(i);
  return labels;
}

// "a...b" with `rank` axes -> one label an axis.
Labels expand(const std::string& term, std::size_t rank) {
  const std::size_t dots = term.find("...");
  if (dots == std::string::npos) return term;
  const std::size_t letters = term.size() - 3;
  if (letters > rank) throw bad_input("equation term '" + term + "' has more labels than axes");
  return term.substr(0, dots) + ellipsis_labels(rank - letters) + term.substr(dots + 3);
}

Equation read_equation(const ShapeContext& context) {
  std::string text = context.text_or("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  std::vector<std::string> terms{""};
  for (const char c : left) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  if (terms.size() != context.input_count()) {
    throw bad_input("equation '" + text + "' has " + std::to_string(terms.size()) + " operands, the node " +
                    std::to_string(context.input_count()));
  }
  Equation equation;
  std::size_t ellipsis_axes = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Shape& shape = context.shape(i);
    const Labels labels = expand(terms[i], shape.size());
    if (labels.size() != shape.size()) {
      throw bad_input("equation term '" + terms[i] + "' does not fit the shape " + to_string(shape));
    }
    if (labels.size() + 3 > terms[i].size() && terms[i].find("...") != std::string::npos) {
      ellipsis_axes = std::max(ellipsis_axes, labels.size() + 3 - terms[i].size());
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      std::int64_t& size = equation.sizes.try_emplace(labels[axis], shape[axis]).first->second;
      if (size == shape[axis] || shape[axis] == kUnknownDim) continue;
      if (size != 1 && size != kUnknownDim && shape[axis] != 1) {
        throw bad_input("equation '" + text + "' has one label for the sizes " + std::to_string(size) +
                        " and " + std::to_string(shape[axis]));
      }
      size = std::max(size, shape[axis]);
    }
    equation.operands.push_back(labels);
  }
  if (arrow == std::string::npos) {
    // Without an arrow the output has the labels that occur once, in alphabetical order.
    equation.output = ellipsis_labels(ellipsis_axes);
    for (const auto& [label, size] : equation.sizes) {
      std::size_t count = 0;
      for (const Labels& labels : equation.operands) count += std::count(labels.begin(), labels.end(), label);
      if (count == 1 && label >= 'A') equation.output += label;
    }
  } else {
    const std::string term = text.substr(arrow + 2);
    const std::size_t letters = term.find("...") == std::string::npos ? term.size() : term.size() - 3;
    equation.output = expand(term, letters + ellipsis_axes);
  }
  for (const char label : equation.output) {
    if (equation.sizes.count(label) == 0)
      throw bad_input("equation '" + text + "' has an output label without operand");
  }
  return equation;
}

bool repeats_a_label(const Labels& labels) {
  Labels sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

bool contains(const Labels& labels, char label) { return labels.find(label) != Labels::npos; }

Shape output_of(const Equation& equation) {
  Shape output;
  for (const char label : equation.output) output.push_back(equation.sizes.at(label));
  return output;
}

// Product of the sizes of the labels in `labels` that `wanted` holds for.
template <typename Predicate>
std::int64_t product_of(const Equation& equation, const Labels& labels, Predicate&& wanted) {
  Shape sizes;
  for (const char label : labels) {
    if (wanted(label)) sizes.push_back(equation.sizes.at(label));
  }
  return element_count(sizes);
}

void lower_single(LoweringContext& context, std::int64_t in, std::int64_t out) {
  if (in == out) {
    context.add(make_problem(data_movement_kind(), context.dtype(0),
                             {{"elements_read", in}, {"elements_written", out}}));
  } else {
    context.add(make_problem(
        reduce_kind(), context.dtype(0),
        {{"rows", out}, {"cols", std::max<std::int64_t>(in / std::max<std::int64_t>(out, 1), 1)}}));
  }
}

}  // namespace

void infer_einsum(ShapeContext& context) {
  context.set_output(0, context.dtype(0), output_of(read_equation(context)));
}

void lower_einsum(LoweringContext& context) {
  for (std::size_t i = 0; i < context.input_count(); ++i) (void)context.full_shape(i);
  const Equation equation = read_equation(context);
  if (equation.operands.size() > 2) return context.unmodelled("Einsum of more than two operands");
  if (std::any_of(equation.operands.begin(), equation.operands.end(), repeats_a_label)) {
    return context.unmodelled("Einsum that takes a diagonal");
  }
  const std::int64_t out = element_count(output_of(equation));
  if (equation.operands.size() == 1) return lower_single(context, element_count(context.shape(0)), out);

  const Labels& a = equation.operands[0];
  const Labels& b = equation.operands[1];
  const auto in_out = [&](char label) { return contains(equation.output, label); };
  MatrixProduct product;
  product.m = product_of(equation, a, [&](char label) { return in_out(label) && !contains(b, label); });
  product.n = product_of(equation, b, [&](char label) { return in_out(label) && !contains(a, label); });
  product.k = product_of(equation, a, [&](char label) { return !in_out(label) && contains(b, label); });
  product.batch = product_of(equation, a, [&](char label) { return in_out(label) && contains(b, label); });
  product.batch_a = product.batch_b = product.batch;
  if (product.k == 1) {
    context.add(
        make_problem(elementwise_kind(), context.dtype(0),
                     {{"elements", out},
                      {"operand_elements", element_count(context.shape(0)) + element_count(context.shape(1))},
                      {"operands", 2},
                      {"function", 1},
                      {"output_bits", bits(context.dtype(0))}}));
    return;
  }
  add_matrix_product(context, product, 0, 1, false);
}

}  // namespace layersim
