import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { noBrowser, startBrowser } from "../../fixtures/dashboard/browser.js";
import { runAgent } from "./drive.js";

/** As wide as the board needs it, as high as its cards. */
const SIZE = { width: 1280, height: 480 };
const FILE = resolve("fixtures/dashboard/dashboard.png");
/** A picture that is larger does not belong into the repository. */
const MOST_BYTES = 150 * 1024;

interface Scene {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Longest time that the dashboard is held open. */
const OPEN_MS = 60_000;

/** Look at the board of a running owner in the installed browser. Without a browser the picture stays as it is. @returns the file, if it was written */
export async function pictureDashboard({ env, cwd }: Scene): Promise<string | undefined> {
  if (noBrowser() !== false) return undefined;
  let held: Promise<unknown> | undefined;
  const url = await new Promise<string>((resolveUrl, reject) => {
    const onLine = (line: string): void => {
      if (line.includes("#code=")) resolveUrl(line.trim());
    };
    held = runAgent(["dashboard", "--port", "0", "--no-open"], { env, cwd, onLine, deadlineMs: OPEN_MS });
    held.then(() => reject(new Error("the dashboard has ended")), reject);
  });
  const browser = await startBrowser();
  try {
    const { page } = await browser.window({ viewport: SIZE, colorScheme: "light" });
    await page.goto(url);
    await page.locator(".connection-open").waitFor();
    await page.locator(".card", { hasText: "changelog" }).first().waitFor();
    const bytes = await page.screenshot();
    if (bytes.length > MOST_BYTES)
      throw new Error(`the picture of the dashboard has ${bytes.length} bytes, more than ${MOST_BYTES}`);
    writeFileSync(FILE, bytes);
    return FILE;
  } finally {
    await browser.close();
    await runAgent(["dashboard", "--stop"], { env, cwd });
    await held;
  }
}
