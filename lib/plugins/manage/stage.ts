import { dirname, join } from "node:path";
import { AppError } from "../../base/errors.js";
import { makeDir, moveDir, pathExists } from "../../base/fs/directory.js";
import { makeDirectory, readRegularFileSync, realPath, writeAtomic } from "../../base/fs/files.js";
import { removeTree } from "../../base/fs/tree.js";
import type { Ids } from "../../base/ids.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { fetchRepository } from "../../safety/git/fetch-repository.js";
import { isBelow } from "../../safety/paths/paths.js";
import { digestPlugin, type PluginDigest } from "../find/digest.js";
import { type PluginManifest, readManifest } from "../find/manifest.js";
import { statesOf } from "../find/records.js";
import type { PluginOrigin } from "./plugin-source.js";

export interface StageDeps {
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly env: () => Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
}

/** A plugin as it was fetched, before it is in place. */
export interface StagedPlugin {
  /** The plugin's own files. */
  readonly dir: string;
  readonly manifest: PluginManifest;
  /** Of git; empty for a directory. */
  readonly commit: string;
  /** npm packages that its `package.json` asks for. */
  readonly dependencies: readonly string[];
  /** Its files as they are now. @throws E_INVALID links, devices, or too much of them */
  files(): PluginDigest;
  /** Remove what was fetched. */
  drop(): Promise<void>;
}

const PACKAGE_BYTES = 1 << 20;

/** Fetch a plugin and read its manifest. Nothing of it is run. @throws E_NOT_FOUND, E_INVALID */
export async function stagePlugin(origin: PluginOrigin, deps: StageDeps): Promise<StagedPlugin> {
  const work = join(statesOf(deps.homeDir), "staging", deps.ids.token().slice(0, 16));
  await makeDirectory(work, 0o700);
  const drop = () => removeTree(work);
  try {
    const fetched = origin.kind === "git" ? await cloned(origin, work, deps) : await copied(origin.dir, work);
    const read = await readManifest(fetched.dir);
    if (read === undefined)
      throw new AppError("E_INVALID", "it has no plugin.yaml", { hint: "agent help develop-plugin describes it" });
    if (!read.ok) throw new AppError("E_INVALID", read.why);
    const { dir, commit } = fetched;
    return {
      dir,
      commit,
      manifest: read.manifest,
      dependencies: dependenciesOf(dir),
      files: () => digestPlugin(dir),
      drop,
    };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function cloned(origin: PluginOrigin & { readonly kind: "git" }, work: string, deps: StageDeps) {
  const { spawner, clock, env } = deps;
  const commit = await fetchRepository({ spawner, clock, env: env() }, { url: origin.url, ref: origin.ref, dir: work });
  const dir = await realPath(join(work, origin.subdir));
  const root = await realPath(work);
  if (dir === undefined || root === undefined || (dir !== root && !isBelow(dir, root)))
    throw new AppError("E_NOT_FOUND", `the repository has no directory ${origin.subdir}`);
  return { dir, commit };
}

async function copied(from: string, work: string) {
  await writeFiles(work, digestPlugin(from));
  return { dir: work, commit: "" };
}

async function writeFiles(dir: string, { files }: PluginDigest): Promise<void> {
  for (const { path, bytes } of files) {
    const to = join(dir, path);
    await makeDirectory(dirname(to), 0o700);
    await writeAtomic(to, bytes, 0o600, false);
  }
}

function dependenciesOf(dir: string): readonly string[] {
  const bytes = readRegularFileSync(join(dir, "package.json"), PACKAGE_BYTES);
  if (bytes === undefined) return [];
  try {
    const facts: unknown = JSON.parse(bytes.toString("utf8"));
    const wanted: unknown =
      typeof facts === "object" && facts !== null ? Reflect.get(facts, "dependencies") : undefined;
    return typeof wanted === "object" && wanted !== null ? Object.keys(wanted) : [];
  } catch {
    return []; /* ok to lose: npm cannot read it either */
  }
}

const NPM_MS: Ms = 600_000;
const SAID_CHARS = 2_000;

/** Install the packages that a staged plugin depends on. Scripts of packages are not run. @throws E_STATE with what npm says */
export async function installPackages(dir: string, { spawner, clock, env }: StageDeps): Promise<void> {
  const inherited = [
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "HTTPS_PROXY",
    "NO_PROXY",
    "npm_config_registry",
    "npm_config_cache",
  ];
  const now = env();
  const child = await spawner.spawn({
    file: "npm",
    args: [
      "install",
      "--omit=dev",
      "--ignore-scripts",
      "--no-bin-links",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
    ],
    cwd: dir,
    env: Object.fromEntries(inherited.flatMap((name) => (now[name] === undefined ? [] : [[name, now[name] ?? ""]]))),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "stdout",
    endsWithOwner: true,
  });
  let said = "";
  child.onOutput((chunk) => {
    said = `${said}${chunk.toString("utf8")}`.slice(-SAID_CHARS);
  });
  const cancel = clock.after(NPM_MS, () => void spawner.endGroup(child.pid, 1000));
  const exit = await child.exited;
  cancel();
  if (exit.code !== 0)
    throw new AppError("E_STATE", `npm install failed: ${said.trim() || (exit.code ?? exit.signal)}`);
}

/** Put staged files in place of whatever is there. Either the old or the new ones stand. */
export async function placePlugin(staged: StagedPlugin, key: string, { homeDir, ids }: StageDeps): Promise<string> {
  const states = statesOf(homeDir);
  const draft = join(states, "staging", `${ids.token().slice(0, 16)}.new`);
  const old = join(states, "staging", `${ids.token().slice(0, 16)}.old`);
  const to = join(homeDir, "plugins", key);
  await writeFiles(draft, staged.files());
  makeDir(dirname(to));
  if (pathExists(to)) moveDir(to, old);
  moveDir(draft, to);
  await removeTree(old);
  return to;
}
