import { join } from "node:path";
import type { Frame, Page } from "playwright-core";
import { listNames } from "../../../lib/base/fs/directory.js";
import { removeFile, writeAtomic } from "../../../lib/base/fs/files.js";
import { isRecord } from "../../../lib/base/json/record.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import { renderPageFile } from "../../../lib/browser/snapshot/page-file.js";
import { readTree } from "../../../lib/browser/snapshot/read-tree.js";
import { type Box, cleanText, type Row } from "../../../lib/browser/snapshot/row.js";
import type { BrowserSession } from "../session.js";
import { keepSecret, type Memory, memoryOf, pageMemoryOf } from "./memory.js";
import { MARKS } from "./scripts.js";
import { titleOf } from "./title.js";

/** A page as it is now. */
export interface Look {
  readonly page: Page;
  readonly url: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Files of pages that a session keeps. */
const FILES_KEPT = 20;
/** A frame that does not answer is looked at without its marks. */
const MARKS_MS = 2_000;
const FRAMES_MOST = 60;
const TREE_MS = 25_000;

/** Look at the current page. @throws what the driver throws for a page that has gone or does not answer */
export async function look(session: BrowserSession): Promise<Look> {
  const memory = memoryOf(session);
  const page = session.page();
  const { number } = pageMemoryOf(memory, page);
  const tree: unknown = await page.ariaSnapshotJSON({ mode: "ai", boxes: true, timeout: TREE_MS });
  const editable = await readMarks(session, page, memory);
  const { rows } = readTree(tree, { refs: memory.refs, page: number, secrets: memory.secrets, editable });
  const title = await titleOf(session, page);
  return { page, url: cleanUrl(page.url()), title: cleanText(title), rows };
}

const cleanUrl = (url: string): string => cleanText(url);

/** Passwords of all frames are remembered before anything of the page is shown. */
async function readMarks(session: BrowserSession, page: Page, memory: Memory): Promise<readonly Box[]> {
  const editable: Box[] = [];
  const read = async (frame: Frame): Promise<void> => {
    const marks = await frame.evaluate<unknown>(MARKS).catch(() => undefined); // the frame has gone
    if (!isRecord(marks)) return;
    for (const secret of listOf(marks["secrets"])) if (typeof secret === "string") keepSecret(memory, secret);
    for (const place of listOf(marks["editable"])) {
      const [x, y, width, height] = listOf(place).map(Number);
      if (x !== undefined && y !== undefined && width !== undefined && height !== undefined)
        editable.push({ x, y, width, height });
    }
  };
  const frames = page.frames().slice(0, FRAMES_MOST);
  await settlesWithin(session.clock, MARKS_MS, Promise.all(frames.map(read)));
  return editable;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Write the page as a file of the session, and keep the newest. @returns its path; an unchanged page keeps its file */
export async function writePage(session: BrowserSession, { url, title, rows }: Look): Promise<string> {
  const memory = memoryOf(session);
  const text = renderPageFile({ url, title }, rows);
  if (memory.written?.text === text) return memory.written.path;
  const files = listNames(session.dir).filter((name) => /^page-\d+\.yaml$/.test(name));
  memory.files = Math.max(memory.files, ...files.map(numberOf)) + 1;
  const path = join(session.dir, `page-${memory.files}.yaml`);
  await writeAtomic(path, text, 0o600, false);
  memory.written = { text, path };
  const old = files.toSorted((a, b) => numberOf(b) - numberOf(a)).slice(FILES_KEPT - 1);
  for (const name of old) await removeFile(join(session.dir, name));
  return path;
}

const numberOf = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);
