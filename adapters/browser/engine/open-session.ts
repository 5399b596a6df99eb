import type { Browser, BrowserContext, Page } from "playwright-core";
import { makeDir } from "../../../lib/base/fs/directory.js";
import type { FilterOptions } from "../../../lib/safety/net/address-filter.js";
import { type FilterProxy, openFilterProxy } from "../../../lib/safety/net/filter-proxy.js";
import type { BrowserSession, RefusedRequest } from "../session.js";
import { watchConsole } from "./console.js";
import { type DialogParts, watchDialogs } from "./dialogs.js";
import { createDownloads, DOWNLOAD_BYTES } from "./downloads.js";
import { navigationRefusal } from "./navigation.js";
import { watchOpening } from "./opening.js";
import type { PipeTransport } from "./pipe-transport.js";

const VIEWPORT = { width: 1280, height: 800 };

export interface SessionParts {
  readonly dir: string;
  readonly net: FilterOptions;
  readonly dialogs: DialogParts;
}

/** A session, and what only its keeper may do with it. */
export interface OpenSession {
  readonly session: BrowserSession;
  /** Makes sure that there is a page. */
  ready(): Promise<void>;
  /** Resolves with the reason when the context or its page has gone. */
  readonly left: Promise<string>;
  close(): Promise<void>;
}

/** A context of its own in a browser that was started here. Everything it loads goes through a filtering proxy of its own. */
export async function openSession(
  { browser, transport }: { readonly browser: Browser; readonly transport: PipeTransport },
  parts: SessionParts,
): Promise<OpenSession> {
  const proxy = await openFilterProxy(parts.net);
  try {
    const context = await browser.newContext({
      proxy: { server: proxy.url },
      viewport: VIEWPORT,
      acceptDownloads: true,
      permissions: [],
    });
    const stop = await limitDownloads(browser, transport, context);
    const open = await sessionOf(context, { ...parts, ...proxyRules(proxy), browser, tooLarge: stop.tooLarge });
    const close = async () => {
      stop.end();
      await context.close().catch(() => undefined); // the browser has gone, and the context with it
      await open.close();
      await proxy.close();
    };
    return { ...open, close };
  } catch (error) {
    await proxy.close();
    throw error;
  }
}

/** What a session asks of the guard. */
interface Rules {
  readonly refusal: (url: string) => Promise<string | undefined>;
  readonly refused: () => readonly RefusedRequest[];
}

const proxyRules = (proxy: FilterProxy): Rules => ({
  refusal: async (url) => navigationRefusal(url) ?? (url.startsWith("about:") ? undefined : await proxy.refusal(url)),
  refused: () => proxy.refused(),
});

/** Downloads that grow too large are stopped while they come. */
async function limitDownloads(browser: Browser, transport: PipeTransport, context: BrowserContext) {
  const control = await browser.newBrowserCDPSession();
  const tooLarge = new Set<string>();
  const urls = new Map<string, string>();
  // Without its context the browser looks for the download among those of no session.
  let id: string | undefined;
  const contextId = async (): Promise<string | undefined> => {
    const [page] = context.pages();
    if (page === undefined) return undefined;
    const look = await context.newCDPSession(page);
    const { targetInfo } = await look.send("Target.getTargetInfo");
    await look.detach();
    return targetInfo.browserContextId;
  };
  const cancel = async (guid: string): Promise<void> => {
    id ??= await contextId();
    if (id !== undefined) await control.send("Browser.cancelDownload", { guid, browserContextId: id });
  };
  const begun = transport.on("Browser.downloadWillBegin", ({ guid, url }) => {
    urls.set(String(guid), String(url));
  });
  const going = transport.on("Browser.downloadProgress", ({ guid, receivedBytes, totalBytes, state }) => {
    const one = String(guid);
    const url = urls.get(one) ?? "";
    if (state !== "inProgress") urls.delete(one);
    else if (Number(receivedBytes) > DOWNLOAD_BYTES || Number(totalBytes) > DOWNLOAD_BYTES) {
      tooLarge.add(url);
      cancel(one).catch(() => undefined); // it has ended meanwhile, or is that of another session
    }
  });
  const end = () => {
    begun();
    going();
    control.detach().catch(() => undefined); // the browser has gone
  };
  return { tooLarge, end };
}

/** What a session is made of, however its context was come by. */
export interface SessionSource extends SessionParts, Rules {
  readonly browser: Browser;
  readonly tooLarge: ReadonlySet<string>;
  /** The context is a person's: only the page that is opened here, and what that opens, belongs to the session. */
  readonly shared?: boolean;
  /** Called with each page before it is used. */
  readonly guard?: (page: Page) => Promise<void>;
}

/** The session around a context. */
export async function sessionOf(context: BrowserContext, source: SessionSource): Promise<OpenSession> {
  const { dir, net, browser, shared = false } = source;
  makeDir(dir);
  let leave: (reason: string) => void = () => undefined;
  const left = new Promise<string>((resolve) => {
    leave = resolve;
  });
  const gone = () => leave("the browser has gone");
  context.once("close", gone);
  const pages = createPages(leave);
  const opening = await watchOpening(browser, net.clock);
  const isOurs = (page: Page | null): boolean => !shared || (page !== null && pages.open().includes(page));
  const dialogs = watchDialogs(context, source.dialogs, isOurs);
  const console = watchConsole(context, isOurs);
  const downloads = createDownloads({ clock: net.clock, dir, tooLarge: source.tooLarge });
  const add = (page: Page): void => {
    page.on("download", downloads.begin);
    pages.add(page);
    opening.shown(page).catch(() => undefined); // the page has gone
    source.guard?.(page).catch(() => undefined); // the page has gone
  };
  const onPage = (page: Page): void => {
    if (shared)
      addPopup(page, isOurs, add).catch(() => undefined); // the page has gone
    else add(page);
  };
  context.on("page", onPage);
  const ready = async () => {
    if (pages.open().length > 0) return;
    const page = await context.newPage();
    await opening.shown(page);
    if (!shared) return;
    await source.guard?.(page);
    page.on("download", downloads.begin);
    pages.add(page);
  };
  await ready();
  const session: BrowserSession = {
    context,
    clock: net.clock,
    dir,
    page: pages.current,
    pages: pages.open,
    opened: opening.settled,
    choose: pages.choose,
    dialogs,
    console,
    downloads,
    refusal: source.refusal,
    refused: source.refused,
    state: new Map(),
  };
  const close = async () => {
    context.off("close", gone);
    context.off("page", onPage);
    dialogs.close();
    console.close();
    opening.end();
  };
  return { session, ready, left, close };
}

async function addPopup(page: Page, isOurs: (page: Page | null) => boolean, add: (page: Page) => void): Promise<void> {
  if (isOurs(await page.opener())) add(page);
}

/** The pages of a session in the order of their opening, and the current one. */
function createPages(leave: (reason: string) => void) {
  const order: Page[] = [];
  const chosen: Page[] = [];
  return {
    open: (): readonly Page[] => [...order],
    current: (): Page => {
      const page = chosen.at(-1);
      if (page === undefined) throw new Error("the page was closed");
      return page;
    },
    choose: (page: Page): void => {
      const at = chosen.indexOf(page);
      if (at !== -1) chosen.push(...chosen.splice(at, 1));
    },
    add: (page: Page): void => {
      order.push(page);
      chosen.push(page);
      page.once("crash", () => leave("the page has crashed"));
      page.once("close", () => {
        for (const list of [order, chosen]) {
          const at = list.indexOf(page);
          if (at !== -1) list.splice(at, 1);
        }
      });
    },
  };
}
