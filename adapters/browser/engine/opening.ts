import type { Browser, Page } from "playwright-core";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";

/** Pages that the browser opens on behalf of the session's pages. The driver shows each of them later, when it is ready to be used. */
export interface Opening {
  /** A page of the session: what it opens belongs to the session. Resolves when that is known. */
  shown(page: Page): Promise<void>;
  /** Resolves when the driver shows all that were opened so far, at most `ms` later; what it has not shown by then is forgotten. */
  settled(ms: Ms): Promise<void>;
  end(): void;
}

const UNKNOWN: Opening = {
  shown: async () => undefined,
  settled: async () => undefined,
  end: () => undefined,
};

/** Ask the browser for news of its pages. */
export async function watchOpening(browser: Browser, clock: Clock): Promise<Opening> {
  try {
    return await follow(browser, clock);
  } catch {
    /* ok to lose: some providers give no news of the whole browser. A page that opens late is met by the next command there. */
    return UNKNOWN;
  }
}

async function follow(browser: Browser, clock: Clock): Promise<Opening> {
  const ours = new Set<string>();
  const opening = new Set<string>();
  const waiting = new Set<() => void>();
  const done = (id: string): void => {
    opening.delete(id);
    if (opening.size === 0) for (const each of [...waiting]) each();
  };
  const control = await browser.newBrowserCDPSession();
  control.on("Target.targetCreated", ({ targetInfo: { targetId, type, openerId } }) => {
    if (type === "page" && openerId !== undefined && ours.has(openerId) && !ours.has(targetId)) opening.add(targetId);
  });
  control.on("Target.targetDestroyed", ({ targetId }) => done(targetId));
  await control.send("Target.setDiscoverTargets", { discover: true });
  return {
    shown: async (page) => {
      const look = await page.context().newCDPSession(page);
      const { targetInfo } = await look.send("Target.getTargetInfo");
      await look.detach();
      ours.add(targetInfo.targetId);
      done(targetInfo.targetId);
    },
    settled: (ms) =>
      new Promise((resolve) => {
        if (opening.size === 0) return resolve();
        const end = (): void => {
          cancel();
          waiting.delete(end);
          resolve();
        };
        const cancel = clock.after(ms, () => {
          opening.clear();
          end();
        });
        waiting.add(end);
      }),
    end: () => {
      control.detach().catch(() => undefined); // the browser has gone
    },
  };
}
