import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Bundled, replaceFile } from "./bundle.js";

const SOURCE = "lib/dashboard/page";

/** What lies beside the script and the sheet as it is. */
const COPIED = ["index.html", "icon.svg"];

/** Build the dashboard's page into `outdir`/page: one script, one sheet, nothing from outside. */
export async function buildPage(outdir: string): Promise<Pick<Bundled, "inputs" | "outputs">> {
  const { build } = await import("esbuild");
  const pass = await build({
    entryPoints: [{ in: join(SOURCE, "main.tsx"), out: "app" }],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    outdir: join(outdir, "page"),
    minify: true,
    legalComments: "none",
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  const written: string[] = [];
  for (const { path, contents } of pass.outputFiles) {
    await replaceFile(path, contents);
    written.push(relative(process.cwd(), path));
  }
  const copied = await Promise.all(COPIED.map((name) => copy(name, outdir)));
  return {
    inputs: [...Object.keys(pass.metafile.inputs), ...copied.map(({ from }) => from)],
    outputs: [...written, ...copied.map(({ to }) => to)],
  };
}

async function copy(name: string, outdir: string): Promise<{ readonly from: string; readonly to: string }> {
  const from = join(SOURCE, name);
  const to = join(outdir, "page", name);
  await replaceFile(to, await readFile(from));
  return { from, to };
}
