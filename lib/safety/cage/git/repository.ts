import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { programOnPath } from "../../../base/process/program-path.js";
import { type GitPorts, gitAt } from "../../git/git.js";
import { absolutePath, isWithin, realTarget } from "../../paths/paths.js";
import { listReadableNames } from "../repository.js";
import type { CagePlan } from "../types.js";

/** One setting as git reads it, and the file that it comes from. */
export interface GitSetting {
  readonly key: string;
  readonly value: string;
  /** Absolute path; "" where it comes from no file. */
  readonly file: string;
  readonly local: boolean;
}

/** A repository whose settings, programs and hooks cannot have been written from inside the cage. */
export interface TrustedRepository {
  readonly ok: true;
  readonly top: string;
  /** Its own `.git` directory. */
  readonly dir: string;
  /** Where its settings and references are; `dir` but for linked work trees. */
  readonly common: string;
  readonly settings: readonly GitSetting[];
  /** Why hooks that would run are not those of a person; "" when they are. */
  readonly hooks: string;
}

export type JudgedRepository = TrustedRepository | { readonly ok: false; readonly why: string };

const no = (why: string) => ({ ok: false, why }) as const;

/** Judge the repository at `cwd`: nothing that it makes git read or run can have been written from inside the cage. */
export async function judgeRepository(ports: GitPorts, cwd: string, plan: CagePlan): Promise<JudgedRepository> {
  const git = gitAt(ports, cwd);
  const found = await git.run([
    "rev-parse",
    "--path-format=absolute",
    "--show-toplevel",
    "--absolute-git-dir",
    "--git-common-dir",
  ]);
  const [top = "", dir = "", common = ""] = found.out.split("\n");
  if (!found.ok || common === "") return no("the directory belongs to no repository with a work tree");
  const shape = misplaced(top, dir, common, plan);
  if (shape !== undefined) return no(shape);
  const listing = await git.run(["config", "--show-scope", "--show-origin", "--null", "--list"]);
  if (!listing.ok || listing.cut) return no(`its settings cannot be read: ${listing.said}`);
  const settings = parseSettings(listing.out, top);
  const foreign = settings.find(({ file }) => file !== "" && isOpen(file, plan));
  if (foreign !== undefined) return no(`commands in the cage can write ${foreign.file}, from which git takes settings`);
  const program = settings.find(
    (setting) => NAMES_PROGRAM.test(setting.key) && runsOpenFile(setting, top, plan, ports.env),
  );
  if (program !== undefined) return no(`${program.key} names a program that commands in the cage can write`);
  const isMade = plan.made.includes(common);
  const named = isMade ? settings.find(({ key, value, local }) => local && !isHarmless(key, value)) : undefined;
  if (named !== undefined)
    return no(`a command in the cage may have made the repository, and its settings hold ${named.key}`);
  const hooks =
    hooksProblem(settings, { top, common }, plan, ports.env) ||
    (isMade && hasHooks(common) ? "a command in the cage may have made its hooks" : "");
  return { ok: true, top, dir, common, settings, hooks };
}

/** A path that commands in the cage can write. */
export function isOpen(path: string, plan: CagePlan): boolean {
  const real = realTarget(path) ?? path;
  const among = (dirs: readonly string[]) => dirs.some((dir) => isWithin(real, dir));
  return among([...plan.writable, plan.tmp]) && !among(plan.readOnly);
}

/** Why the parts of the repository are not where a person's would be. */
function misplaced(top: string, dir: string, common: string, plan: CagePlan): string | undefined {
  if (!isWithin(top, plan.project)) return "the repository lies outside the project";
  const config = join(common, "config");
  if (!isPlain(common, "directory") || !isPlain(config, "file")) return `${config} is not a plain file`;
  if (isOpen(config, plan)) return `commands in the cage can write ${config}`;
  if (exists(join(dir, "config.worktree")) && isOpen(join(dir, "config.worktree"), plan))
    return `commands in the cage can write ${join(dir, "config.worktree")}`;
  if (dir === common) {
    if (dir !== join(top, ".git")) return "its .git is not a directory of its own";
    return exists(join(dir, "commondir")) ? `${join(dir, "commondir")} leads git elsewhere` : undefined;
  }
  return dirname(dirname(dir)) === common ? undefined : "its work tree is linked in an unusual way";
}

function isPlain(path: string, kind: "file" | "directory"): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined || realpathSync.native(path) !== path) return false;
  return kind === "file" ? facts.isFile() && facts.nlink === 1 : facts.isDirectory();
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The answer of `git config --show-scope --show-origin --null --list`. */
function parseSettings(out: string, top: string): readonly GitSetting[] {
  const words = out.split("\0");
  const settings: GitSetting[] = [];
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [scope = "", origin = "", pair = ""] = words.slice(at, at + 3);
    if (scope === "command") continue;
    const end = pair.indexOf("\n");
    const file = origin.startsWith("file:") ? resolve(top, origin.slice("file:".length)) : "";
    const key = end === -1 ? pair : pair.slice(0, end);
    settings.push({
      key,
      value: end === -1 ? "true" : pair.slice(end + 1),
      file,
      local: scope === "local" || scope === "worktree",
    });
  }
  return settings;
}

/** Settings whose value is a program, a directory of programs or a template with hooks. */
const NAMES_PROGRAM =
  /^(core\.(fsmonitor|sshcommand|gitproxy|askpass|editor|pager|alternaterefscommand)|sequence\.editor|init\.templatedir|credential\.(.+\.)?helper|gpg\.(.+\.)?(program|defaultkeycommand)|filter\..+\.(clean|smudge|process)|merge\..+\.driver|diff\..+\.(command|textconv)|diff\.external|remote\..+\.(uploadpack|receivepack|vcs)|pager\..+|uploadpack\.packobjectshook|trailer\..+\.(command|cmd)|http\.(.+\.)?ssl(cert|key|cainfo|capath)|http\.(.+\.)?cookiefile)$/;

/** Settings that `git init`, `git clone` and `git remote add` make, and those of a person's name: none of them names a program. */
const HARMLESS =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath)|extensions\.objectformat|user\.(name|email)|init\.defaultbranch|remote\.[\w-]+\.(url|fetch)|branch\..+\.(remote|merge)|push\.(default|autosetupremote)|pull\.ff)$/;

const isHarmless = (key: string, value: string): boolean =>
  HARMLESS.test(key) || (key === "pull.rebase" && /^(false|no|off|0)$/i.test(value));

const hasHooks = (common: string): boolean =>
  listReadableNames(join(common, "hooks")).some((name) => !name.endsWith(".sample"));

const SWITCH = /^(true|false|yes|no|on|off|0|1|)$/i;

/** Some word of the value is a path that can be written from inside, or a name that the PATH finds in such a place. */
function runsOpenFile({ value }: GitSetting, top: string, plan: CagePlan, env: GitPorts["env"]): boolean {
  if (SWITCH.test(value)) return false;
  return value.split(/[\s;|&()'"`$<>=]+/).some((word) => {
    const bare = word.replace(/^!/, "");
    if (bare === "") return false;
    if (bare.includes("/")) return isOpen(absolutePath(bare, top, env["HOME"] ?? "/"), plan);
    const program = programOnPath(bare, env["PATH"]);
    return program !== undefined && isOpen(program, plan);
  });
}

/** Why the hooks of the repository are not safe to run; "" when they are. */
function hooksProblem(
  settings: readonly GitSetting[],
  { top, common }: { readonly top: string; readonly common: string },
  plan: CagePlan,
  env: GitPorts["env"],
): string {
  const named = settings.findLast(({ key }) => key === "core.hookspath")?.value;
  const hooks = named === undefined ? join(common, "hooks") : absolutePath(named, top, env["HOME"] ?? "/");
  if (!isOpen(hooks, plan)) return "";
  return named === undefined
    ? `commands in the cage can write ${hooks}`
    : `core.hooksPath is ${named}, which commands in the cage can write`;
}
