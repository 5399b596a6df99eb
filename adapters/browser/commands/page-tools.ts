import { join } from "node:path";
import { listNames } from "../../../lib/base/fs/directory.js";
import { removeFile, writeAtomic } from "../../../lib/base/fs/files.js";
import { isRecord } from "../../../lib/base/json/record.js";
import { fitText } from "../../../lib/browser/snapshot/fit.js";
import { cleanText, type Row } from "../../../lib/browser/snapshot/row.js";
import type { BrowserAnswer } from "../../../lib/contracts/browser/browser.js";
import type { BrowserSession } from "../session.js";
import { fitList, shortText, shortUrl, toFailedAnswer } from "./answer.js";
import { driverText } from "./failure.js";
import { look } from "./look.js";
import { drawScript, ERASE, IMAGES } from "./scripts.js";

const VALUE_BYTES = 1_500;
const SCREENSHOTS_KEPT = 20;

/** What the page has written to its console, the newest first, or the value of an expression. */
export async function readConsole(
  session: BrowserSession,
  { clear, expression }: { readonly clear: boolean; readonly expression?: string },
): Promise<BrowserAnswer> {
  if (expression !== undefined) return evaluate(session, expression);
  const lines = session.console
    .lines()
    .toReversed()
    .map(({ type, text, at }) => ({
      type,
      text: shortText(text, 300),
      ...(at === undefined ? {} : { at: shortText(at, 120) }),
    }));
  if (clear) session.console.clear();
  return { value: fitList({ success: true, count: lines.length }, "messages", lines) };
}

async function evaluate(session: BrowserSession, expression: string): Promise<BrowserAnswer> {
  try {
    const value: unknown = await session.page().evaluate(expression);
    const json = value === undefined ? "undefined" : JSON.stringify(value);
    const text = (json ?? "null").toWellFormed();
    const cut = fitText(text, VALUE_BYTES);
    return { value: { success: true, value: cut, ...(cut === text ? {} : { chars: text.length, truncated: true }) } };
  } catch (error) {
    return toFailedAnswer(
      driverText(error)
        .replace(/^page\.evaluate: /, "")
        .split("\n")[0] ?? "",
    );
  }
}

const IMAGE_URL = 200;

/** Pictures of the page. */
export async function listImages(session: BrowserSession): Promise<BrowserAnswer> {
  const found: unknown = await session.page().evaluate(IMAGES);
  const images = (Array.isArray(found) ? found : []).filter(isRecord).map(({ src, alt, width, height }) => ({
    src: fitText(cleanText(String(src)).slice(0, 2_000), IMAGE_URL),
    alt: shortText(String(alt ?? ""), 100),
    width: Number(width),
    height: Number(height),
  }));
  return { value: fitList({ success: true, count: images.length }, "images", images) };
}

/** A picture of what the window shows. */
export async function takeScreenshot(session: BrowserSession, annotate: boolean): Promise<BrowserAnswer> {
  const { page, rows, url } = await look(session);
  const marks = annotate ? drawn(rows, page.viewportSize() ?? undefined) : [];
  if (marks.length > 0) await page.evaluate(drawScript(marks));
  let picture: Buffer;
  try {
    picture = await page.screenshot({ type: "png", animations: "disabled", timeout: 15_000 });
  } finally {
    if (marks.length > 0) await page.evaluate(ERASE);
  }
  const path = await keepPicture(session, picture);
  const value = {
    success: true,
    url: shortUrl(url),
    screenshot_path: path,
    ...(annotate
      ? { annotated: marks.length, ...(marks.length === DRAWN_MOST ? { note: "not all are numbered" } : {}) }
      : {}),
  };
  return { value, screenshot: path };
}

/** More numbers than that cannot be read. */
const DRAWN_MOST = 100;

interface Mark {
  readonly ref: string;
  readonly box: readonly number[];
}

/** Places of interactive elements that the window shows. */
function drawn(
  rows: readonly Row[],
  view: { readonly width: number; readonly height: number } = { width: 1280, height: 800 },
): readonly Mark[] {
  return rows
    .flatMap(({ ref, box, interactive }) => {
      if (!interactive || ref === undefined || box === undefined) return [];
      const inside = box.x < view.width && box.y < view.height && box.x + box.width > 0 && box.y + box.height > 0;
      return inside ? [{ ref, box: [box.x, box.y, box.width, box.height] }] : [];
    })
    .slice(0, DRAWN_MOST);
}

async function keepPicture(session: BrowserSession, picture: Buffer): Promise<string> {
  const names = listNames(session.dir).filter((name) => /^screenshot-\d+\.png$/.test(name));
  const numbers = names.map((name) => Number(/\d+/.exec(name)?.[0] ?? 0)).toSorted((a, b) => b - a);
  const path = join(session.dir, `screenshot-${(numbers[0] ?? 0) + 1}.png`);
  await writeAtomic(path, picture, 0o600, false);
  for (const number of numbers.slice(SCREENSHOTS_KEPT - 1))
    await removeFile(join(session.dir, `screenshot-${number}.png`));
  return path;
}
