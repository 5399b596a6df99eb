import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { replaceFile } from "./bundle.js";
import { COMMANDS, PROVIDERS, type Registry, TOOLS } from "./registries.js";
import { sourceFiles } from "./sources.js";
import { thinSet } from "./thin-set.js";
import { topicTables } from "./topics.js";

const REGISTRIES: readonly Registry[] = [COMMANDS, TOOLS, PROVIDERS];

/** `index` writes the generated tables; `index --check` prints those that are stale and fails. */
export async function main(args: readonly string[]): Promise<number> {
  const stale = await staleTables();
  if (args.includes("--check")) {
    for (const path of stale.keys()) process.stdout.write(`${path}: stale, run make index\n`);
    return stale.size === 0 ? 0 : 1;
  }
  for (const [path, text] of stale) {
    await replaceFile(path, text);
    process.stdout.write(`wrote ${path}\n`);
  }
  return 0;
}

/** Generated files that are not as they should be: path -> right text. */
export async function staleTables(): Promise<ReadonlyMap<string, string>> {
  const wanted = await allTables();
  return new Map([...wanted].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text));
}

async function allTables(): Promise<ReadonlyMap<string, string>> {
  const files = REGISTRIES.map((registry) => ({ registry, files: definitionFiles(registry.folder) }));
  const loaded = await loadDefinitions(files.flatMap((group) => group.files));
  const tables = new Map<string, string>();
  for (const group of files) {
    const found = group.files.map((file) => ({ file, definition: loaded.get(file) }));
    tables.set(join(group.registry.folder, "index.gen.ts"), group.registry.render(found));
    if (group.registry === COMMANDS) tables.set("bin/thin-set.gen.ts", thinSet(found));
  }
  for (const [path, text] of await topicTables(loaded)) tables.set(path, text);
  return tables;
}

/** Files whose default export is made by a `define…` function. */
function definitionFiles(folder: string): string[] {
  return sourceFiles(folder).filter(
    (path) => !path.endsWith(".test.ts") && /^export default define[A-Z]/m.test(readFileSync(path, "utf8")),
  );
}

/** Evaluate the definitions in this process: bundled together, so that they share one zod with nobody else. */
async function loadDefinitions(files: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
  if (files.length === 0) return new Map();
  const { build } = await import("esbuild");
  const outfile = "dist/.dev/definitions.cjs";
  const lines = files.map((file, at) => `import d${at} from ${JSON.stringify(`./${file}`)};`);
  const pairs = files.map((file, at) => `[${JSON.stringify(file)}, d${at}]`);
  const contents = `${lines.join("\n")}\nimport * as z from "zod";\nexport const schema = z.toJSONSchema;\nexport const all = [${pairs.join(", ")}];`;
  await mkdir("dist/.dev", { recursive: true });
  await build({
    stdin: { contents, resolveDir: process.cwd(), loader: "ts" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    packages: "external",
    outfile,
    logLevel: "warning",
    define: { "import.meta.url": "__filename", VERSION: '"0"', AGENT_FAULTS: "false" },
  });
  const { all } = await import(`${pathToFileURL(outfile).href}?${performance.now()}`);
  return new Map(all);
}
