import { compareRows } from "../../../lib/browser/snapshot/difference.js";
import { fitText } from "../../../lib/browser/snapshot/fit.js";
import { countElements } from "../../../lib/browser/snapshot/page-file.js";
import type { Wanted } from "../../../lib/browser/snapshot/rank.js";
import { cleanText } from "../../../lib/browser/snapshot/row.js";
import { countKinds, summarize } from "../../../lib/browser/snapshot/summary.js";
import type { BrowserAnswer } from "../../../lib/contracts/browser/browser.js";
import type { BrowserSession, DownloadNews } from "../session.js";
import { type Look, look, writePage } from "./look.js";
import { memoryOf, pageMemoryOf } from "./memory.js";

/** Bytes of the JSON of an answer: 2 KB less the label that marks it as data from outside. */
const ANSWER_BYTES = 1_850;
const URL_BYTES = 240;
const TITLE_BYTES = 120;
const TEXT_BYTES = 400;
/** An action on a page that stays tells what it did; the rest of the page is known. */
const CHANGE_BYTES = 1_000;

export type Value = Readonly<Record<string, unknown>>;

export const shortUrl = (url: string): string => fitText(cleanText(url), URL_BYTES);
export const shortTitle = (title: string): string => fitText(cleanText(title), TITLE_BYTES);
/** A text of the page or of the driver within an answer. */
export const shortText = (text: string, max: number = TEXT_BYTES): string => fitText(cleanText(text), max);

/** A failure that says what to do. */
export const toFailedAnswer = (error: string, more: Value = {}): BrowserAnswer => ({
  value: { success: false, error: shortText(error, TEXT_BYTES * 2), ...more },
});

const sizeOf = (value: Value): number => Buffer.byteLength(JSON.stringify(value));

export interface PageAnswer {
  readonly find?: Wanted;
  /** The whole page is shown, not only what an action has changed. */
  readonly whole: boolean;
}

/** What a command answers: its own facts, then as much of the page as fits. */
export async function answerPage(
  session: BrowserSession,
  facts: Value,
  how: PageAnswer,
  signal: AbortSignal,
): Promise<BrowserAnswer> {
  const news = await takeDownloads(session);
  const seen = await look(session);
  signal.throwIfAborted(); // an answer that does not arrive does not count as shown
  return { value: await tellPage(session, seen, { ...facts, ...news }, how) };
}

/** Report a page, and remember what was reported. */
async function tellPage(
  session: BrowserSession,
  seen: Look,
  facts: Value,
  { find, whole }: PageAnswer,
): Promise<Value> {
  const memory = memoryOf(session);
  const pageMemory = pageMemoryOf(memory, seen.page);
  const { shown } = pageMemory;
  const difference = shown === undefined ? undefined : compareRows(shown, seen.rows);
  const fresh = whole || difference === undefined || difference.replaced;
  const file = await writePage(session, seen);
  const value = {
    ...facts,
    url: shortUrl(seen.url),
    ...(fresh
      ? { title: shortTitle(seen.title), element_count: countElements(seen.rows), counts: countKinds(seen.rows) }
      : {}),
    ...(fresh ? { file } : {}),
    snapshot: "",
  };
  const room = ANSWER_BYTES - sizeOf(value);
  pageMemory.shown = seen.rows;
  const snapshot = summarize({
    rows: seen.rows,
    ...(difference === undefined ? {} : { difference }),
    ...(find === undefined ? {} : { find }),
    ...(memory.near === undefined ? {} : { near: memory.near }),
    whole,
    max: fresh ? room : Math.min(room, CHANGE_BYTES),
  });
  return { ...value, snapshot };
}

/** How long a download that an action has begun is waited for. */
const DOWNLOAD_MS = 10_000;
const NEWS_SHOWN = 3;

/** Files that have come since the last answer. */
async function takeDownloads(session: BrowserSession): Promise<Value> {
  const { downloads } = session;
  const news = await downloads.taken(downloads.running() > 0 ? DOWNLOAD_MS : 0);
  const running = downloads.running();
  return {
    ...(news.length === 0 ? {} : { downloads: news.slice(-NEWS_SHOWN).map(toldDownload) }),
    ...(running === 0 ? {} : { downloads_running: running }),
  };
}

const toldDownload = ({ name, path, bytes, error }: DownloadNews): Value =>
  path === undefined ? { name: shortText(name, 100), error: shortText(error ?? "failed", 200) } : { path, bytes };

/** As many items of a list as fit beside the facts. */
export function fitList(facts: Value, key: string, items: readonly unknown[], max: number = ANSWER_BYTES): Value {
  const kept: unknown[] = [];
  let room = max - sizeOf({ ...facts, [key]: [], left_out: items.length });
  for (const item of items) {
    room -= Buffer.byteLength(JSON.stringify(item)) + 1;
    if (room < 0) break;
    kept.push(item);
  }
  const left = items.length - kept.length;
  return { ...facts, [key]: kept, ...(left === 0 ? {} : { left_out: left }) };
}
