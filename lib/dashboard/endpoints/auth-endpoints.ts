import * as z from "zod";
import { belowBase, canonicalBase } from "../../http/base-path.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import { TICKET_SECONDS } from "../access/access.js";
import { DASHBOARD_BASE } from "../access/keys.js";
import type { DashboardParts } from "../core/parts.js";

const tag = "access";
const ticket = z.object({ ticket: z.string(), expires_in: z.int() });

/** How a browser gets in, and what it shows where it cannot send a header. */
export const AUTH_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "POST",
    path: "/api/auth/exchange",
    summary:
      "Exchange the code of a URL printed by the owner for the session token. A code works once, within two minutes.",
    tag,
    access: "public",
    body: z.object({ code: z.string().min(1).max(512) }),
    maxBody: 4096,
    answer: z.object({ token: z.string() }),
    errors: [401, 429],
    run: async ({ body, address }, { access }: DashboardParts) => {
      const given = access.exchange(body.code, address);
      return "refused" in given ? given.refused : { json: { token: given.token.reveal() } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/auth/ws-ticket",
    summary: "Create a ticket for the query of one WebSocket.",
    tag,
    answer: ticket,
    run: async ({ raw }, { access }: DashboardParts) => ({
      json: { ticket: access.socketTicket(raw), expires_in: TICKET_SECONDS },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/auth/ticket",
    summary: "Create a ticket for the query of one download.",
    tag,
    body: z.object({
      purpose: z.literal("download"),
      path: z
        .string()
        .max(2048)
        .regex(/^\/(?:[\x21-\x7e]+\/)?api\/[\x21-\x7e]+$/, "a path below /api"),
    }),
    answer: ticket,
    run: async ({ body }, { access, config }: DashboardParts) => {
      const [path = ""] = body.path.split(/[?#]/);
      const base = canonicalBase(config.get(DASHBOARD_BASE)) ?? "";
      return { json: { ticket: access.downloadTicket(belowBase(path, base)), expires_in: TICKET_SECONDS } };
    },
  }),
];
