import type { Page } from "playwright-core";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { BrowserSession } from "../session.js";

const TITLE_MS = 2_000;

/** Title of a page. The driver asks a page that closes or is replaced just then for ever; such a page does not have one. */
export async function titleOf({ clock }: Pick<BrowserSession, "clock">, page: Page): Promise<string> {
  let title = "";
  const asked = page.title().then(
    (text) => {
      title = text;
    },
    () => undefined, // it has closed
  );
  await settlesWithin(clock, TITLE_MS, asked);
  return title;
}
