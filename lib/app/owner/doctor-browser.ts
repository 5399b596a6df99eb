import { browserLine, leaseLines } from "../../commands/browser/text.js";
import type { BrowserApi } from "../../contracts/browser/browser.js";
import type { Check } from "../../contracts/check.js";

/** Which browser the browser tools use, how it runs, and the profiles that are leased. No browser is started. */
export async function examineBrowser(browser: Pick<BrowserApi, "status">): Promise<readonly Check[]> {
  const status = await browser.status();
  const name = "browser";
  const detail = [browserLine(status), ...(status.note === null ? [] : [status.note]), ...leaseLines(status)].join(
    "; ",
  );
  if (status.kind !== "none") return [{ name, status: "ok", detail }];
  return [{ name, status: "warn", detail, fix: "agent help browser explains which browser is used" }];
}
