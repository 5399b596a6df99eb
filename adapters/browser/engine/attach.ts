import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import { AppError } from "../../../lib/base/errors.js";
import type { Ms } from "../../../lib/base/units.js";
import { createAddressFilter } from "../../../lib/safety/net/address-filter.js";
import type { RefusedRequest } from "../session.js";
import { navigationRefusal } from "./navigation.js";
import { type OpenSession, type SessionParts, sessionOf } from "./open-session.js";
import { loadChromium } from "./playwright.js";

const CONNECT_MS: Ms = 15_000;
const REFUSED_KEPT = 50;

/** Connect to a browser that runs already. @throws AppError E_STATE when nothing answers there */
export async function attachBrowser(endpoint: string): Promise<Browser> {
  const chromium = await loadChromium();
  try {
    return await chromium.connectOverCDP(endpoint, { timeout: CONNECT_MS, noDefaults: true, isLocal: false });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new AppError("E_STATE", `no browser answers at ${endpoint} (${why})`, {
      hint: "start one with --remote-debugging-port=9222 --user-data-dir=<directory>, then connect to http://127.0.0.1:9222",
    });
  }
}

/** A browser answers there. @throws AppError E_STATE */
export async function probeEndpoint(endpoint: string): Promise<void> {
  await (await attachBrowser(endpoint)).close();
}

/**
 * A session in a browser that is not ours. In that of a person it is one page of their own context, beside their tabs, which are left alone; with a
 * provider it is a context of its own. Such a browser reaches the network without our proxy: each request of its pages is checked here before it is sent,
 * and one that is redirected to a forbidden place is ended when that is seen.
 */
export async function openElsewhere(
  browser: Browser,
  kind: "attached" | "provider",
  parts: SessionParts,
): Promise<OpenSession> {
  const [first] = browser.contexts();
  const own = kind === "attached" ? first : undefined;
  const context = own ?? (await browser.newContext({ serviceWorkers: "block" }));
  const filter = createAddressFilter(parts.net);
  const refused: RefusedRequest[] = [];
  const refusal = async (url: string): Promise<string | undefined> =>
    navigationRefusal(url) ?? (url.startsWith("about:") ? undefined : await filter(url));
  const look = async (url: string): Promise<boolean> => {
    const why = /^(https?|wss?):/i.test(url) ? await filter(url.replace(/^ws/i, "http")) : undefined;
    if (why === undefined) return false;
    refused.push({ at: parts.net.clock.now(), url, reason: why });
    if (refused.length > REFUSED_KEPT) refused.shift();
    return true;
  };
  const guard = (page: Page) => guardPage(page, look);
  const rules = { browser, refusal, refused: () => refused, tooLarge: new Set<string>() };
  if (own === undefined) {
    await context.addInitScript(UNGUARDED_OFF);
    await guardRoutes(context, look);
    context.on("page", (page) => guardRedirects(page, look));
  }
  const shared = own === undefined ? {} : { shared: true, guard };
  const open = await sessionOf(context, { ...parts, ...rules, ...shared });
  const close = async () => {
    await Promise.all(open.session.pages().map((page) => page.close().catch(() => undefined))); // closed by the person meanwhile
    await open.close();
    if (own === undefined) await context.close().catch(() => undefined); // the connection has ended
  };
  return { ...open, close };
}

type IsRefused = (url: string) => Promise<boolean>;

/**
 * What would ask servers without being asked about here is taken out of each document before its own scripts run, as browsers without it have it:
 * workers that outlive the page, and connections that are not requests.
 */
const UNGUARDED_OFF = `delete Navigator.prototype.serviceWorker;
for (const name of ["SharedWorker", "RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) delete globalThis[name];`;

async function guardPage(page: Page, isRefused: IsRefused): Promise<void> {
  guardRedirects(page, isRefused);
  await page.addInitScript(UNGUARDED_OFF);
  await guardRoutes(page, isRefused);
  // A service worker that the person's own pages have registered answers for the agent's page no longer. It holds as long as this session.
  const control = await page.context().newCDPSession(page);
  await control.send("Network.enable");
  await control.send("Network.setBypassServiceWorker", { bypass: true });
}

/** Requests as they begin. */
async function guardRoutes(of: Page | BrowserContext, isRefused: IsRefused): Promise<void> {
  await of.route("**/*", async (route: Route) => {
    const refused = await isRefused(route.request().url());
    await (refused ? route.abort("blockedbyclient") : route.fallback()).catch(() => undefined); // the page has gone
  });
  await of.routeWebSocket(/.*/, async (socket) => {
    if (await isRefused(socket.url())) await socket.close({ code: 1008, reason: "blocked" });
    else socket.connectToServer();
  });
}

/** Requests that a server has sent elsewhere begin without being asked about. */
function guardRedirects(page: Page, isRefused: IsRefused): void {
  page.on("request", (request) => {
    if (request.redirectedFrom() === null) return;
    leaveIfRefused(page, request.url(), isRefused).catch(() => undefined); // the page has gone
  });
}

async function leaveIfRefused(page: Page, url: string, isRefused: IsRefused): Promise<void> {
  if (await isRefused(url)) await page.goto("about:blank");
}
