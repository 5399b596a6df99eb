import type { Config } from "../../contracts/config/config.js";
import { splitTarget } from "../../http/admission.js";
import type { EndpointReply } from "../../http/endpoint.js";
import type { HttpRequest } from "../../http/listener.js";
import type { DashboardAccess } from "../access/access.js";
import { LOGIN_SECONDS } from "../access/browser-logins.js";
import { type CookiePlace, cookieHeader, cookieOf } from "../access/cookie-logins.js";
import { COOKIE_SECONDS } from "../access/cookie-sessions.js";
import { DASHBOARD_ORIGINS } from "../access/keys.js";
import { publicOrigin } from "../access/public-origin.js";
import { cookiePlace } from "../core/cookie-place.js";
import { PAGE_HEADERS } from "../plugins/page-files.js";

/** The page, with its ways to log in. */
export const LOGIN_PATH = "/login";
const BEGIN_PATH = "/auth/login";
/** Where the browser comes back to from a page of another service. */
export const CALLBACK_PATH = "/auth/callback";

interface LoginParts {
  readonly access: DashboardAccess;
  readonly config: Pick<Config, "get">;
}

/** The two addresses of a login through a plugin; undefined for any other path. */
export async function loginPage(
  path: string,
  request: HttpRequest,
  parts: LoginParts,
): Promise<EndpointReply | undefined> {
  if (path !== BEGIN_PATH && path !== CALLBACK_PATH) return undefined;
  if (request.method !== "GET") return notice(405, "This address only accepts GET.");
  const { query } = splitTarget(request.url ?? "");
  return path === BEGIN_PATH ? begin(query, request, parts) : complete(query, request, parts);
}

async function begin(query: URLSearchParams, request: HttpRequest, parts: LoginParts): Promise<EndpointReply> {
  const place = cookiePlace(request, parts.config);
  const origin = publicOrigin(request.headers.host, parts.config.get(DASHBOARD_ORIGINS));
  const redirectUri = `${origin}${place.base}${CALLBACK_PATH}`;
  const begun = await parts.access.browserLogins.begin(query.get("provider") ?? "", redirectUri, addressOf(request));
  switch (begun.outcome) {
    case "go":
      return {
        status: 302,
        bytes: Buffer.alloc(0),
        headers: {
          ...SAFE,
          location: begun.url,
          "set-cookie": bindingHeader(request, place, begun.binding.reveal(), LOGIN_SECONDS),
        },
      };
    case "unknown":
      return notice(404, "No plugin offers this login. It may have been disabled.");
    case "failed":
      return notice(
        502,
        "The login could not be started: the plugin behind it failed. The log of the owner has the reason.",
      );
    case "wait":
      return tooMany(begun.wait);
  }
}

async function complete(query: URLSearchParams, request: HttpRequest, parts: LoginParts): Promise<EndpointReply> {
  const place = cookiePlace(request, parts.config);
  const binding = cookieOf(request, bindingCookie(request));
  const ended = await parts.access.browserLogins.complete(query, binding, addressOf(request));
  switch (ended.outcome) {
    case "in":
      return landed(cookieHeader(request, place, ended.cookie.reveal(), COOKIE_SECONDS));
    case "stale":
      return notice(
        400,
        "This login was not started in this browser, has been used already, or is older than ten minutes. Start again.",
      );
    case "refused":
      return notice(403, "This account may not use the dashboard.");
    case "failed":
      return notice(
        502,
        "The login failed: the plugin behind it could not confirm it. The log of the owner has the reason.",
      );
    case "wait":
      return tooMany(ended.wait);
  }
}

/**
 * Of a browser that logs in: it alone can finish what it began. Sent with the way back, which comes from another site (`Lax`), and with nothing but
 * these two addresses.
 */
const bindingCookie = (request: HttpRequest): string => `agent_login_${request.socket.localPort ?? 0}`;

const bindingHeader = (request: HttpRequest, { base, secure }: CookiePlace, value: string, seconds: number): string =>
  `${bindingCookie(request)}=${value}; Path=${base}/auth; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;

const SAFE: Readonly<Record<string, string>> = { ...PAGE_HEADERS, "cache-control": "no-store" };

/**
 * A page that leads on to the dashboard. A redirect would not: the browser counts it as sent by the page it came from, and such requests are refused.
 */
function landed(cookie: string): EndpointReply {
  const reply = html(
    200,
    '<meta http-equiv="refresh" content="0;url=../"><p>Logged in. <a href="../">Open the dashboard</a></p>',
  );
  return { ...reply, headers: { ...reply.headers, "set-cookie": cookie } };
}

/** @param text fixed words of ours: nothing of the request is repeated */
const notice = (status: number, text: string): ReturnType<typeof html> =>
  html(status, `<p>${text}</p><p><a href="../login">Back to the login page</a></p>`);

function tooMany(wait: number): EndpointReply {
  const seconds = Math.ceil(wait / 1000);
  const reply = notice(429, `Too many logins from this address. Retry in ${seconds} seconds.`);
  return { ...reply, headers: { ...reply.headers, "retry-after": String(seconds) } };
}

const html = (status: number, body: string) => ({
  status,
  bytes: Buffer.from(`<!doctype html><html lang="en"><meta charset="utf-8"><title>agent</title>${body}</html>\n`),
  headers: { ...SAFE, "content-type": "text/html; charset=utf-8" },
});

const addressOf = (request: HttpRequest): string => request.socket.remoteAddress ?? "";
