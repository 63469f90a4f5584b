// The rows of a study as a table: of each choice the best batch, or every batch.

import { dollars, duration, short } from "./text.js";

const columns = [
  ["hardware", (row) => row.choice],
  ["batch", (row) => row.batch],
  ["batch time", (row) => `${short(row.batch_ms)} ms`],
  ["samples/s", (row) => short(row.samples_per_s)],
  ["epoch", (row) => duration(row.epoch_s)],
  ["whole run", (row) => duration(row.total_s)],
  ["90 % between", (row) => (row.total_s_low === null ? "" : `${duration(row.total_s_low)} – ${duration(row.total_s_high)}`)],
  ["cost", (row) => dollars(row.cost_usd)],
  ["memory", (row) => `${short(row.memory_mib)} MiB${row.fits ? "" : ", does not fit"}`],
];

function cell(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (tag === "th") element.scope = "col";
  return element;
}

export function fillTable(table, network, everyBatch) {
  const shown = everyBatch ? network.rows : network.best_batches.filter((index) => index !== null).map((index) => network.rows[index]);
  const head = document.createElement("thead");
  const titles = head.insertRow();
  for (const [title] of columns) titles.append(cell("th", title));
  const body = document.createElement("tbody");
  for (const row of shown) {
    const line = body.insertRow();
    if (!row.fits) line.className = "off";
    for (const [, text] of columns) line.append(cell("td", text(row)));
  }
  table.replaceChildren(head, body);
}
