import { join } from "node:path";
import { readRegularFileSync, realPath } from "../../base/fs/files.js";
import { readDirentsSync } from "../../base/fs/tree-read.js";
import type { PluginSource } from "../../contracts/plugins/plugins.js";
import { isBelow } from "../../safety/paths/paths.js";
import type { PluginDebug } from "./debug.js";
import { type PluginManifest, readFields, readManifest } from "./manifest.js";

/** A directory that plugins are looked for in. Of two plugins with one key the later root's stands. */
export interface PluginRoot {
  readonly dir: string;
  readonly source: PluginSource;
}

/** A directory with a manifest, whether that holds or not. */
export interface FoundPlugin {
  readonly key: string;
  readonly source: PluginSource;
  /** Real path. */
  readonly dir: string;
  readonly manifest: PluginManifest | undefined;
  /** What is wrong with the manifest. */
  readonly problem: string | undefined;
  /** It guards tool calls, as far as its manifest can be read. */
  readonly policy: boolean;
}

const MOST = 200;
const PACKAGE_BYTES = 256 << 10;

/** Every plugin below the roots, in their order. Manifests are read, and nothing is imported. */
export async function scanPlugins(roots: readonly PluginRoot[], debug: PluginDebug): Promise<readonly FoundPlugin[]> {
  const found: FoundPlugin[] = [];
  for (const root of roots) {
    debug("INFO", `scanning ${root.dir} (${root.source})`);
    const real = await realPath(root.dir);
    if (real === undefined) continue;
    const below =
      root.source === "package" ? await scanPackages(real, debug) : await scanTree({ ...root, dir: real }, debug);
    found.push(...below.slice(0, MOST));
  }
  return found;
}

/** Names of commands `agent <name>` that manifests announce, whether or not their plugins are enabled. Nothing is loaded for it. */
export async function pluginCliNames(roots: readonly PluginRoot[]): Promise<readonly string[]> {
  const found = await scanPlugins(roots, () => undefined);
  return found.flatMap(({ manifest }) => manifest?.providesCli ?? []);
}

/** Directories at most two levels down; a plugin does not have further ones below it. */
async function scanTree({ dir, source }: PluginRoot, debug: PluginDebug): Promise<readonly FoundPlugin[]> {
  const found: FoundPlugin[] = [];
  for (const name of await directoriesOf(dir, dir, debug)) {
    const one = await pluginAt(join(dir, name), name, source, debug);
    if (one !== undefined) {
      found.push(one);
      continue;
    }
    const inner = await directoriesOf(join(dir, name), dir, debug);
    if (inner.length === 0) debug("INFO", `skipped ${name}: no manifest`);
    for (const second of inner) {
      const key = `${name}/${second}`;
      const below = await pluginAt(join(dir, name, second), key, source, debug);
      if (below === undefined) debug("INFO", `skipped ${key}: no manifest`);
      else found.push(below);
    }
  }
  return found;
}

async function pluginAt(
  path: string,
  key: string,
  source: PluginSource,
  debug: PluginDebug,
): Promise<FoundPlugin | undefined> {
  const dir = await realPath(path);
  const read = dir === undefined ? undefined : await readManifest(dir);
  if (dir === undefined || read === undefined) return undefined;
  if (!read.ok) {
    debug("WARNING", `skipped ${key}: bad yaml: ${read.why}`);
    return { key, source, dir, manifest: undefined, problem: read.why, policy: read.policy };
  }
  for (const warning of read.manifest.warnings) debug("WARNING", `${key}: ${warning}`);
  debug("INFO", `parsed the manifest of ${key} ${read.manifest.version}`);
  return { key, source, dir, manifest: read.manifest, problem: undefined, policy: read.manifest.policy };
}

/** Names of directories, sorted. A link that leads out of the root is passed over, and so is what begins with a dot. */
async function directoriesOf(dir: string, root: string, debug: PluginDebug): Promise<readonly string[]> {
  const names: string[] = [];
  for (const entry of readDirentsSync(dir) ?? []) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (entry.isDirectory()) names.push(entry.name);
    if (!entry.isSymbolicLink()) continue;
    const target = await realPath(join(dir, entry.name));
    if (target !== undefined && isBelow(target, root)) names.push(entry.name);
    else debug("WARNING", `skipped ${join(dir, entry.name)}: a symbolic link that leaves ${root}`);
  }
  return names.toSorted((a, b) => (a < b ? -1 : 1));
}

/** Packages whose `package.json` has `agentPlugin`: the fields of a manifest, or true when they are in plugin.yaml. */
async function scanPackages(dir: string, debug: PluginDebug): Promise<readonly FoundPlugin[]> {
  const found: FoundPlugin[] = [];
  for (const name of await directoriesOf(dir, dir, debug)) {
    const inner = name.startsWith("@")
      ? (await directoriesOf(join(dir, name), dir, debug)).map((one) => `${name}/${one}`)
      : [name];
    for (const key of inner) {
      const one = await packageAt(join(dir, key), key, debug);
      if (one !== undefined) found.push(one);
    }
  }
  return found;
}

async function packageAt(path: string, key: string, debug: PluginDebug): Promise<FoundPlugin | undefined> {
  const facts = readJson(join(path, "package.json"));
  const field: unknown = facts === undefined ? undefined : Reflect.get(facts, "agentPlugin");
  if (facts === undefined || field === undefined || field === false) return undefined;
  if (field === true) return await pluginAt(path, key, "package", debug);
  const dir = await realPath(path);
  if (dir === undefined) return undefined;
  const defaults = {
    name: key,
    version: Reflect.get(facts, "version"),
    description: Reflect.get(facts, "description"),
    main: mainOf(facts),
  };
  const read = readFields(typeof field === "object" && field !== null ? { ...defaults, ...field } : field);
  if (read.ok) {
    debug("INFO", `parsed the manifest of the package ${key}`);
    return { key, source: "package", dir, manifest: read.manifest, problem: undefined, policy: read.manifest.policy };
  }
  const why = `package.json: agentPlugin: ${read.why}`;
  debug("WARNING", `skipped ${key}: ${why}`);
  return { key, source: "package", dir, manifest: undefined, problem: why, policy: false };
}

const mainOf = (facts: object): unknown => {
  const main: unknown = Reflect.get(facts, "main");
  return typeof main === "string" ? main.replace(/^\.\//, "") : undefined;
};

function readJson(path: string): object | undefined {
  const bytes = readRegularFileSync(path, PACKAGE_BYTES);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; /* ok to lose: a package that npm cannot read either is not a plugin */
  }
}
