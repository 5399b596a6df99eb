import { join } from "node:path";
import { listNow, readNow } from "../../base/fs/files.js";
import type { Config } from "../../contracts/config/config.js";
import { PLUGINS_DISABLED, PLUGINS_ENABLED } from "./keys.js";
import { manifestSchema, type PluginManifest } from "./manifest.js";

/** Where plugins of the user come from. What comes from a project is shown, but its code does not run in the owner. */
export interface PluginRoot {
  readonly dir: string;
  readonly source: "user" | "project";
}

/** A plugin that was found and is enabled. */
export interface FoundPlugin {
  /** Path below the root: `name` or `category/name`. */
  readonly key: string;
  readonly source: "user" | "bundled" | "project";
  readonly manifest: PluginManifest;
  /** Its dashboard directory; undefined when it is part of the program. */
  readonly dir: string | undefined;
}

/** A plugin whose manifest does not hold. */
export interface BrokenPlugin {
  readonly key: string;
  readonly why: string;
}

const MANIFEST_MAX = 64 << 10;
const PLUGINS_MAX = 200;

/** The settings allow it. `bundled` ones need no leave. */
export function isPluginEnabled(config: Config, key: string, bundled = false): boolean {
  if (config.get(PLUGINS_DISABLED).includes(key)) return false;
  return bundled || config.get(PLUGINS_ENABLED).includes(key);
}

/** Enabled plugins with a dashboard below a root. Of those that are not enabled nothing is read. */
export function findPlugins(
  root: PluginRoot,
  config: Config,
): { readonly found: readonly FoundPlugin[]; readonly broken: readonly BrokenPlugin[] } {
  const found: FoundPlugin[] = [];
  const broken: BrokenPlugin[] = [];
  for (const key of keysBelow(root.dir)) {
    if (!isPluginEnabled(config, key) || found.length >= PLUGINS_MAX) continue;
    const dir = join(root.dir, key, "dashboard");
    const bytes = readNow(join(dir, "manifest.json"), MANIFEST_MAX);
    if (bytes === undefined) continue;
    const read = readManifest(bytes);
    if (typeof read === "string") broken.push({ key, why: read });
    else found.push({ key, source: root.source, manifest: read, dir });
  }
  return { found, broken };
}

/** Directories at most two levels down; one that is a plugin has none below it. */
function keysBelow(dir: string): readonly string[] {
  return directories(dir).flatMap((name) =>
    isPlugin(join(dir, name)) ? [name] : directories(join(dir, name)).map((inner) => `${name}/${inner}`),
  );
}

function directories(dir: string): readonly string[] {
  return listNow(dir)
    .filter(({ kind, name }) => kind === "directory" && !name.startsWith("."))
    .map(({ name }) => name)
    .toSorted();
}

function isPlugin(dir: string): boolean {
  const names = new Set(listNow(dir).map(({ name }) => name));
  return names.has("plugin.yaml") || names.has("plugin.yml") || names.has("dashboard");
}

function readManifest(bytes: Buffer): PluginManifest | string {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return "dashboard/manifest.json is no JSON";
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `dashboard/manifest.json: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "malformed"}`;
}
