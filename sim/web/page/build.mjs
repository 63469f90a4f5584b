// Bundles the page into the folder that is named: index.html, page.js, page.css.
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const target = process.argv[2];
if (!target) {
  console.error("usage: node build.mjs FOLDER");
  process.exit(2);
}
await mkdir(target, { recursive: true });
await build({
  entryPoints: { page: "src/main.js" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2020",
  outdir: target,
  logLevel: "warning",
});
await copyFile("index.html", join(target, "index.html"));
