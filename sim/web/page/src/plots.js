// Pictures of a study: time, cost and memory against the batch, a line for each choice.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { short } from "./text.js";

// Okabe and Ito's colours, told apart by colour-blind readers too, and dashes where they repeat.
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"];
const dashes = [[], [8, 4], [2, 4]];
const mostLines = colours.length * dashes.length;

const pictures = [
  ["time", "Hours of an epoch", (row) => row.epoch_s / 3600],
  ["cost", "Cost of the whole run in USD", (row) => row.cost_usd],
  ["memory", "Memory in GiB", (row) => row.memory_mib / 1024],
];

let drawn = [];

function lines(network, choices, value) {
  const batches = [...new Set(network.rows.map((row) => row.batch))].sort((a, b) => a - b);
  const place = new Map(batches.map((batch, index) => [batch, index]));
  const series = choices.map((choice) => ({ name: choice.name, values: batches.map(() => null) }));
  for (const row of network.rows) {
    const line = series.find(({ name }) => name === row.choice);
    if (line && row.fits) line.values[place.get(row.batch)] = value(row);
  }
  return { batches, series: series.filter(({ values }) => values.some((number) => number !== null)).slice(0, mostLines) };
}

function draw(figure, { batches, series }) {
  const axis = { stroke: "#1c2127", grid: { stroke: "#dfe3e8" } };
  const plot = new uPlot(
    {
      width: Math.max(figure.clientWidth, 280),
      height: 280,
      scales: { x: { time: false, distr: 3, log: 2 }, y: { range: (_, __, high) => [0, high * 1.05] } },
      axes: [
        { ...axis, label: "batch", splits: () => batches, values: (_, splits) => splits.map(String) },
        { ...axis, size: 60, values: (_, splits) => splits.map(short) },
      ],
      series: [
        { label: "batch" },
        ...series.map(({ name }, index) => ({
          label: name,
          stroke: colours[index % colours.length],
          dash: dashes[Math.floor(index / colours.length)],
          width: 2,
          points: { show: true, size: 6 },
          value: (_, number) => short(number),
        })),
      ],
    },
    [batches, ...series.map(({ values }) => values)],
    figure,
  );
  drawn.push({ plot, figure });
}

export function drawPlots(place, network, choices) {
  for (const { plot } of drawn) plot.destroy();
  drawn = [];
  place.replaceChildren();
  // All figures first: how wide each may be depends on how many there are.
  const figures = [];
  for (const [name, caption, value] of pictures) {
    const data = lines(network, choices, value);
    if (data.series.length === 0) continue;
    const figure = document.createElement("figure");
    figure.id = `plot-${name}`;
    const title = document.createElement("figcaption");
    title.textContent = caption;
    figure.append(title);
    place.append(figure);
    figures.push([figure, data]);
  }
  for (const [figure, data] of figures) draw(figure, data);
}

addEventListener("resize", () => {
  for (const { plot, figure } of drawn) plot.setSize({ width: Math.max(figure.clientWidth, 280), height: 280 });
});
