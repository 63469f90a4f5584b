// The page in a browser: what a user does with it, by mouse and by keys. Arguments: the program, the folder
// with node_modules, the browser, an ONNX file.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

const [program, modules, browserFile, onnxFile] = process.env.LAYERSIM_BROWSER_TEST.split(":");
const { chromium } = createRequire(join(resolve(modules), "package.json"))("playwright-core");

let server;
let address;
let browser;

async function startServer() {
  server = spawn(program, ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const chunk of server.stdout) {
    const found = /http:\/\/[\d.]+:\d+\//.exec(String(chunk));
    if (found) return found[0];
  }
  throw new Error("the server did not start");
}

before(async () => {
  address = await startServer();
  browser = await chromium.launch({ executablePath: browserFile, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"], timeout: 120_000 });
});

after(async () => {
  await browser?.close();
  server?.kill("SIGTERM");
});

async function open(query = "") {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);  // a program with sanitizers is slow
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  await page.goto(address + query);
  return page;
}

// The page updates by itself; a study's title says that it is there.
const studied = (page, name) => page.waitForFunction((text) => document.getElementById("title").textContent.startsWith(text) && document.getElementById("progress").textContent.includes("combinations"), name);
const rows = (page) => page.locator("#rows tbody tr").count();

test("a first visit shows a study with plots, choices and no errors", async () => {
  const page = await open();
  await studied(page, "resnet50");
  assert.equal(await rows(page), 3);
  assert.match(await page.locator("#choices").innerText(), /Fastest: v100-sxm2/);
  assert.equal(await page.locator("#plots canvas").count(), 3);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("changing batches and hardware updates table, address and downloads", async () => {
  const page = await open("?network=vgg11&gpus=k80&batches=8");
  await studied(page, "vgg11");
  await page.getByLabel("Batch sizes").fill("8,16,32,48");
  await page.getByLabel("Batch sizes").press("Tab");
  await page.waitForFunction(() => document.getElementById("progress").textContent.startsWith("4 "));
  await page.getByLabel("every batch size").check();
  assert.equal(await rows(page), 4);
  assert.match(page.url(), /batches=8%2C16%2C32%2C48/);
  for (const [format, part] of [["JSON", '"schema_version"'], ["CSV", "vgg11,"], ["HTML report", "<svg"]]) {
    const link = await page.getByRole("link", { name: format, exact: true }).getAttribute("href");
    const text = await (await page.request.get(new URL(link, address).href)).text();
    assert.ok(text.includes(part), format);
  }
  const again = await open(new URL(page.url()).search);
  await studied(again, "vgg11");
  assert.equal(await again.getByLabel("Batch sizes").inputValue(), "8,16,32,48");
  await again.close();
  await page.close();
});

test("an uploaded network is compared; a broken one is an error, and the page goes on", async () => {
  const page = await open("?network=lenet5&gpus=t4&batches=8");
  await studied(page, "lenet5");
  const folder = await mkdtemp(join(tmpdir(), "layersim-browser-"));
  const broken = join(folder, "broken.onnx");
  await writeFile(broken, "this is no network");
  await page.locator("#upload").setInputFiles(broken);
  await page.waitForFunction(() => !document.getElementById("error").hidden);
  assert.match(await page.locator("#error").innerText(), /broken\.onnx/);
  await page.locator("#upload").setInputFiles(onnxFile);
  await studied(page, onnxFile.split("/").pop());
  assert.equal(await page.locator("#error").isHidden(), true);
  assert.match(await page.locator("#upload-status").innerText(), /is in: \d+ nodes/);
  await page.close();
});

test("a wrong entry says what is wrong", async () => {
  const page = await open("?network=resnet18&gpus=k8000");
  await page.waitForFunction(() => !document.getElementById("error").hidden);
  assert.match(await page.locator("#error").innerText(), /k8000/);
  assert.equal(await page.locator("#study-result").isHidden(), true);
  await page.close();
});

test("all can be done by keys, and what has the focus is seen", async () => {
  const page = await open("?network=lenet5&gpus=t4&batches=8");
  await studied(page, "lenet5");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.name), "network");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("alexnet");
  await page.keyboard.press("Enter");
  await studied(page, "alexnet");
  const reached = new Set();
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press("Tab");
    const seen = await page.evaluate(() => {
      const element = document.activeElement;
      return { name: element.name || element.id || element.tagName, outline: getComputedStyle(element).outlineStyle };
    });
    if (seen.name !== "BODY") assert.notEqual(seen.outline, "none", `${seen.name} shows its focus`);
    reached.add(seen.name);
  }
  for (const name of ["upload", "gpus", "batches", "epochs", "mode", "link", "csv", "all-rows"]) assert.ok(reached.has(name), name);
  await page.close();
});

test("every control has a name, and text has a contrast of 4.5 or more", async () => {
  const page = await open("?network=resnet18&gpus=k8000");
  await page.waitForFunction(() => !document.getElementById("error").hidden);
  const found = await page.evaluate(() => {
    const unnamed = [...document.querySelectorAll("input, select, button")].filter((element) => !(element.labels?.length || element.textContent.trim() || element.getAttribute("aria-label"))).map((element) => element.outerHTML);
    const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
    const numbers = (text) => text.match(/[\d.]+/g).map(Number);
    const ground = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = numbers(getComputedStyle(at).backgroundColor);
        if (colour.length < 4 || colour[3] > 0) return colour;
      }
      return [255, 255, 255];
    };
    const faint = [];
    for (const element of document.querySelectorAll("body *")) {
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
      if (!own || element.offsetParent === null) continue;
      const [light, dark] = [luminance(numbers(getComputedStyle(element).color)), luminance(ground(element))].sort((a, b) => b - a);
      const contrast = (light + 0.05) / (dark + 0.05);
      if (contrast < 4.5) faint.push(`${element.tagName} ${contrast.toFixed(2)}`);
    }
    return { unnamed, faint };
  });
  assert.deepEqual(found, { unnamed: [], faint: [] });
  await page.close();
});

test("the page asks no other server", async () => {
  const page = await browser.newPage();
  const others = [];
  page.on("request", (request) => request.url().startsWith(address) || others.push(request.url()));
  await page.goto(address);
  await studied(page, "resnet50");
  assert.deepEqual(others.filter((url) => !url.startsWith("data:")), []);
  await page.close();
});
