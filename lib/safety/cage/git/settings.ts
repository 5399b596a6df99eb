import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../base/errors.js";
import { isPlainBranchName } from "../../git/branch-name.js";
import { type Git, type GitPorts, gitAt } from "../../git/git.js";
import { type GitChange, isRemoteName } from "./calls.js";
import type { TrustedRepository } from "./repository.js";

/** What a change answers, as git would print it. */
export interface ChangeAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/**
 * Make one change of a repository's settings (core part, 20.9). Git works on a copy in `dir`; its result is written over the file in place, for
 * a file that another one replaces loses its place in a cage that shows it read-only.
 */
export async function changeSettings(
  ports: GitPorts,
  { top, common }: Pick<TrustedRepository, "top" | "common">,
  change: GitChange,
  dir: string,
): Promise<ChangeAnswer> {
  const file = join(common, "config");
  const lock = `${file}.lock`;
  const held = await takeLock(lock);
  if (held === undefined) return { ok: false, text: `error: could not lock config file ${file}: File exists` };
  const folder = join(dir, `git-${randomBytes(6).toString("hex")}`);
  try {
    await mkdir(folder, { mode: 0o700, recursive: true });
    const copy = join(folder, "config");
    await writeFile(copy, await readFile(file), { mode: 0o600 });
    const branches = branchesOf(gitAt(ports, top));
    const answer = await edit(editorOf(gitAt(ports, folder)), change, branches);
    if (answer.ok) await writeOver(file, await readFile(copy));
    return answer;
  } finally {
    await rm(folder, { recursive: true, force: true });
    await held.close();
    await rm(lock, { force: true });
  }
}

/** The lock that git itself takes, so that two writers do not lose each other's change. */
async function takeLock(lock: string): Promise<FileHandle | undefined> {
  try {
    return await open(lock, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o644);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return undefined;
    throw error;
  }
}

async function writeOver(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    await handle.write(bytes, 0, bytes.length, 0);
    await handle.truncate(bytes.length);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Branches of the repository whose settings are changed. */
interface Branches {
  current(): Promise<string | undefined>;
  has(name: string): Promise<boolean>;
}

const branchesOf = (git: Git): Branches => ({
  current: async () => {
    const answer = await git.run(["symbolic-ref", "--quiet", "--short", "HEAD"]);
    return answer.ok ? answer.said : undefined;
  },
  has: async (name) => (await git.run(["show-ref", "--verify", "--quiet", `refs/heads/${name}`])).ok,
});

interface Editor {
  set(key: string, value: string): Promise<void>;
  /** All values; none: the key is not set. */
  values(key: string): Promise<readonly string[]>;
  /** Keys that fit, each with its value. */
  find(pattern: string): Promise<readonly (readonly [key: string, value: string])[]>;
  run(...args: readonly string[]): Promise<void>;
}

class EditFailed extends Error {}

function editorOf(git: Git): Editor {
  const config = (args: readonly string[]) => git.run(["config", "--file", "config", ...args]);
  const run = async (...args: readonly string[]) => {
    const answer = await config(args);
    if (!answer.ok) throw new EditFailed(answer.said);
  };
  const split = (out: string) => out.split("\0").slice(0, -1);
  return {
    run,
    set: (key, value) => run(key, value),
    values: async (key) => split((await config(["--null", "--get-all", key])).out),
    find: async (pattern) =>
      split((await config(["--null", "--get-regexp", pattern])).out).map((pair) => {
        const end = pair.indexOf("\n");
        return [pair.slice(0, end), pair.slice(end + 1)] as const;
      }),
  };
}

async function edit(config: Editor, change: GitChange, branches: Branches): Promise<ChangeAnswer> {
  try {
    return await editWith(config, change, branches);
  } catch (error) {
    if (error instanceof EditFailed) return { ok: false, text: `error: ${error.message}` };
    throw error;
  }
}

const DONE: ChangeAnswer = { ok: true, text: "" };
const fail = (text: string): ChangeAnswer => ({ ok: false, text: `error: ${text}` });

async function editWith(config: Editor, change: GitChange, branches: Branches): Promise<ChangeAnswer> {
  if (change.what === "track" || change.what === "untrack")
    return editTracking(config, change, await branches.current());
  if (change.what === "rename-branch" || change.what === "forget-branches")
    return moveSections(config, change, branches);
  const { remote } = change;
  const there = (await config.find(`^remote\\.${remote.replaceAll(".", "\\.")}\\.`)).length > 0;
  if (change.what === "add-remote" ? there : !there)
    return fail(there ? `remote ${remote} already exists.` : `No such remote: '${remote}'`);
  if (change.what === "rename-remote") return renameRemote(config, remote, change.to);
  if (change.what === "remove-remote") {
    await config.run("--remove-section", `remote.${remote}`);
    for (const branch of await followers(config, remote)) await forget(config, branch);
    return DONE;
  }
  await config.set(`remote.${remote}.url`, change.url);
  if (change.what === "add-remote")
    await config.set(`remote.${remote}.fetch`, `+refs/heads/*:refs/remotes/${remote}/*`);
  return DONE;
}

/** What git does with the settings of a branch when it renames or deletes it. Only of a branch that is really gone. */
async function moveSections(
  config: Editor,
  change: Extract<GitChange, { what: "rename-branch" | "forget-branches" }>,
  branches: Branches,
): Promise<ChangeAnswer> {
  const from = change.what === "forget-branches" ? change.branches : change.branch === undefined ? [] : [change.branch];
  if (change.what === "rename-branch" && !(await branches.has(change.to))) return DONE;
  for (const branch of from) {
    const section = `branch.${branch}`;
    const isSet = (await config.find(`^${section.replaceAll(/[.+]/g, "\\$&")}\\.[^.]+$`)).length > 0;
    if (!isSet || (await branches.has(branch))) continue;
    if (change.what === "forget-branches") await config.run("--remove-section", section);
    else await config.run("--rename-section", section, `branch.${change.to}`);
  }
  return DONE;
}

async function renameRemote(config: Editor, from: string, to: string): Promise<ChangeAnswer> {
  if ((await config.values(`remote.${to}.url`)).length > 0) return fail(`remote ${to} already exists.`);
  await config.run("--rename-section", `remote.${from}`, `remote.${to}`);
  const fetched = await config.values(`remote.${to}.fetch`);
  if (fetched.length === 1 && fetched[0] === `+refs/heads/*:refs/remotes/${from}/*`)
    await config.set(`remote.${to}.fetch`, `+refs/heads/*:refs/remotes/${to}/*`);
  for (const branch of await followers(config, from)) await config.set(`branch.${branch}.remote`, to);
  return DONE;
}

/** Branches that follow one of the remote. */
async function followers(config: Editor, remote: string): Promise<readonly string[]> {
  const found = await config.find("^branch\\..*\\.remote$");
  return found.filter(([, value]) => value === remote).map(([key]) => key.slice("branch.".length, -".remote".length));
}

async function forget(config: Editor, branch: string): Promise<void> {
  for (const key of [`branch.${branch}.remote`, `branch.${branch}.merge`])
    if ((await config.values(key)).length > 0) await config.run("--unset-all", key);
}

async function editTracking(
  config: Editor,
  change: Extract<GitChange, { what: "track" | "untrack" }>,
  current: string | undefined,
): Promise<ChangeAnswer> {
  const branch = change.branch ?? current;
  if (branch === undefined || !isPlainBranchName(branch))
    return fail("no branch is checked out whose settings could be changed");
  if (change.what === "untrack") {
    await forget(config, branch);
    return DONE;
  }
  const { remote, merge = branch } = change;
  if (!isRemoteName(remote) || (await config.values(`remote.${remote}.url`)).length === 0)
    return fail(`No such remote: '${remote}'`);
  await config.set(`branch.${branch}.remote`, remote);
  await config.set(`branch.${branch}.merge`, `refs/heads/${merge}`);
  return { ok: true, text: `branch '${branch}' set up to track '${remote}/${merge}'.` };
}
