// Builds lib/holdup/shell/web/assets from src, the same bytes each time: node build.js [FOLDER]
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "../lib/holdup/shell/web/assets");

await mkdir(target, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: ["src/main.js", "src/charts.css", "src/timeline/timeline.js", "src/timeline/timeline.css"],
  entryNames: "[name]",
  outdir: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
const licence = await readFile(join(here, "node_modules/uplot/LICENSE"), "utf8");
await writeFile(
  join(target, "LICENSES.txt"),
  `main.js and charts.css contain uPlot (https://github.com/leeoniya/uPlot):\n\n${licence}`,
);
