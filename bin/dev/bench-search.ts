import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../lib/base/time/clock.js";
import { createNeedle, createSearched, searchFiles } from "../../lib/tools/file/content.js";
import { walk } from "../../lib/tools/file/walk.js";
import type { Row } from "./measure.js";

const FILES = 50_000;
const PER_FOLDER = 100;
const LINES = 40;

/** One literal, one regular expression, one that may backtrack. */
const PATTERNS = ["needle that is nowhere", "alpha (beta|gamma) 77\\b", "\\w+ \\d+ of (\\w+) nothing"] as const;

/** The built-in search over 50,000 files, warm, without any other program (core part, 32). */
export async function benchSearch(): Promise<Row[]> {
  const root = await mkdtemp(join(tmpdir(), "agent-search-"));
  try {
    for (let at = 0; at < FILES; at += PER_FOLDER) await fill(join(root, `d${at % 1_000}`, `s${at}`), at);
    const rows: Row[] = [];
    for (const pattern of PATTERNS) rows.push(await measured(root, pattern));
    return rows;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function fill(folder: string, at: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const line = (number: number) => `line ${number} of some text with the words alpha beta ${at + number}\n`;
  const text = Array.from({ length: LINES }, (_, number) => line(number)).join("");
  await Promise.all(Array.from({ length: PER_FOLDER }, (_, file) => writeFile(join(folder, `file${file}.txt`), text)));
}

async function measured(root: string, pattern: string): Promise<Row> {
  const signal = new AbortController().signal;
  const searched = createSearched();
  const page = { offset: 0, limit: 50, context: 0 };
  const began = performance.now();
  const files = searchFiles({ needle: createNeedle(pattern, false), page, searched, clock: systemClock, signal });
  const where = { root, userHome: root, includeIgnored: false, clock: systemClock, signal, within: 60_000 };
  await walk(where, (path, relative) => files.visit(path, relative));
  await files.end();
  const ms = performance.now() - began;
  return {
    name: `search of ${FILES} files: ${pattern}`,
    value: ms,
    unit: "ms",
    bound: { is: "<=", of: 5_000 },
    note: `${searched.total} hits`,
  };
}
