import { basename, dirname, join } from "node:path";
import { AppError } from "../base/errors.js";
import type { ChangeKind, SkippedPath } from "../contracts/owner/checkpoints.js";
import { guardPlace, isWithin, type PathScope, userHomeOf } from "../safety/paths/paths.js";
import { type IgnoreRules, isIgnored, parseIgnore } from "../tools/file/ignore.js";
import { outerRules } from "../tools/file/walk.js";
import type { Captured } from "./capture.js";
import { isLeftOut, isVersionControl } from "./excluded.js";
import { contentOf, type Manifest, type ManifestEntry, namedPaths, sameState } from "./manifest.js";
import type { CheckpointParts } from "./parts.js";
import type { CheckpointHeader } from "./records.js";
import { isLeftByAgent } from "./residue.js";
import { slices } from "./slices.js";
import type { Project } from "./store.js";

/** One path that is not as it was. `was` undefined: nothing was there. */
export interface RestoreStep {
  readonly path: string;
  readonly now: ManifestEntry | undefined;
  readonly was: ManifestEntry | undefined;
}

export interface RestorePlan {
  readonly steps: readonly RestoreStep[];
  /** Steps whose path was last changed by others. */
  readonly outside: readonly RestoreStep[];
  readonly skipped: readonly SkippedPath[];
}

export interface RestoreTarget {
  readonly project: Project;
  readonly header: CheckpointHeader;
  /** Everything that is known of the directory at that time. */
  readonly state: Manifest;
  /** Rules left this path out at that time, so that its absence says nothing. */
  readonly leftOut: (path: string) => boolean;
}

/** A checkpoint with what later ones tell about it: a path that was first named later was at that time as it was found. */
export async function readRestoreTarget(
  parts: CheckpointParts,
  project: Project,
  header: CheckpointHeader,
): Promise<RestoreTarget> {
  const own = await parts.store.manifest(project, header);
  const state = new Map(own);
  const rules = await rulesThen(parts, project, own);
  const leftOut = (path: string) => header.partial !== undefined || isOut(rules, path);
  for (const later of project.headers.filter((one) => one.seq > header.seq)) {
    const manifest = await parts.store.manifest(project, later);
    for (const path of namedPaths(manifest)) {
      const entry = manifest.get(path);
      if (entry !== undefined && !state.has(path) && leftOut(path)) state.set(path, entry);
    }
  }
  return { project, header, state, leftOut };
}

async function rulesThen(
  parts: CheckpointParts,
  project: Project,
  manifest: Manifest,
): Promise<readonly IgnoreRules[]> {
  const files = [...manifest].flatMap(([path, entry]) =>
    entry.kind === "file" && basename(path) === ".gitignore" ? [[path, entry.hash] as const] : [],
  );
  const inner: IgnoreRules[] = [];
  for (const [path, hash] of files.sort(([a], [b]) => a.split("/").length - b.split("/").length)) {
    const base = dirname(path) === "." ? "" : `${dirname(path)}/`;
    const rules = parseIgnore((await parts.store.contents.read(hash)).toString("utf8"), base);
    if (rules !== undefined) inner.push(rules);
  }
  return [...outerRules(project.record.directory, userHomeOf(parts.deps.env)), ...inner];
}

/** The path itself, or a directory above it. */
function isOut(rules: readonly IgnoreRules[], path: string): boolean {
  const parts = path.split("/");
  return parts.some((name, at) => {
    const directory = at < parts.length - 1;
    return isLeftOut(name, directory) || isIgnored(rules, parts.slice(0, at + 1).join("/"), name, directory);
  });
}

export interface PlanOptions {
  /** Only this path, or what is below it. */
  readonly file?: string | undefined;
  /** Only what this lineage left counts as the agent's. */
  readonly lineage?: string | undefined;
}

/** What has to be done so that the directory is as it was. */
export async function planRollback(
  parts: CheckpointParts,
  target: RestoreTarget,
  now: Captured,
  options: PlanOptions,
): Promise<RestorePlan> {
  const scope = scopeOf(parts, target.project.record.directory);
  const left = parts.store.left(target.project);
  const plan = { steps: [] as RestoreStep[], outside: [] as RestoreStep[], skipped: [...unseen(target, now)] };
  const pause = slices(parts.deps.clock);
  for (const step of stepsOf(target, now)) {
    await pause();
    if (options.file !== undefined && !isWithin(step.path, options.file)) continue;
    const why = obstacle(step, target, now.manifest, scope);
    if (why !== undefined) {
      if (why !== "") plan.skipped.push({ path: step.path, why });
    } else if (isLeftByAgent(left, step.path, step.now, options.lineage)) plan.steps.push(step);
    else plan.outside.push(step);
  }
  return plan;
}

/** In a directory that is not looked through, what was made since is not known. */
function unseen({ header }: RestoreTarget, { partial }: Captured): readonly SkippedPath[] {
  if (partial === undefined || header.partial !== undefined) return [];
  return [{ path: ".", why: "the directory has become too large; newer files are kept" }];
}

function stepsOf({ state }: RestoreTarget, { manifest, partial }: Captured): readonly RestoreStep[] {
  const paths = new Set(state.keys());
  if (partial === undefined) for (const path of manifest.keys()) paths.add(path);
  return [...paths]
    .map((path) => ({ path, now: nothing(manifest.get(path)), was: nothing(state.get(path)) }))
    .filter(({ now, was }) => !sameState(now, was))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

const nothing = (entry: ManifestEntry | undefined): ManifestEntry | undefined =>
  entry?.kind === "absent" ? undefined : entry;

/** Why a path stays as it is; empty: not worth a notice. Undefined: it can be changed. */
function obstacle(
  { path, now, was }: RestoreStep,
  target: RestoreTarget,
  manifest: Manifest,
  scope: PathScope,
): string | undefined {
  if (isVersionControl(path)) return "";
  if (was?.kind === "skipped") return now?.kind === "skipped" ? "" : `not in the checkpoint: ${was.why}`;
  if (now?.kind === "skipped") return `its current state cannot be saved: ${now.why}`;
  if (was === undefined && !target.state.has(path) && target.leftOut(path)) return "";
  if (isBelowSkipped(path, target.state) || isBelowSkipped(path, manifest)) return "its directory cannot be read";
  const guarded = guardPlace(join(scope.project, path), scope);
  return guarded.ok ? undefined : guarded.why;
}

function isBelowSkipped(path: string, manifest: Manifest): boolean {
  for (let at = dirname(path); at !== "."; at = dirname(at)) if (manifest.get(at)?.kind === "skipped") return true;
  return false;
}

function scopeOf({ deps }: CheckpointParts, directory: string): PathScope {
  return { home: deps.home, userHome: userHomeOf(deps.env), project: directory, env: deps.env };
}

/** A file as people name it: relative and inside. @throws E_INVALID */
export function relativeFile(file: string): string {
  const parts = file
    .replace(/\/+$/, "")
    .split("/")
    .filter((part) => part !== ".");
  if (file.startsWith("/") || parts.includes("..") || parts.includes("") || parts.length === 0 || file.includes("\0"))
    throw new AppError("E_INVALID", `${file} is not a path inside the directory`, {
      hint: "use a path relative to the directory, without ..",
    });
  return parts.join("/");
}

export function classifyStep({ now, was }: RestoreStep): ChangeKind {
  if (now === undefined) return "create";
  if (was === undefined) return "remove";
  return contentOf(now) === contentOf(was) ? "mode" : "change";
}

export const toStepKind = ({ now, was }: RestoreStep): "file" | "link" | "directory" => {
  const kind = (was ?? now)?.kind;
  return kind === "link" || kind === "directory" ? kind : "file";
};
