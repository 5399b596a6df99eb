import type { Stats } from "node:fs";
import { chmod, copyFile, lstat, mkdtemp, opendir, rm, rmdir, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faultPoint } from "../fault.js";
import { errorCode, type FileFacts, toFacts } from "./files.js";

/** Facts of what stands at the path itself, a link not followed; undefined when there is nothing. */
export async function entryAt(path: string): Promise<FileFacts | undefined> {
  const found = await look(path);
  return found && toFacts(found);
}

async function look(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const isGone = (error: unknown) => ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");

/** Bytes of all files below a directory, links counted as themselves. Undefined: it has more than `maxEntries`, and counting stopped. */
export async function treeSize(path: string, maxEntries = Number.POSITIVE_INFINITY): Promise<number | undefined> {
  const waiting = [path];
  let bytes = 0;
  let entries = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const found = await entriesOf(at);
    entries += found.length;
    if (entries > maxEntries) return undefined;
    const inside = (entry: { name: string }) => join(at ?? path, entry.name);
    waiting.push(...found.filter((entry) => entry.directory).map(inside));
    bytes += await sizesOf(found.filter((entry) => !entry.directory).map(inside));
  }
  return bytes;
}

/** Looks that are under way at once. */
const AT_ONCE = 64;

async function sizesOf(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    const facts = await Promise.all(paths.slice(from, from + AT_ONCE).map(look));
    bytes += facts.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  }
  return bytes;
}

/** Entries of a directory; none when it is gone or must not be read. */
async function entriesOf(path: string): Promise<{ name: string; directory: boolean }[]> {
  const found: { name: string; directory: boolean }[] = [];
  try {
    for await (const entry of await opendir(path)) found.push({ name: entry.name, directory: entry.isDirectory() });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
  return found;
}

/**
 * Remove a directory with all that is in it, `last` (a file in it) after everything else, so that a removal that is cut short differs from
 * one that never began. Links are removed, not followed; another file system that is mounted inside is not entered. Harmless when it is gone.
 *
 * @throws the system's error for what cannot be removed
 */
export async function removeTree(path: string, last?: string): Promise<void> {
  const top = await look(path);
  if (top === undefined) return;
  if (!top.isDirectory()) throw new Error(`${path} is not a directory`);
  await empty(path, top.dev, last);
  faultPoint("tree.emptied");
  if (last !== undefined) await rm(join(path, last), { force: true });
  await rmdir(path);
}

async function empty(path: string, device: number, except?: string): Promise<void> {
  await unlock(path);
  for (const entry of await entriesOf(path)) {
    if (entry.name === except) continue;
    const inner = join(path, entry.name);
    if (!entry.directory) {
      await rm(inner, { force: true });
      continue;
    }
    const found = await look(inner);
    if (found === undefined) continue;
    if (found.dev !== device) throw new Error(`${inner} is on another file system`);
    await empty(inner, device);
    await rmdir(inner);
  }
}

/** Tools leave directories behind without rights to read or write; they belong to the owner anyway. */
async function unlock(dir: string): Promise<void> {
  const found = await look(dir);
  if (found?.isDirectory() && (found.mode & 0o700) !== 0o700) await chmod(dir, 0o700);
}

/** Remove a directory that is empty. False: something is in it, or it is gone. */
export async function removeEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Copy a file with the time of its last change in whole seconds, never later. Harmless when it does not exist. */
export async function copyWithTime(from: string, to: string): Promise<void> {
  const found = await look(from);
  if (found === undefined) return;
  await copyFile(from, to);
  await utimes(to, found.atime, Math.floor(found.mtimeMs / 1000));
}

/** A private directory in the system's place for such; the caller removes it. */
export async function makeTemporaryDirectory(
  name: string,
  parent: string = tmpdir(),
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(parent, `${name}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
