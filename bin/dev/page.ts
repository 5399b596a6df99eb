import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Bundled, replaceFile } from "./bundle.js";

const SOURCE = "lib/dashboard/page";

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
  const html = join(SOURCE, "index.html");
  await replaceFile(join(outdir, "page/index.html"), await readFile(html));
  return { inputs: [...Object.keys(pass.metafile.inputs), html], outputs: [...written, join(outdir, "page/index.html")] };
}
