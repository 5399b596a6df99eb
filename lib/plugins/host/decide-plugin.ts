import type { Config } from "../../contracts/config/config.js";
import { digestPlugin, type PluginDigest } from "../find/digest.js";
import { type Decision, decide } from "../find/enablement.js";
import type { PluginManifest } from "../find/manifest.js";
import type { LoadingMarks, RecordsFile } from "../find/records.js";
import type { FoundPlugin } from "../find/scan.js";
import { messageOf } from "./within.js";

/** Whether a plugin is loaded, and why not. `digest`: the bytes that a person has allowed. */
export type LoadDecision =
  | (Decision & { readonly load: false })
  | { readonly load: true; readonly manifest: PluginManifest; readonly digest?: PluginDigest };

export interface LoadDecisionDeps {
  readonly config: Pick<Config, "get" | "raw">;
  readonly env: () => Readonly<Record<string, string | undefined>>;
  readonly records: RecordsFile;
  /** Safe mode: nothing loads. */
  readonly safe: boolean;
  /** Absent: another process of the home keeps them. */
  readonly marks?: LoadingMarks | undefined;
  /** Whether a process is still there: one that ended while it loaded a plugin hung there. */
  readonly lives: (pid: number) => boolean;
}

/** Decide by the settings, by whether it hung before, and for a project's plugin by the bytes that were allowed. */
export function decidePlugin(plugin: FoundPlugin, deps: LoadDecisionDeps): LoadDecision {
  const decision = decide(plugin, { config: deps.config, env: deps.env(), safe: deps.safe });
  if (!decision.load) return decision;
  const { key } = plugin;
  if (deps.marks?.hung(key, deps.lives) === true) {
    const error = `the program ended while it loaded ${key}; agent plugins enable ${key} tries again`;
    return { load: false, state: "error", error, skip: "it did not finish loading" };
  }
  if (plugin.source !== "project") return decision;
  const digest = digestOrProblem(plugin.dir);
  if (typeof digest === "string") return { load: false, state: "error", error: digest, skip: digest };
  const allowed = deps.records.read().consents[plugin.dir];
  if (allowed === digest.digest) return { ...decision, digest };
  const error =
    allowed === undefined
      ? `its files have not been allowed; agent plugins enable ${key} shows them`
      : `its files have changed since they were allowed; agent plugins enable ${key} shows them`;
  return { load: false, state: "needs consent", error, skip: "no consent" };
}

function digestOrProblem(dir: string): PluginDigest | string {
  try {
    return digestPlugin(dir);
  } catch (error) {
    return messageOf(error);
  }
}
