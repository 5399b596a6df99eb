import type { BrowserAnswer, BrowserFind } from "../../../lib/contracts/browser/browser.js";
import type { BrowserSession } from "../session.js";
import { answerPage, failed, shortUrl, type Value } from "./answer.js";
import { challengeOf } from "./challenge.js";
import { driverText, navigationFailure } from "./failure.js";
import { memoryOf } from "./memory.js";
import { settle } from "./settle.js";
import { titleOf } from "./title.js";

const LOAD_MS = 20_000;

/** Open an address in the current page. */
export async function navigate(
  session: BrowserSession,
  { url, find }: { readonly url: string; readonly find?: BrowserFind },
  signal: AbortSignal,
): Promise<BrowserAnswer> {
  const refusal = await session.refusal(url);
  if (refusal !== undefined) return failed(refusal, { url: shortUrl(url) });
  const memory = memoryOf(session);
  memory.near = undefined;
  const refusedBefore = new Set(session.refused());
  let facts: Value = {};
  try {
    const response = await session.page().goto(url, { waitUntil: "domcontentloaded", timeout: LOAD_MS });
    const status = response?.status() ?? 0;
    // A server may have sent the page on to a place where it must not go: what loaded is what the proxy says about that.
    const address = response?.url();
    const sentOn = session.refused().find((one) => !refusedBefore.has(one) && one.url === address);
    if (status === 403 && sentOn !== undefined) return failed(sentOn.reason, { url: shortUrl(sentOn.url) });
    if (status >= 400) facts = { status };
  } catch (error) {
    if (/Download is starting/.test(driverText(error))) facts = { note: "the address is a download, not a page" };
    else {
      const why = session.refused().find((one) => !refusedBefore.has(one))?.reason;
      return failed(why ?? navigationFailure(error), { url: shortUrl(url) });
    }
  }
  await settle(session, signal);
  return answerPage(session, { success: true, ...facts, ...(await warning(session)) }, wholeOf(find), signal);
}

const wholeOf = (find: BrowserFind | undefined) => ({ whole: true, ...(find === undefined ? {} : { find }) });

async function warning(session: BrowserSession): Promise<Value> {
  const page = session.page();
  const found = await challengeOf(page, await titleOf(session, page));
  return found === undefined ? {} : { bot_detection_warning: found };
}

/** Go back in the history; a page that another one has opened, without a history, is closed. */
export async function goBack(session: BrowserSession, signal: AbortSignal): Promise<BrowserAnswer> {
  const page = session.page();
  const before = page.url();
  memoryOf(session).near = undefined;
  try {
    await page.goBack({ waitUntil: "domcontentloaded", timeout: LOAD_MS });
  } catch (error) {
    return failed(navigationFailure(error), { url: shortUrl(page.url()) });
  }
  let note: Value = {};
  if (page.url() === before && session.pages().length > 1) {
    await page.close();
    note = { note: "the page had no history and was closed; the one before it is the current one again" };
  } else if (page.url() === before)
    note = { note: "the address is the same: there is nothing to go back to, or the page holds you here" };
  await settle(session, signal);
  return answerPage(session, { success: true, ...note }, { whole: true }, signal);
}
