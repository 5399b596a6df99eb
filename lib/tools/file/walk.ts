import { basename, dirname, join, resolve } from "node:path";
import { listDirectorySync, readAtMostSync } from "../../base/fs/files.js";
import { isSharedDirectory } from "../../base/fs/shared-directory.js";
import { expandTilde } from "../../base/tilde.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { IGNORE_FILES, type IgnoreRules, isIgnored, parseIgnore } from "./ignore.js";

/** How long the walk works before it lets others work. */
const SLICE_MS: Ms = 8;

export interface WalkOptions {
  readonly root: string;
  readonly userHome: string;
  readonly includeIgnored: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Stop after this; the walk then says that it is not complete. */
  readonly within: Ms;
}

export interface WalkEnd {
  readonly complete: boolean;
  readonly ignored: number;
}

/**
 * Visit every file below a directory, hidden ones included, `.git` and links not. Ignore files count as they do for git.
 * `visit` gets the absolute path and the path relative to the root; the walk waits for the promise of a visit that gives one.
 */
export async function walk(
  options: WalkOptions,
  visit: (path: string, relative: string) => Promise<void> | undefined,
): Promise<WalkEnd> {
  const { clock, root } = options;
  const until = clock.mono() + options.within;
  let slice = clock.mono() + SLICE_MS;
  let ignored = 0;
  const open: { path: string; relative: string; rules: readonly IgnoreRules[] }[] = [
    { path: root, relative: "", rules: options.includeIgnored ? [] : outerRules(root, options.userHome) },
  ];
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    const entries = listDirectorySync(dir.path);
    const rules = options.includeIgnored ? [] : withOwnRules(dir, entries);
    const below: typeof open = [];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.kind === "other" || (entry.name === ".git" && entry.kind === "directory")) continue;
      const relative = dir.relative + entry.name;
      const directory = entry.kind === "directory";
      if (isIgnored(rules, relative, entry.name, directory)) ignored += 1;
      else if (directory) below.push({ path: join(dir.path, entry.name), relative: `${relative}/`, rules });
      else {
        const waiting = visit(join(dir.path, entry.name), relative);
        if (waiting !== undefined) await waiting;
      }
      const now = clock.mono();
      if (now < slice) continue;
      if (options.signal.aborted || now > until) return { complete: false, ignored };
      await clock.sleep(0);
      slice = clock.mono() + SLICE_MS;
    }
    open.push(...below.reverse());
  }
  return { complete: true, ignored };
}

function withOwnRules(
  dir: { path: string; relative: string; rules: readonly IgnoreRules[] },
  entries: readonly { name: string }[],
): readonly IgnoreRules[] {
  const names = new Set(entries.map((entry) => entry.name));
  const own = IGNORE_FILES.filter((name) => names.has(name)).flatMap((name) =>
    rulesOf(join(dir.path, name), dir.relative),
  );
  return own.length === 0 ? dir.rules : [...dir.rules, ...own];
}

const IGNORE_BYTES = 1 << 20;

function rulesOf(path: string, base: string): readonly IgnoreRules[] {
  const text = readAtMostSync(path, IGNORE_BYTES)?.toString("utf8");
  const rules = text === undefined ? undefined : parseIgnore(text, base);
  return rules === undefined ? [] : [rules];
}

/** Rules from above the root of a walk: global excludes, `.git/info/exclude`, and ignore files up to the repository's root. */
export function outerRules(root: string, userHome: string): readonly IgnoreRules[] {
  const above: string[] = [];
  let repository: string | undefined;
  for (let dir = root; repository === undefined && dirname(dir) !== dir; dir = dirname(dir)) {
    const found = listDirectorySync(dir).some((entry) => entry.name === ".git");
    if (found && (dir === root || !isSharedDirectory(dir))) repository = dir;
    else above.push(dir);
  }
  const everywhere = rulesOf(globalExcludes(userHome), "");
  if (repository === undefined) return everywhere;
  const top = [...everywhere, ...rulesOf(join(repository, ".git/info/exclude"), "")];
  // An ignore file above the root has patterns relative to its own place; only those that name no path still mean the same here.
  const dirs = root === repository ? [] : [repository, ...above.slice(1).reverse()];
  return [...top, ...dirs.flatMap((dir) => IGNORE_FILES.flatMap((name) => namesOnly(join(dir, name), dir, root)))];
}

/** The file of excludes that holds in every repository: the one that is configured in git, else its default. */
function globalExcludes(userHome: string): string {
  for (const file of [".gitconfig", ".config/git/config"]) {
    const text = readAtMostSync(join(userHome, file), IGNORE_BYTES)?.toString("utf8") ?? "";
    const core = text.split(/^[ \t]*\[/m).filter((section) => /^core[ \t]*\]/i.test(section));
    const given = core
      .flatMap((section) => /^[ \t]*excludesfile[ \t]*=[ \t]*"?([^"\n]+?)"?[ \t]*$/im.exec(section)?.[1] ?? [])
      .at(-1);
    if (given !== undefined) return resolve(userHome, expandTilde(given, userHome));
  }
  return join(userHome, ".config/git/ignore");
}

function namesOnly(path: string, dir: string, root: string): readonly IgnoreRules[] {
  const text = readAtMostSync(path, IGNORE_BYTES)?.toString("utf8") ?? "";
  const prefix = `${root.slice(dir.length + 1)}/`;
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const bare = line.replace(/^!/, "").replace(/^\//, "");
    if (!bare.replace(/\/$/, "").includes("/") && !/^!?\//.test(line)) return [line];
    return bare.startsWith(prefix) ? [`${line.startsWith("!") ? "!" : ""}/${bare.slice(prefix.length)}`] : [];
  });
  const rules = parseIgnore(lines.join("\n"), "");
  return rules === undefined || basename(path) === "" ? [] : [rules];
}
