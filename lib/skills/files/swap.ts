import { dirname, join } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { listNames, makeDir, moveDir, pathExists } from "../../base/fs/directory.js";
import { makeDirectory, openNew, readRegularFileSync, syncDirectory } from "../../base/fs/files.js";
import { moveTree } from "../../base/fs/home-files.js";
import { replaceTextFile } from "../../base/fs/text-file.js";
import { removeEmpty, removeTree } from "../../base/fs/tree.js";
import { inspectPath } from "../../base/fs/tree-read.js";
import type { Ids } from "../../base/ids.js";
import { type FileLockDeps, lockFile } from "../../base/process/file-lock.js";
import type { SkillFile } from "../../contracts/skills/guard.js";

/** A directory or file below `skills/`, changed whole. */
export interface SkillChange {
  /** Below `skills/`, with `/`: `notes/minutes`, `.hub/lock.json`. */
  readonly path: string;
  /** All files of a directory, the bytes of one file, or undefined: removed. */
  readonly to: readonly SkillFile[] | Uint8Array | undefined;
}

export interface SwapDeps extends FileLockDeps {
  readonly home: { readonly dir: string };
  readonly ids: Pick<Ids, "hex">;
}

const intent = z.object({ changes: z.array(z.object({ path: z.string(), kept: z.boolean() })).max(5_000) });
type Intent = z.infer<typeof intent>;

const WAIT_MS = 10_000;
const INTENT_MAX = 4 << 20;

const rootOf = (home: SwapDeps["home"]) => join(home.dir, "skills");
const stagingOf = (home: SwapDeps["home"]) => join(rootOf(home), ".staging");

/**
 * Change skills of a home together: all of the changes, or none, whenever the process is killed. Everything new is written and synced
 * beside them first; then one file, the intent, decides; then directories are renamed. A kill before the intent changes nothing, one after it is made good
 * by `finishSwaps`.
 *
 * @throws E_INVALID for a path that leads elsewhere; E_BUSY while another process is changing skills
 */
export async function swapSkills(deps: SwapDeps, changes: readonly SkillChange[]): Promise<void> {
  const { home } = deps;
  for (const { path } of changes) checkPlace(rootOf(home), path);
  const lock = await lockFile(join(rootOf(home), ".staging.lock"), deps, { ms: WAIT_MS });
  try {
    await finishAll(home);
    const work = join(stagingOf(home), deps.ids.hex(16));
    makeDir(work);
    faultPoint("swap.staging");
    const steps: Intent["changes"] = [];
    for (const [index, { path, to }] of changes.entries()) {
      if (to !== undefined) await stage(join(work, `new-${index}`), to);
      steps.push({ path, kept: to !== undefined });
    }
    await syncDirectory(work);
    await syncDirectory(stagingOf(home));
    faultPoint("swap.staged");
    replaceTextFile(join(work, "intent.json"), JSON.stringify({ changes: steps }), 0o600);
    faultPoint("swap.decided");
    await finish(home, work);
  } finally {
    lock.release();
  }
}

/**
 * Complete what a killed process had decided, and drop what it had only begun. Cheap where nothing was left. While another process is at it, nothing
 * is done: it is alive, and finishes itself.
 */
export async function finishSwaps(deps: SwapDeps): Promise<void> {
  if (listNames(stagingOf(deps.home)).length === 0) return;
  try {
    const lock = await lockFile(join(rootOf(deps.home), ".staging.lock"), deps, { ms: 0 });
    try {
      await finishAll(deps.home);
    } finally {
      lock.release();
    }
  } catch (error) {
    if (!(error instanceof AppError && error.code === "E_BUSY")) throw error;
  }
}

async function finishAll(home: SwapDeps["home"]): Promise<void> {
  for (const name of listNames(stagingOf(home))) await finish(home, join(stagingOf(home), name));
}

/** What a journal is called once all of it is in place. */
const DONE = ".done";

/** Bring one journal to its end: forwards when it was decided, backwards when it was not. Harmless when a part of it was done already. */
async function finish(home: SwapDeps["home"], work: string): Promise<void> {
  let rest = work;
  const bytes = work.endsWith(DONE) ? undefined : readRegularFileSync(join(work, "intent.json"), INTENT_MAX);
  if (bytes !== undefined) {
    const { changes } = intent.parse(JSON.parse(bytes.toString("utf8")));
    for (const [index, change] of changes.entries()) await apply(home, work, { ...change, index });
    rest = `${work}${DONE}`;
    moveTree(work, rest);
  }
  faultPoint("swap.cleaning");
  await removeTree(rest);
  await removeEmpty(stagingOf(home));
}

interface Step {
  readonly path: string;
  readonly kept: boolean;
  readonly index: number;
}

async function apply(home: SwapDeps["home"], work: string, { path, kept, index }: Step): Promise<void> {
  checkPlace(rootOf(home), path);
  const at = join(rootOf(home), path);
  const fresh = join(work, `new-${index}`);
  const old = join(work, `old-${index}`);
  const isThere = inspectPath(at) !== undefined;
  if (kept && !pathExists(fresh)) return;
  if (inspectPath(old) !== undefined) {
    // It was made again by hand after the old one was moved away: that one stays.
    if (isThere) return;
  } else if (isThere) {
    moveTree(at, old);
    faultPoint("swap.moved");
  }
  if (kept) {
    makeDir(dirname(at));
    moveDir(fresh, at);
    faultPoint("swap.placed");
    return;
  }
  for (let dir = dirname(path); dir !== "."; dir = dirname(dir))
    if (!(await removeEmpty(join(rootOf(home), dir)))) break;
}

async function stage(at: string, to: readonly SkillFile[] | Uint8Array): Promise<void> {
  if (to instanceof Uint8Array) {
    await writeSynced(at, to, 0o600);
    return;
  }
  makeDir(at);
  const dirs = new Set([at]);
  for (const { path, bytes, executable } of to) {
    checkRelative(path);
    const file = join(at, path);
    await makeDirectory(dirname(file), 0o700);
    for (let dir = dirname(file); dir !== at; dir = dirname(dir)) dirs.add(dir);
    await writeSynced(file, bytes, executable === true ? 0o700 : 0o600);
  }
  for (const dir of dirs) await syncDirectory(dir);
}

async function writeSynced(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await openNew(path, mode);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Nothing on the way below `skills/` is a link: a change stays where it was meant to be. */
function checkPlace(root: string, path: string): void {
  checkRelative(path);
  const parts = path.split("/");
  let at = root;
  for (const part of ["", ...parts.slice(0, -1)]) {
    at = join(at, part);
    const facts = inspectPath(at);
    if (facts === undefined) return;
    if (facts === "unreadable" || (part !== "" && facts.kind !== "directory"))
      throw new AppError("E_INVALID", `${at} is a link or not a directory`, {
        path: at,
        hint: "replace it with a directory, then retry",
      });
  }
}

/** @throws E_INVALID for a path that could lead out of its directory */
function checkRelative(path: string): void {
  const parts = path.split("/");
  const bad = (part: string) => part === "" || part === "." || part === "..";
  if (parts.some(bad) || /[\u0000-\u001f\u007f\\]/.test(path))
    throw new AppError(
      "E_INVALID",
      `${JSON.stringify(path.slice(0, 200))} is not a path below the directory of skills`,
    );
}
