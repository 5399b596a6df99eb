import type { Page } from "playwright-core";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { BrowserSession } from "../session.js";
import { memoryOf, pageMemoryOf } from "./memory.js";
import { QUIET } from "./scripts.js";

/** An action shows its first effect within this time. */
const FIRST_MS = 40;
const POLL_MS = 40;
/** How long to wait for what an action has asked of its server; a page that never rests is shown as it is then. */
const LOADING_MS = 4_000;
const DOCUMENT_MS = 15_000;
const QUIET_MS = 1_500;
/** A page that was opened is there within this time. */
const OPENED_MS = 10_000;
/** On a busy machine an action shows its first effect late: a page that opened, or a request that began, while the page settled is waited for. */
const ROUNDS = 2;

/** Wait until the current page has taken what was done to it: its document is there, what it loads has come, and it does not change. */
export async function settle(session: BrowserSession, signal: AbortSignal): Promise<void> {
  await session.clock.sleep(FIRST_MS, signal);
  for (let round = 1; round <= ROUNDS; round++) {
    await session.opened(OPENED_MS);
    const page = session.page();
    const { loading } = pageMemoryOf(memoryOf(session), page);
    const rests = await settlePage(session, page, signal);
    if (session.page() === page && (!rests || loading.size === 0)) return;
  }
}

/** @returns whether all that it loads has come */
async function settlePage(session: BrowserSession, page: Page, signal: AbortSignal): Promise<boolean> {
  const { loading } = pageMemoryOf(memoryOf(session), page);
  await untilDocument(page);
  const until = session.clock.mono() + LOADING_MS;
  while (loading.size > 0 && session.clock.mono() < until && !page.isClosed()) {
    await session.clock.sleep(POLL_MS, signal);
    if ([...loading].some((request) => request.isNavigationRequest() && request.frame() === page.mainFrame()))
      await untilDocument(page);
  }
  const rests = loading.size === 0;
  const quiet = page.evaluate(QUIET).catch(() => undefined); // it went to another document, or has closed
  await settlesWithin(session.clock, QUIET_MS, quiet);
  return rests;
}

/** The document of the page is read. One that does not come in time is shown as it is. */
async function untilDocument(page: Page): Promise<void> {
  try {
    await page.waitForLoadState("domcontentloaded", { timeout: DOCUMENT_MS });
  } catch {
    /* ok to lose: the page has closed or loads for ever; looking at it says so. */
  }
}
