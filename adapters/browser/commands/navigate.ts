import type { Page } from "playwright-core";
import type { BrowserAnswer, BrowserFind } from "../../../lib/contracts/browser/browser.js";
import type { BrowserSession } from "../session.js";
import { answerPage, shortUrl, toFailedAnswer, type Value } from "./answer.js";
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
  if (refusal !== undefined) return toFailedAnswer(refusal, { url: shortUrl(url) });
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
    if (status === 403 && sentOn !== undefined) return toFailedAnswer(sentOn.reason, { url: shortUrl(sentOn.url) });
    if (status >= 400) facts = { status };
  } catch (error) {
    if (/Download is starting/.test(driverText(error))) facts = { note: "the address is a download, not a page" };
    else {
      const why = session.refused().find((one) => !refusedBefore.has(one))?.reason;
      return toFailedAnswer(why ?? navigationFailure(error), { url: shortUrl(url) });
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

/** Titles of pages that ask whether a person is there. */
const TITLES =
  /just a moment|attention required|checking your browser|security check|verify (that )?you are (a )?human|are you a robot|robot check|access denied|pardon our interruption|ddos[- ]protection/i;
/** Their words; pages about such words are longer. */
const WORDS =
  /verify (that )?you are (a )?human|checking (if the site connection is secure|your browser)|unusual traffic from your|complete the (captcha|security check)|press (&|and) hold|enable javascript and cookies to continue/i;
const FRAMES =
  /challenges\.cloudflare\.com|google\.com\/recaptcha|hcaptcha\.com|captcha-delivery\.com|arkoselabs\.com/i;
const LONGEST_WORDS = 3_000;
const TEXT = `(document.body?.innerText ?? "").slice(0, ${LONGEST_WORDS + 1})`;

/** What shows that a page holds programs off; undefined: nothing does. */
async function challengeOf(page: Page, title: string): Promise<string | undefined> {
  const text: unknown = await page.evaluate(TEXT).catch(() => ""); // it went to another document
  const words = typeof text === "string" && text.length <= LONGEST_WORDS && WORDS.test(text);
  const frame = page.frames().some((one) => FRAMES.test(one.url()));
  if (!TITLES.test(title) && !words && !frame) return undefined;
  return "The site checks whether a person is there. Wait and take a snapshot once; if it stays, ask the user or use another source. Do not try to pass as a person.";
}

/** Go back in the history; a page that another one has opened, without a history, is closed. */
export async function goBack(session: BrowserSession, signal: AbortSignal): Promise<BrowserAnswer> {
  const page = session.page();
  const before = page.url();
  memoryOf(session).near = undefined;
  try {
    await page.goBack({ waitUntil: "domcontentloaded", timeout: LOAD_MS });
  } catch (error) {
    return toFailedAnswer(navigationFailure(error), { url: shortUrl(page.url()) });
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
