import { isWithin } from "../paths/paths.js";
import { findCacheVariables } from "./caches.js";
import { DROPPED_VARIABLES, TEMPORARY } from "./lists.js";
import { readPathKind } from "./repository.js";
import type { CagePlan } from "./types.js";

/** What stands in for what is hidden: an empty directory and an empty file; and a program that refuses for those that may not be started. */
export interface Empties {
  readonly dir: string;
  readonly file: string;
  readonly refusal: string;
}

type Mount = readonly [path: string, how: "write" | "read" | "hide" | "mask"];

/** Rights over files and ports that builds of root use; none of them reaches past a read-only mount. */
const ROOT_KEEPS = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_NET_BIND_SERVICE"] as const;

/** Order of mounts on one path: the last one counts. */
const RANK = { write: 0, read: 1, hide: 2, mask: 3 } as const;

/**
 * Options of bubblewrap for a plan. A deeper mount comes after the one that it lies in, so that a workspace is seen in a hidden home and a
 * secret is hidden in a writable project.
 */
export function cageArguments(plan: CagePlan, empties: Empties): readonly string[] {
  const private_ = TEMPORARY.filter((dir) => readPathKind(dir) === "directory");
  const mounts = mountsOf(plan);
  const closed: string[] = [];
  const args = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
  for (const dir of private_) args.push("--bind", plan.tmp, dir);
  for (const [path, how] of mounts) {
    if (how === "write") args.push("--bind", path, path);
    else if (how === "read") args.push("--ro-bind-try", path, path);
    else if (how === "mask") args.push("--ro-bind", empties.refusal, path);
    else if (readPathKind(path) !== "directory") args.push("--ro-bind", empties.file, path);
    else if (mounts.some(([other]) => other !== path && isWithin(other, path))) {
      args.push("--tmpfs", path);
      closed.push(path);
    } else args.push("--ro-bind", empties.dir, path);
  }
  for (const path of closed) args.push("--remount-ro", path);
  args.push("--unshare-ipc", "--unshare-pid", "--die-with-parent", "--cap-drop", "ALL");
  if (process.getuid?.() === 0) args.push(...ROOT_KEEPS.flatMap((name) => ["--cap-add", name]));
  if (plan.network === "none") args.push("--unshare-net");
  return args;
}

function mountsOf(plan: CagePlan): readonly Mount[] {
  const seen = [...plan.writable, ...plan.shown];
  // The real temporary directories are not there: what is hidden in them needs no mount unless it lies in something that is shown.
  const needed = (path: string) =>
    !TEMPORARY.some((dir) => isWithin(path, dir)) || seen.some((dir) => dir !== path && isWithin(path, dir));
  const isHidden = (path: string) =>
    plan.hidden.some((dir) => isWithin(path, dir)) && !plan.shown.some((dir) => isWithin(path, dir));
  const all: Mount[] = [
    ...plan.writable.map((path) => [path, "write"] as const),
    ...[...plan.shown, ...plan.readOnly].map((path) => [path, "read"] as const),
    ...plan.hidden.filter(needed).map((path) => [path, "hide"] as const),
    ...plan.masked.filter((path) => needed(path) && !isHidden(path)).map((path) => [path, "mask"] as const),
  ];
  const depth = (path: string) => path.split("/").length;
  return all.sort(([one, how], [two, other]) => depth(one) - depth(two) || RANK[how] - RANK[other]);
}

/**
 * Environment of a command in a cage: variables that name what is hidden are left out, and temporary files go to the private directory; so do caches
 * of package managers that the home does not have.
 */
export function cageEnv(
  env: Readonly<Record<string, string>>,
  { writable }: Pick<CagePlan, "writable">,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (DROPPED_VARIABLES.has(name) || (name.endsWith("_HOST") && /^(unix|fd|npipe):/.test(value))) continue;
    kept[name] = name === "TMPDIR" || name === "TMP" || name === "TEMP" ? "/tmp" : value;
  }
  return { ...kept, ...findCacheVariables(env, writable) };
}
