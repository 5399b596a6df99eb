import * as z from "zod";
import { canonicalBase } from "../../http/base-path.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import { COOKIE_SECONDS } from "../access/cookie-sessions.js";
import { DASHBOARD_BASE } from "../access/keys.js";
import { cookieHeader } from "../access/password-logins.js";
import type { DashboardParts } from "../core/parts.js";

const tag = "access";

const baseOf = ({ config }: DashboardParts): string => canonicalBase(config.get(DASHBOARD_BASE)) ?? "";

/** Logging in with a password, for who cannot get at the URL that the owner prints. */
export const PASSWORD_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/api/auth/providers",
    summary: "Ways to log in beside the URL that the owner prints.",
    tag,
    access: "public",
    answer: z.object({ providers: z.array(z.object({ name: z.string(), label: z.string(), login: z.string() })) }),
    run: async (_request, { access }: DashboardParts) => ({ json: { providers: access.providers() } }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/auth/password-login",
    summary: "Begin a session with the password: a cookie for twelve hours, renewed for up to 30 days.",
    tag,
    access: "public",
    body: z.object({ password: z.string().min(1).max(1024) }),
    maxBody: 8192,
    answer: z.object({ ok: z.literal(true), csrf: z.string() }),
    errors: [401, 404, 429],
    run: async ({ body, address, raw }, parts: DashboardParts) => {
      const begun = await parts.access.logins.login(body.password, address);
      if ("refused" in begun) return begun.refused;
      const headers = { "set-cookie": cookieHeader(raw, baseOf(parts), begun.cookie.reveal(), COOKIE_SECONDS) };
      return { json: { ok: true, csrf: begun.session.csrf }, headers };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/api/auth/me",
    summary: "How the caller is known, and what a session sends with each change.",
    tag,
    answer: z.object({
      provider: z.enum(["token", "password"]),
      csrf: z.string().nullable().describe("For the header X-Agent-CSRF."),
    }),
    run: async ({ raw }, { access }: DashboardParts) => {
      const session = access.logins.sessionOf(raw);
      return { json: { provider: session === undefined ? "token" : "password", csrf: session?.csrf ?? null } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/auth/logout",
    summary: "End the session of the cookie, and its WebSockets. The token of the owner stays good.",
    tag,
    answer: z.object({ ok: z.literal(true) }),
    run: async ({ raw }, parts: DashboardParts) => {
      const session = parts.access.logins.sessionOf(raw);
      if (session === undefined) return { json: { ok: true } };
      parts.access.logins.end(session);
      return { json: { ok: true }, headers: { "set-cookie": cookieHeader(raw, baseOf(parts), "", 0) } };
    },
  }),
];
