import { join } from "node:path";
import { readAtMostSync } from "../../base/fs/files.js";
import type { Config } from "../../contracts/config/config.js";
import { PLUGINS_DISABLED, PLUGINS_ENABLED } from "../../contracts/plugins/plugin-keys.js";
import type { PluginDirectory } from "../../contracts/plugins/plugins.js";
import { type DashboardManifest, manifestSchema } from "./manifest.js";

/** A plugin that was found and is enabled. */
export interface DashboardPlugin {
  /** Path below the root: `name` or `category/name`. */
  readonly key: string;
  readonly source: "user" | "bundled" | "project";
  readonly manifest: DashboardManifest;
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

/** The dashboard parts of enabled plugins; those without one are passed over. */
export function findPlugins(directories: readonly PluginDirectory[]): {
  readonly found: readonly DashboardPlugin[];
  readonly broken: readonly BrokenPlugin[];
} {
  const found: DashboardPlugin[] = [];
  const broken: BrokenPlugin[] = [];
  for (const { key, source, dir } of directories.slice(0, PLUGINS_MAX)) {
    const inner = join(dir, "dashboard");
    const bytes = readAtMostSync(join(inner, "manifest.json"), MANIFEST_MAX);
    if (bytes === undefined) continue;
    const read = readManifest(bytes);
    if (typeof read === "string") broken.push({ key, why: read });
    else found.push({ key, source: source === "package" ? "user" : source, manifest: read, dir: inner });
  }
  return { found, broken };
}

function readManifest(bytes: Buffer): DashboardManifest | string {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return "dashboard/manifest.json is not JSON";
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `dashboard/manifest.json: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "malformed"}`;
}
