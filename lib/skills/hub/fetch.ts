import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { listNames, makeDir } from "../../base/fs/directory.js";
import { changedAt, realPath, statPath, writeAtomic } from "../../base/fs/files.js";
import { removeTree } from "../../base/fs/tree.js";
import type { Ids } from "../../base/ids.js";
import type { Net } from "../../base/net/net.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { SkillFile } from "../../contracts/skills/guard.js";
import { fetchRepository } from "../../safety/git/fetch-repository.js";
import { isBelow } from "../../safety/paths/paths.js";
import {
  checkSkillFiles,
  filesOfArchive,
  filesOfDirectory,
  HUB_BYTES_MAX,
  HUB_FILES_MAX,
  skillRoot,
} from "./collect.js";
import { type GitOrigin, type HubOrigin, type IndexOrigin, readIdentifier } from "./identifier.js";
import { fetchBytes, fetchIndex, fileAddress } from "./index-file.js";

export interface FetchDeps {
  readonly home: { readonly dir: string };
  readonly net: Net;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly spawner: Spawner;
  readonly env: () => Readonly<Record<string, string | undefined>>;
  /** Directory of the optional skills of the product: `<category>/<name>`. */
  readonly optional: () => string;
}

/** A skill as it was fetched: bytes in memory, checked by name and size. */
export interface FetchedSkill {
  readonly files: readonly SkillFile[];
  readonly commit: string;
  /** Category that the source suggests; "" for none. */
  readonly category: string;
  /** What is unsafe about the way it came. */
  readonly warnings: readonly string[];
}

/** Age at which what a killed process left there is removed. */
const LEFT_MS = 3_600_000;

/**
 * Fetch a skill into `skills/.hub/quarantine`, read its files and remove it there again. Nothing of it is run.
 *
 * @throws E_NOT_FOUND, E_INVALID; NetError
 */
export async function fetchSkill(origin: HubOrigin, deps: FetchDeps, signal?: AbortSignal): Promise<FetchedSkill> {
  if (origin.kind === "official") return await officialSkill(origin.name, deps);
  if (origin.kind === "directory") return await directorySkill(origin.dir);
  const quarantine = join(deps.home.dir, "skills", ".hub", "quarantine");
  await dropLeft(quarantine, deps.clock.now());
  const work = join(quarantine, deps.ids.token().slice(0, 16));
  makeDir(work);
  try {
    switch (origin.kind) {
      case "github":
      case "git":
        return await gitSkill(origin, work, deps, signal);
      case "url":
        return await addressSkill(origin.url, work, deps, signal);
      default:
        return await indexSkill(origin, deps, signal);
    }
  } finally {
    await removeTree(work);
  }
}

async function dropLeft(quarantine: string, now: number): Promise<void> {
  for (const name of listNames(quarantine)) {
    const path = join(quarantine, name);
    if (now - changedAt(path) > LEFT_MS) await removeTree(path);
  }
}

/** Names and categories of the optional skills. */
export function officialSkills(
  optional: string,
): readonly { readonly name: string; readonly category: string; readonly dir: string }[] {
  return listNames(optional).flatMap((category) =>
    listNames(join(optional, category)).flatMap((name) => {
      const dir = join(optional, category, name);
      return changedAt(join(dir, "SKILL.md")) === 0 ? [] : [{ name, category, dir }];
    }),
  );
}

async function officialSkill(name: string, { optional }: FetchDeps): Promise<FetchedSkill> {
  const all = officialSkills(optional());
  const found = all.find((one) => one.name === name);
  if (found === undefined)
    throw new AppError("E_NOT_FOUND", `unknown official skill '${name}'`, {
      hint: `official skills: ${all.map((one) => one.name).join(", ") || "none"}`,
    });
  return { files: filesOfDirectory(found.dir), commit: "", category: found.category, warnings: [] };
}

async function directorySkill(dir: string): Promise<FetchedSkill> {
  if ((await statPath(dir))?.kind !== "directory") throw new AppError("E_NOT_FOUND", `no such directory: ${dir}`);
  return { files: skillRoot(filesOfDirectory(dir)), commit: "", category: "", warnings: [] };
}

async function gitSkill(
  { url, ref, inner }: GitOrigin,
  work: string,
  deps: FetchDeps,
  signal: AbortSignal | undefined,
): Promise<FetchedSkill> {
  const { spawner, clock, env } = deps;
  const wanted = { url, ref, dir: work, ...(signal !== undefined && { signal }) };
  const commit = await fetchRepository({ spawner, clock, env: env() }, wanted);
  const root = await realPath(work);
  const dir = await realPath(join(work, inner));
  if (dir === undefined || root === undefined || (dir !== root && !isBelow(dir, root)))
    throw new AppError("E_NOT_FOUND", `the repository has no directory ${inner}`, {
      hint: `skills: ${skillDirectories(work).slice(0, 20).join(", ") || "none"}`,
    });
  if (changedAt(join(dir, "SKILL.md")) === 0) {
    const near = skillDirectories(dir);
    throw new AppError("E_NOT_FOUND", `SKILL.md is missing in ${inner === "" ? url : inner}`, {
      hint: near.length === 0 ? "name the directory of a skill" : `skills: ${near.slice(0, 20).join(", ")}`,
    });
  }
  return { files: filesOfDirectory(dir), commit, category: "", warnings: plainWarning(url) };
}

/** Directories with a SKILL.md, at most three levels below. */
export function skillDirectories(root: string): readonly string[] {
  const found: string[] = [];
  const walk = (below: string, depth: number): void => {
    if (found.length >= HUB_FILES_MAX) return;
    if (changedAt(join(root, below, "SKILL.md")) !== 0) {
      found.push(below);
      return;
    }
    if (depth > 3) return;
    for (const name of listNames(join(root, below)))
      if (!name.startsWith(".")) walk(below === "" ? name : `${below}/${name}`, depth + 1);
  };
  walk("", 0);
  return found;
}

const plainWarning = (address: string): readonly string[] =>
  /^(?:http|git):/.test(address)
    ? [`${address.split(":")[0]}:// is not encrypted: others can change what is installed`]
    : [];

async function addressSkill(
  address: string,
  work: string,
  { net }: FetchDeps,
  signal: AbortSignal | undefined,
): Promise<FetchedSkill> {
  const { bytes, url, type } = await fetchBytes(net, address, {
    max: HUB_BYTES_MAX,
    ...(signal !== undefined && { signal }),
  });
  const warnings = [...plainWarning(address), ...(url === address ? [] : [`it was redirected to ${url}`])];
  const { pathname } = new URL(address);
  const zipped = bytes.subarray(0, 4).toString("latin1") === "PK\x03\x04" || (bytes[0] === 0x1f && bytes[1] === 0x8b);
  if (/\.(?:zip|tar\.gz|tgz)$/i.test(pathname) || zipped) {
    const path = join(work, "download");
    await writeAtomic(path, bytes, 0o600, false);
    return { files: skillRoot(await filesOfArchive(path, bytes)), commit: "", category: "", warnings };
  }
  if (!/\.(?:md|markdown|txt)$/i.test(pathname) || /html/i.test(type) || bytes.includes(0))
    throw new AppError("E_INVALID", `${address} is neither a SKILL.md nor an archive (${type || "no content type"})`, {
      hint: "name the address of a SKILL.md, .zip or .tar.gz",
    });
  return { files: checkSkillFiles([{ path: "SKILL.md", bytes }]), commit: "", category: "", warnings };
}

async function indexSkill(
  { index, name }: IndexOrigin,
  deps: FetchDeps,
  signal: AbortSignal | undefined,
): Promise<FetchedSkill> {
  const entries = await fetchIndex(deps.net, index, signal);
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined)
    throw new AppError("E_NOT_FOUND", `${index} has no skill ${name}`, {
      hint: `skills: ${
        entries
          .slice(0, 20)
          .map((one) => one.name)
          .join(", ") || "none"
      }`,
    });
  if (entry.points !== undefined) {
    const origin = readIdentifier(entry.points, undefined);
    if (origin.kind === "official" || origin.kind === "well-known" || origin.kind === "marketplace")
      throw new AppError("E_INVALID", `${index}: the entry ${name} points to another index`);
    return await fetchSkill(origin, deps, signal);
  }
  const files: SkillFile[] = [];
  let left = HUB_BYTES_MAX;
  for (const path of entry.files ?? ["SKILL.md"]) {
    const { bytes } = await fetchBytes(deps.net, fileAddress(index, name, path), {
      max: left,
      ...(signal !== undefined && { signal }),
    });
    left -= bytes.length;
    files.push({ path, bytes });
  }
  return { files: checkSkillFiles(files), commit: "", category: "", warnings: plainWarning(index) };
}
