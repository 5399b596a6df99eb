import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Ids } from "../../../lib/base/ids.js";
import type { Spawner } from "../../../lib/base/process/spawn.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { BrowserPlace } from "../../../lib/contracts/browser/browser.js";
import type {
  BrowserLauncher,
  BrowserRoom,
  BrowserSource,
  OpenBrowser,
} from "../../../lib/contracts/browser/engine.js";
import type { FilterOptions } from "../../../lib/safety/net/address-filter.js";
import { runCommand } from "../commands/index.js";
import { attachBrowser, openElsewhere } from "./attach.js";
import type { DialogParts } from "./dialogs.js";
import { launchBrowser } from "./launch.js";
import { type OpenSession, openSession, type SessionParts } from "./open-session.js";

export interface DoorParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly spawner: Spawner;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory of the profiles of browsers that are started. */
  readonly profiles: string;
  readonly self: { readonly pid: number; readonly root: boolean };
  readonly net: FilterOptions;
  readonly dialogs: Omit<DialogParts, "clock">;
}

/** Browsers of this machine, of a person, and of plugins. */
export function createBrowserLauncher(parts: DoorParts): BrowserLauncher {
  return {
    open: (wish) => (wish.kind === "local" ? openLocal(parts, wish) : openRemote(parts, wish)),
  };
}

const sessionParts = (parts: DoorParts, { dir }: BrowserPlace): SessionParts => ({
  dir,
  net: parts.net,
  dialogs: { ...parts.dialogs, clock: parts.clock },
});

async function openLocal(parts: DoorParts, wish: Extract<BrowserSource, { kind: "local" }>): Promise<OpenBrowser> {
  const launched = await launchBrowser({ ...parts, program: wish.program }, new AbortController().signal);
  return {
    wish,
    note: launched.note,
    version: launched.browser.version(),
    ended: launched.ended,
    room: async (place) => roomOf(await openSession(launched, sessionParts(parts, place))),
    close: launched.close,
  };
}

async function openRemote(
  parts: DoorParts,
  wish: Exclude<BrowserSource, { readonly kind: "local" }>,
): Promise<OpenBrowser> {
  const started = wish.kind === "provider" ? await wish.open() : { endpoint: wish.endpoint };
  const browser: Browser = await attachBrowser(started.endpoint);
  // Without a listener the driver would dismiss the dialogs of a person's own pages.
  if (wish.kind === "attached") for (const context of browser.contexts()) context.on("dialog", () => undefined);
  const ended = new Promise<string>((resolve) => {
    browser.once("disconnected", () => resolve("the connection to the browser has ended"));
  });
  return {
    wish,
    note: wish.kind === "attached" ? "tools act in your own browser, with your logins" : null,
    version: browser.version(),
    ended,
    room: async (place) => roomOf(await openElsewhere(browser, wish.kind, sessionParts(parts, place))),
    close: async () => {
      await browser.close().catch(() => undefined); // the connection has ended already
      await started.close?.();
    },
  };
}

function roomOf(open: OpenSession): BrowserRoom {
  let gone: string | undefined;
  const left = open.left.then((reason) => {
    gone ??= reason;
    open.close().catch(() => undefined); // it has ended with its browser
  });
  return {
    run: async (command, signal) => {
      await open.ready();
      const news = await runCommand(open.session, command, signal);
      const downloads = await open.session.downloads.taken();
      return downloads.length === 0 ? news : { ...news, value: { ...news.value, downloads } };
    },
    gone: () => gone,
    left,
    halt: async () => {
      await Promise.all(open.session.pages().map((page) => stopLoading(open.session.context, page)));
    },
    close: open.close,
  };
}

async function stopLoading(context: BrowserContext, page: Page): Promise<void> {
  const control = await context.newCDPSession(page);
  await control.send("Page.stopLoading");
  await control.send("Runtime.terminateExecution");
  await control.detach();
}
