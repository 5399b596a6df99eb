import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { BuildOptions, Metafile, OutputFile, Plugin } from "esbuild";
import { ONE_FILE } from "./entries.js";
import { PACKAGES } from "./packages.js";
import { blessed, leanYargs } from "./plugins.js";

/** Required at run time when they are installed; never bundled. */
const OUTSIDE = [
  "term.js",
  "pty.js",
  "bufferutil",
  "utf-8-validate",
  "esbuild",
  "fsevents",
  "playwright-core",
  "sharp",
];

/** One call of the bundler: entries that share chunks in one folder. */
export interface Bundle {
  /** Output name without ending -> source file. */
  readonly entries: Readonly<Record<string, string>>;
  readonly outdir: string;
  readonly version: string;
  /** Keep the fault points; only for builds that tests kill. */
  readonly faults: boolean;
  /** Sources made in memory: path -> text. Their imports start at the working directory. */
  readonly made?: ReadonlyMap<string, string>;
}

export interface Bundled {
  /** Source files, relative to the working directory. */
  readonly inputs: readonly string[];
  /** Files that now make up the bundle, relative to the working directory. */
  readonly outputs: readonly string[];
  readonly meta: Metafile;
}

/**
 * Bundle in two passes: split as ES modules, because only those can be split, then turn each chunk into CommonJS, because that starts faster.
 * Chunks are written before entries, each by a rename, so that a program started meanwhile finds a whole set.
 */
export async function bundle(job: Bundle): Promise<Bundled> {
  const { build } = await import("esbuild");
  const { whole, split } = parted(job);
  const passes = [
    await build(toOptions(split)),
    ...(await Promise.all(whole.map(async (one) => await build(oneFile(one, job))))),
  ];
  const files = passes.flatMap(({ outputFiles = [] }) => outputFiles);
  const isEntry = (file: OutputFile) => relative(job.outdir, file.path).replace(/\.cjs$/, "") in job.entries;
  await mkdir(job.outdir, { recursive: true });
  const written: string[] = [];
  for (const file of files.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b))))
    written.push(...(await writeChunk(file)));
  const meta: Metafile = { inputs: {}, outputs: {} };
  for (const { metafile } of passes) {
    Object.assign(meta.inputs, metafile?.inputs);
    Object.assign(meta.outputs, metafile?.outputs);
  }
  const inputs = Object.keys(meta.inputs).filter((path) => existsSync(path));
  return { inputs, outputs: written.map((path) => relative(process.cwd(), path)), meta };
}

/** Entries that share chunks, and those that are one file each. */
function parted(job: Bundle): { readonly whole: readonly Bundle[]; readonly split: Bundle } {
  const entries = Object.entries(job.entries);
  const whole = entries
    .filter(([name]) => ONE_FILE.has(name))
    .map((entry) => ({ ...job, entries: Object.fromEntries([entry]) }));
  return { whole, split: { ...job, entries: Object.fromEntries(entries.filter(([name]) => !ONE_FILE.has(name))) } };
}

/** Other entries, which it loads later, stay files of their own. */
function oneFile(one: Bundle, { entries }: Bundle): BuildOptions {
  const options = toOptions(one);
  const names = new Map(Object.entries(entries).map(([name, source]) => [resolve(source), name]));
  const others: Plugin = {
    name: "others",
    setup: (setup) =>
      setup.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const name = names.get(join(resolveDir, path.replace(/\.js$/, ".ts")));
        return kind === "dynamic-import" && name !== undefined ? { path: `./${name}.cjs`, external: true } : undefined;
      }),
  };
  return { ...options, splitting: false, plugins: [others, ...(options.plugins ?? [])] };
}

/** Those of `sources` that cannot be bundled, with the first reason for each. Slow: only to explain a failure. */
export async function findBroken(sources: readonly string[], version: string): Promise<ReadonlyMap<string, string>> {
  const { build } = await import("esbuild");
  const broken = new Map<string, string>();
  for (const source of sources) {
    const options = toOptions({ entries: { probe: source }, outdir: "dist/.probe", version, faults: false });
    const failure = await build({ ...options, logLevel: "silent" }).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (failure !== undefined) broken.set(source, failure);
  }
  return broken;
}

function toOptions(job: Bundle): BuildOptions {
  const made = job.made ?? new Map<string, string>();
  return {
    entryPoints: Object.entries(job.entries).map(([out, source]) => ({ out, in: source })),
    bundle: true,
    splitting: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    format: "esm",
    platform: "node",
    target: "node20",
    outdir: job.outdir,
    outExtension: { ".js": ".cjs" },
    chunkNames: "[name]-[hash]",
    write: false,
    sourcemap: "inline",
    sourcesContent: false,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    define: {
      "import.meta.url": "__moduleUrl",
      VERSION: JSON.stringify(job.version),
      AGENT_FAULTS: String(job.faults),
    },
    external: [...OUTSIDE, ...Object.keys(PACKAGES.optionalDependencies), "@discordjs/ws"],
    plugins: [
      blessed,
      leanYargs,
      {
        name: "made",
        setup: (setup) => {
          setup.onResolve({ filter: /^made:/ }, ({ path }) => ({
            path: join(process.cwd(), path.slice("made:".length)),
            namespace: "made",
          }));
          setup.onLoad({ filter: /.*/, namespace: "made" }, ({ path }) => ({
            contents: made.get(relative(process.cwd(), path)) ?? "",
            loader: "ts",
            resolveDir: process.cwd(),
          }));
        },
      },
    ],
  };
}

/** A CommonJS package that is imported lazily has only a default export after the first pass; Node gives its members as well. */
const NAMED =
  "{const d=module.exports.default;for(const k of Object.keys(d))" +
  "if(!(k in module.exports))Object.defineProperty(module.exports,k,{enumerable:true,get:()=>d[k]});}\n";

async function writeChunk(file: OutputFile): Promise<string[]> {
  const { transform } = await import("esbuild");
  const { code, map } = await transform(file.text, {
    format: "cjs",
    platform: "node",
    target: "node20",
    supported: { "dynamic-import": false },
    sourcemap: "external",
    sourcesContent: false,
    sourcefile: basename(file.path),
    minifySyntax: true,
    minifyWhitespace: true,
  });
  // A line of its own, which the map skips: everything else is on the line after it.
  const url = code.includes("__moduleUrl")
    ? 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;'
    : "";
  const names = /^export default require_[\w$]+\(\);/m.test(file.text) ? NAMED : "";
  await replaceFile(`${file.path}.map`, map.replace('"mappings": "', '"mappings": ";'));
  const [, hashbang = "", rest = code] = /^(#!.*\n)([\s\S]*)$/.exec(code) ?? [];
  await replaceFile(
    file.path,
    `${hashbang}"use strict";${url}\n${rest}${names}//# sourceMappingURL=${basename(file.path)}.map\n`,
  );
  if (hashbang !== "") await chmod(file.path, 0o755);
  return [file.path, `${file.path}.map`];
}

/** Write by a rename; an equal file is left alone. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const bytes = Buffer.from(content);
  if (existsSync(path) && (await stat(path)).size === bytes.length && (await readFile(path)).equals(bytes)) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, bytes);
  await rename(temporary, path);
}

/** Remove files of earlier bundles. One that is gone already is fine: another build may clean as well. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}
