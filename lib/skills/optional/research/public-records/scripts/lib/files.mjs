import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { EXIT, HelperError } from "./errors.mjs";

/**
 * Write a file whole or not at all: a reader never sees half of it. Missing directories are created.
 *
 * @param {string} path
 * @param {string} text
 */
export async function replaceFile(path, text) {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text, { flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new HelperError(EXIT.failed, `cannot write ${path}: ${reasonOf(error)}`);
  }
}

/** @param {string} path */
export async function readText(path) {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new HelperError(EXIT.failed, `cannot read ${path}: ${reasonOf(error)}`);
  }
}

/** @param {unknown} error */
export function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}
