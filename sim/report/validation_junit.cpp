#include "sim/report/readable_text.h"
#include "sim/report/validation_report.h"
#include "sim/report/xml_text.h"

namespace layersim {
namespace {

std::string run_name(const Validation& validation, const RunResult& result) {
  const Run& run = validation.run_of(result);
  return run.network_name + " batch " + std::to_string(run.batch) + ", " + std::string(name(run.mode)) +
         ", " + std::string(name(result.precision)) + " (line " + std::to_string(run.line) + ")";
}

std::string test_case(const std::string& group, const std::string& title, const std::string& content) {
  const std::string start =
      R"(    <testcase classname=")" + xml_text(group) + R"(" name=")" + xml_text(title) + '"';
  return start + (content.empty() ? "/>\n" : ">" + content + "</testcase>\n");
}

std::string failure(const std::string& message) {
  return R"(<failure message=")" + xml_text(message) + R"("/>)";
}

// What the checks have against the run; empty: nothing.
std::string faults(const RunResult& result, const std::vector<RunCheck>& checks) {
  std::string text;
  for (const RunCheck& check : checks) {
    for (const auto& [run, what] : check.failing_runs) {
      if (run == result.run) text += (text.empty() ? "" : "; ") + check.name + ": " + what;
    }
  }
  return text;
}

}  // namespace

std::string validation_junit(const Validation& validation, const std::vector<RunCheck>& checks) {
  std::string cases;
  std::size_t failures = 0;
  std::size_t skipped = 0;
  for (const RunCheck& check : checks) {
    if (!check.holds) ++failures;
    cases += test_case("checks", check.name, check.holds ? "" : failure(check.result));
  }
  for (const RunResult& result : validation.results) {
    const Run& run = validation.run_of(result);
    const std::string group = run.device->key + (run.stack.empty() ? "" : "." + run.stack);
    const std::string fault = faults(result, checks);
    std::string content;
    if (!fault.empty()) {
      ++failures;
      content = failure(fault + ": predicted " + short_number(result.predicted_ms) + " ms, measured " +
                        short_number(run.measured_ms) + " ms");
    } else if (!result.is_predicted()) {
      ++skipped;
      content = R"(<skipped message=")" + xml_text(result.not_predicted) + R"("/>)";
    }
    cases += test_case(group, run_name(validation, result), content);
  }
  const std::string counts = R"(tests=")" + std::to_string(checks.size() + validation.results.size()) +
                             R"(" failures=")" + std::to_string(failures) + R"(" errors="0" skipped=")" +
                             std::to_string(skipped) + '"';
  return R"(<?xml version="1.0" encoding="UTF-8"?>)"
         "\n<testsuites " +
         counts + ">\n" + R"(  <testsuite name=")" + xml_text("layersim validate " + validation.table.file) +
         R"(" )" + counts + ">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace layersim
