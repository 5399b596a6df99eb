import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** The whole file as text, or undefined when there is none. For the small files of the product itself: settings, profiles, tokens. */
export function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Replace a small file in one step: written beside it, synced, renamed. Its mode is kept; a new one gets `mode` (0600). */
export function replaceText(path: string, text: string, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const keep = mode ?? (existsSync(path) ? statSync(path).mode & 0o777 : 0o600);
  const next = `${path}.${process.pid}.new`;
  const file = openSync(next, "w", keep);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}
