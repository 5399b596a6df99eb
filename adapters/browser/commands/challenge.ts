import type { Page } from "playwright-core";

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
export async function challengeOf(page: Page, title: string): Promise<string | undefined> {
  const text: unknown = await page.evaluate(TEXT).catch(() => ""); // it went to another document
  const words = typeof text === "string" && text.length <= LONGEST_WORDS && WORDS.test(text);
  const frame = page.frames().some((one) => FRAMES.test(one.url()));
  if (!TITLES.test(title) && !words && !frame) return undefined;
  return "The site checks whether a person is there. Wait and take a snapshot once; if it stays, ask the user or use another source. Do not try to pass as a person.";
}
