#!/usr/bin/env bash
# The page in headless Chromium. Arguments: the program, the folder in which `./dev page` works. What is missing
# for it is said, and the test counts as skipped.
set -euo pipefail
program=$1 page_work=$2
skip() { echo "SKIPPED: $*"; exit 0; }
command -v node >/dev/null || skip "no node"
browser=$(command -v chromium || command -v chromium-browser) || skip "no chromium"
[[ -d $page_work/node_modules/playwright-core ]] || skip "no playwright-core: ./dev page gets it"
[[ -f $page_work/../page/index.html ]] || skip "the page is not built: ./dev page builds it"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" zoo lenet5 -o "$work/my-lenet.onnx" >/dev/null
LAYERSIM_BROWSER_TEST="$program:$page_work:$browser:$work/my-lenet.onnx" \
  node --test "$(dirname "${BASH_SOURCE[0]}")/browser_test.mjs"
