import type { Locator, Page } from "playwright-core";
import { type Row, renderRow } from "../../../lib/browser/snapshot/row.js";
import { renderCandidates } from "../../../lib/browser/snapshot/summary.js";
import type { BrowserStep } from "../../../lib/contracts/browser/browser.js";
import type { BrowserSession } from "../session.js";
import { shortText, shortTitle, shortUrl, type Value } from "./answer.js";
import { actionFailure, driverText } from "./failure.js";
import { type Look, look } from "./look.js";
import { keepSecret, memoryOf } from "./memory.js";
import { scrollScript } from "./scripts.js";
import { settle } from "./settle.js";
import type { StepOutcome } from "./step-outcome.js";
import { titleOf } from "./title.js";
import { waitFor } from "./wait-for.js";

/** An element becomes ready within this time, or the step fails. */
const ACTION_MS = 10_000;

/** Do one step, and wait until the page has taken it. */
export async function actOn(session: BrowserSession, step: BrowserStep, signal: AbortSignal): Promise<StepOutcome> {
  if ("wait_for" in step) return waitFor(session, step.wait_for, signal);
  const before = new Set(session.pages());
  const url = session.page().url();
  const done = await doStep(session, step);
  if (!done.ok) return done;
  await settle(session, signal);
  return { ok: true, facts: { ...done.facts, ...(await travelFacts(session, before, url)) } };
}

/** Where the step led: another address, a page that opened or closed. */
async function travelFacts(session: BrowserSession, before: ReadonlySet<Page>, url: string): Promise<Value> {
  const opened = session.pages().filter((page) => !before.has(page));
  const closed = [...before].some((page) => page.isClosed());
  const page = opened.at(-1);
  if (page !== undefined) memoryOf(session).near = undefined;
  const title = page === undefined ? "" : await titleOf(session, page);
  return {
    ...(session.page().url() === url ? {} : { navigated: true }),
    ...(page === undefined
      ? {}
      : { opened: { url: shortUrl(page.url()), title: shortTitle(title), note: "this page is the current one now" } }),
    ...(closed && opened.length === 0
      ? { note: "the page has closed; the one before it is the current one again" }
      : {}),
  };
}

type ElementStep = Exclude<
  BrowserStep,
  { readonly press: unknown } | { readonly scroll: unknown } | { readonly wait_for: unknown }
>;

async function doStep(
  session: BrowserSession,
  step: Exclude<BrowserStep, { readonly wait_for: unknown }>,
): Promise<StepOutcome> {
  try {
    if ("press" in step) {
      await session.page().keyboard.press(step.press.key);
      return DONE;
    }
    if ("scroll" in step) return { ok: true, facts: await scroll(session, step.scroll.direction === "down") };
    return await onElement(session, step);
  } catch (error) {
    return { ok: false, error: actionFailure(error), facts: {} };
  }
}

const DONE: StepOutcome = { ok: true, facts: {} };

async function onElement(session: BrowserSession, step: ElementStep): Promise<StepOutcome> {
  const seen = await look(session);
  const found = findElement(session, seen, refOf(step));
  if (!found.ok) return found;
  const { row, locator } = found;
  const memory = memoryOf(session);
  if (row.box !== undefined) memory.near = row.box;
  if ("click" in step) await locator.click({ timeout: ACTION_MS });
  else if ("hover" in step) await locator.hover({ timeout: ACTION_MS });
  else if ("select" in step) await locator.selectOption([...step.select.values], { timeout: ACTION_MS });
  else if ("type" in step) {
    if (step.type.secret === true) keepSecret(memory, step.type.text);
    await typeInto(seen.page, locator, step.type.text);
  } else if ("upload" in step) await upload(seen.page, locator, step.upload.files);
  else {
    const target = findElement(session, seen, step.drag.to);
    if (!target.ok) return target;
    await locator.dragTo(target.locator, { timeout: ACTION_MS });
  }
  return DONE;
}

function refOf(step: ElementStep): string {
  if ("click" in step) return step.click.ref;
  if ("hover" in step) return step.hover.ref;
  if ("select" in step) return step.select.ref;
  if ("type" in step) return step.type.ref;
  return "upload" in step ? step.upload.ref : step.drag.ref;
}

type Found =
  | { readonly ok: true; readonly row: Row; readonly locator: Locator }
  | Extract<StepOutcome, { readonly ok: false }>;

/** The element of a ref as the page is now; a ref of what has gone answers with what is most like it. */
function findElement(session: BrowserSession, { page, rows }: Look, ref: string): Found {
  const row = rows.find((one) => one.ref === ref);
  if (row?.driverRef !== undefined) return { ok: true, row, locator: page.getByRef(row.driverRef) };
  const known = memoryOf(session).refs.known(ref);
  if (known === undefined)
    return { ok: false, error: `unknown ref ${shortText(ref, 40)}: take refs from the last snapshot`, facts: {} };
  const candidates = renderCandidates(rows, known);
  return {
    ok: false,
    error: `stale ref ${ref}: ${shortText(renderRow({ ...GONE, ...known }, 60), 120)} has gone, nothing was done`,
    facts: candidates.length === 0 ? {} : { candidates },
  };
}

const GONE: Omit<Row, "role" | "name"> = { text: "", states: [], depth: 0, parent: -1, interactive: true };

/** Put a text into a field in place of what it holds. What only looks like a field is typed into like a person would. */
async function typeInto(page: Page, locator: Locator, text: string): Promise<void> {
  try {
    await locator.fill(text, { timeout: ACTION_MS });
  } catch (error) {
    if (!/not an <input>|does not have a role allowing/i.test(driverText(error))) throw error;
    await locator.click({ timeout: ACTION_MS });
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(text);
  }
}

/** Hand files to a field, or to the chooser that a click on the element opens. */
async function upload(page: Page, locator: Locator, files: readonly string[]): Promise<void> {
  const isField = await locator.evaluate("(one) => one instanceof HTMLInputElement && one.type === 'file'");
  if (isField === true) {
    await locator.setInputFiles([...files], { timeout: ACTION_MS });
    return;
  }
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser", { timeout: ACTION_MS }),
    locator.click({ timeout: ACTION_MS }),
  ]);
  await chooser.setFiles([...files]);
}

interface Scrolled {
  readonly top: number;
  readonly end: number;
  readonly page: boolean;
}

/** Scroll what the last action was in, else the page. */
async function scroll(session: BrowserSession, down: boolean): Promise<Value> {
  const page = session.page();
  const { near } = memoryOf(session);
  const view = page.viewportSize() ?? { width: 1280, height: 800 };
  const inView = near !== undefined && near.y >= 0 && near.y < view.height;
  const x = inView ? Math.min(view.width - 1, near.x + near.width / 2) : view.width / 2;
  const y = inView ? Math.min(view.height - 1, near.y + near.height / 2) : view.height / 2;
  const found = await page.evaluate<Scrolled | null>(scrollScript(Math.max(0, x), Math.max(0, y), down));
  if (found === null) {
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, (down ? 1 : -1) * Math.round(view.height * 0.8));
    return { position: `${down ? "down" : "up"} in the frame at the middle` };
  }
  const top = Number(found.top);
  const end = Number(found.end);
  return { position: `${top} of ${end} px${found.page ? "" : " of a list"}${top >= end ? ", the end" : ""}` };
}
