// The page: a form that describes a study, and what comes out of it.

import { get, upload, url } from "./api.js";
import { drawPlots } from "./plots.js";
import { fillForm, parametersOf, studyOfAddress, studyOfForm } from "./state.js";
import { fillTable } from "./table.js";
import { dollars, duration, short } from "./text.js";
import "./page.css";

const byId = (id) => document.getElementById(id);
const form = byId("study");
let result = null;
let underWay = null;

function list(place, lines) {
  place.replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
}

function showError(message) {
  byId("error").textContent = message;
  byId("error").hidden = message === "";
}

function choiceText(label, row) {
  return `${label}: ${row.choice} at batch ${row.batch}, ${duration(row.total_s)}${row.cost_usd === null ? "" : `, ${dollars(row.cost_usd)}`}`;
}

function show(study) {
  const network = result.networks[0];
  byId("title").textContent = `${network.network}: ${short(network.params / 1e6)} million parameters, ${result.mode}`;
  const lines = [];
  if (network.fastest !== null) lines.push(choiceText("Fastest", network.rows[network.fastest]));
  if (network.cheapest !== null) lines.push(choiceText("Cheapest", network.rows[network.cheapest]));
  if (lines.length === 0) lines.push("Nothing that was asked for fits the memory.");
  list(byId("choices"), lines);
  list(byId("warnings"), network.warnings);
  const parameters = parametersOf(study);
  byId("link").href = `?${new URLSearchParams(parameters)}`;
  for (const format of ["json", "csv", "html"]) byId(format).href = url("compare", { ...parameters, format });
  byId("study-result").hidden = false;
  drawPlots(byId("plots"), network, result.choices);
  fillTable(byId("rows"), network, byId("all-rows").checked);
}

async function compare() {
  const study = studyOfForm(form);
  history.replaceState(null, "", `?${new URLSearchParams(parametersOf(study))}`);
  underWay?.abort();
  underWay = new AbortController();
  const { signal } = underWay;
  showError("");
  byId("progress").textContent = "Comparing …";
  try {
    result = await get("compare", parametersOf(study), signal);
    show(study);
    byId("progress").textContent = `${result.networks[0].rows.length} combinations of hardware and batch size`;
  } catch (error) {
    if (signal.aborted) return;
    byId("progress").textContent = "";
    byId("study-result").hidden = true;
    showError(error.message);
  }
}

async function takeUpload() {
  const [file] = byId("upload").files;
  if (!file) return;
  showError("");
  byId("upload-status").textContent = `Sending ${file.name} …`;
  try {
    const answer = await upload(file);
    byId("upload-status").textContent = `${answer.name} is in: ${answer.nodes} nodes, ${answer.inputs.length} inputs`;
    form.elements.network.value = answer.id;
    await compare();
  } catch (error) {
    byId("upload-status").textContent = "";
    showError(error.message);
  }
}

function tickGpus() {
  const named = form.elements.gpus.value.split(",").map((name) => name.trim());
  for (const box of byId("gpu-list").querySelectorAll("input")) box.checked = named.includes(box.value);
}

function takeTicks() {
  const ticked = [...byId("gpu-list").querySelectorAll("input:checked")].map((box) => box.value);
  form.elements.gpus.value = ticked.join(",");
}

async function fillLists() {
  const [networks, gpus] = await Promise.all([get("networks"), get("gpus")]);
  for (const { name, summary } of networks.networks) {
    const option = document.createElement("option");
    option.value = name;
    option.label = summary;
    byId("networks").append(option);
  }
  for (const gpu of gpus.gpus.filter(({ type }) => type === "gpu")) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = gpu.key;
    label.append(box, ` ${gpu.name} (${gpu.key}, ${short(gpu.memory_gib)} GiB)`);
    byId("gpu-list").append(label);
  }
  tickGpus();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  compare();
});
form.addEventListener("change", (event) => {
  if (event.target === byId("upload")) {
    takeUpload();
    return;
  }
  if (byId("gpu-list").contains(event.target)) takeTicks();
  tickGpus();
  if (form.reportValidity()) compare();
});
byId("all-rows").addEventListener("change", () => fillTable(byId("rows"), result.networks[0], byId("all-rows").checked));

fillForm(form, studyOfAddress(location.href));
fillLists().catch((error) => showError(error.message));
compare();
