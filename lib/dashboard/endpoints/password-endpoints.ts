import * as z from "zod";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import { cookieHeader } from "../access/cookie-logins.js";
import { COOKIE_SECONDS } from "../access/cookie-sessions.js";
import { cookiePlace } from "../core/cookie-place.js";
import type { DashboardParts } from "../core/parts.js";

const tag = "access";

const way = z.object({
  name: z.string(),
  label: z.string(),
  login: z.string().describe("below the base path"),
  kind: z.enum(["password", "browser"]).describe("browser: go there; password: POST it there"),
});

/** Logging in with a password, for who cannot get at the URL that the owner prints. */
export const PASSWORD_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/api/auth/providers",
    summary: "List ways to log in besides the URL printed by the owner.",
    tag,
    access: "public",
    answer: z.object({ providers: z.array(way) }),
    run: async (_request, { access, loginProviders }: DashboardParts) => {
      await loginProviders.ready();
      return { json: { providers: access.providers() } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/auth/password-login",
    summary: "Start a session with the password: a cookie for twelve hours, renewed for up to 30 days.",
    tag,
    access: "public",
    body: z.object({ password: z.string().min(1).max(1024) }),
    maxBody: 8192,
    answer: z.object({ ok: z.literal(true), csrf: z.string() }),
    errors: [401, 404, 429],
    run: async ({ body, address, raw }, parts: DashboardParts) => {
      const begun = await parts.access.passwords.login(body.password, address);
      if ("refused" in begun) return begun.refused;
      const headers = {
        "set-cookie": cookieHeader(raw, cookiePlace(raw, parts.config), begun.cookie.reveal(), COOKIE_SECONDS),
      };
      return { json: { ok: true, csrf: begun.session.csrf }, headers };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/api/auth/me",
    summary: "Read how the caller is authenticated, and the CSRF token of a session.",
    tag,
    answer: z.object({
      provider: z.string().describe("token, password, or the name of a plugin's provider"),
      user: z.string().nullable().describe("Who it is, as far as the provider knows."),
      csrf: z.string().nullable().describe("For the header X-Agent-CSRF."),
    }),
    run: async ({ raw }, { access }: DashboardParts) => {
      const session = access.logins.sessionOf(raw);
      const { provider, user } = session?.origin ?? { provider: "token", user: null };
      return { json: { provider, user, csrf: session?.csrf ?? null } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/auth/logout",
    summary: "End the session of the cookie, and its WebSockets. The token of the owner remains valid.",
    tag,
    answer: z.object({ ok: z.literal(true) }),
    run: async ({ raw }, parts: DashboardParts) => {
      const session = parts.access.logins.sessionOf(raw);
      if (session === undefined) return { json: { ok: true } };
      parts.access.logins.end(session);
      return {
        json: { ok: true },
        headers: { "set-cookie": cookieHeader(raw, cookiePlace(raw, parts.config), "", 0) },
      };
    },
  }),
];
