import { readFileSync } from "node:fs";
import { mkdir, unlink } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ConfigKey } from "../../lib/contracts/config/config.js";
import { sourceFiles } from "./sources.js";

/** Source file -> what it exports. */
export type Modules = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

let loads = 0;

/** Evaluate source files in this process, bundled together. One that does not compile fails them all, by its own name. */
export async function loadModules(files: readonly string[]): Promise<Modules> {
  if (files.length === 0) return new Map();
  const { build } = await import("esbuild");
  loads += 1; // a module is evaluated once by its name
  const outfile = resolve(`dist/.dev/modules-${process.pid}-${loads}.cjs`);
  const lines = files.map((file, at) => `import * as m${at} from ${JSON.stringify(`./${file}`)};`);
  const pairs = files.map((file, at) => `[${JSON.stringify(file)}, m${at}]`);
  await mkdir("dist/.dev", { recursive: true });
  await build({
    stdin: {
      contents: `${lines.join("\n")}\nexport const all = [${pairs.join(", ")}];`,
      resolveDir: process.cwd(),
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    packages: "external",
    outfile,
    logLevel: "warning",
    define: { "import.meta.url": "__filename", VERSION: '"0"', AGENT_FAULTS: "false" },
  });
  try {
    const { all } = await import(pathToFileURL(outfile).href);
    return new Map(all);
  } finally {
    await unlink(outfile);
  }
}

/** Files of `folder` (all layers for `.`) whose text matches. */
export function filesWith(folder: string, pattern: RegExp): string[] {
  return sourceFiles(folder).filter(
    (path) => !path.endsWith(".test.ts") && !path.startsWith("bin/dev/") && pattern.test(readFileSync(path, "utf8")),
  );
}

/** Files that declare configuration keys. */
export const KEY_FILES = /\bconfigKey[<(]/;

/** Every configuration key that the loaded modules export, alone or in a list, by its dotted path. */
export function keysOf(modules: Modules): ConfigKey<unknown>[] {
  const values = [...modules.values()].flatMap((module) => Object.values(module));
  const inside = values.flatMap((value) =>
    typeof value === "object" && value !== null && !isConfigKey(value) ? Object.values(value) : [value],
  );
  const keys = new Map(inside.filter(isConfigKey).map((key) => [key.key, key]));
  return [...keys.values()].toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
}

/** Made by `configKey`. */
export function isConfigKey(value: unknown): value is ConfigKey<unknown> {
  return typeof value === "object" && value !== null && "key" in value && "help" in value && "kind" in value;
}
