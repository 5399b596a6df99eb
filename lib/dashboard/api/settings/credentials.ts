import * as z from "zod";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { switchOf } from "../../../http/query.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "logins";
const text = z.string().nullable();
const instant = z.iso.datetime().nullable();
const name = z.string().min(1).max(100).describe("provider");

/** A login or a key, without itself. */
export const entry = z.object({
  index: z.int(),
  id: z.string(),
  label: z.string(),
  type: z.enum(["oauth", "api_key"]),
  source: z.string(),
  scope: z.string(),
  priority: z.int(),
  status: z.enum(["ok", "exhausted", "dead"]),
  reason: text,
  message: text,
  reset_at: instant,
  expires_at: instant,
  region: text,
  requests: z.int(),
  current: z.boolean(),
});

const pool = z.object({
  providers: z.array(z.object({ provider: z.string(), name: z.string(), entries: z.array(entry), error: text })),
  problems: z.array(z.string()),
});

const params = z.object({ provider: name });

/** Logins and keys of model providers. No secret comes out. */
export const CREDENTIAL_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/credentials/pool",
    summary: "List logins and keys, their state, and which one is in use.",
    tag,
    query: z.object({ provider: name.optional() }),
    answer: pool,
    run: async ({ query, signal }, { command }: DashboardParts) => ({
      json: await command("auth list", query, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/credentials/pool",
    summary: "Store an API key. An existing one keeps its position and is reset.",
    tag,
    body: z.object({
      provider: name,
      api_key: z.string().min(1).max(16_384),
      label: z.string().min(1).max(200).optional(),
      priority: z.int().min(0).max(1_000_000).optional().describe("order of use, lowest first"),
      this_profile: z.boolean().default(false).describe("restrict the credential to this profile"),
    }),
    answer: pool,
    success: 201,
    run: async ({ body, signal }, { command }: DashboardParts) => {
      await command("auth add", { ...body, type: "api-key" }, signal);
      return { status: 201, json: await command("auth list", { provider: body.provider }, signal) };
    },
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/credentials/pool/:provider/:which",
    summary: "Remove a login or key by position, id or label. One read from a variable stays ignored.",
    tag,
    params: params.extend({ which: z.string().min(1).max(300) }),
    query: z.object({ clean: switchOf("also delete its line in .env") }),
    answer: z.object({
      provider: z.string(),
      removed: entry,
      variable: text.describe("variable that still contains it"),
    }),
    errors: [404],
    run: async ({ params: { provider, which }, query, signal }, { command }: DashboardParts) => ({
      json: await command("auth remove", { provider, which, yes: query.clean }, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/credentials/pool/:provider/reset",
    summary: "Use exhausted and rejected credentials again.",
    tag,
    params,
    answer: z.object({ provider: z.string(), reset: z.int() }),
    run: async (request, { command }: DashboardParts) => ({
      json: await command("auth reset", request.params, request.signal),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/providers/oauth/:provider",
    summary: "Read whether a provider has a login or a key.",
    tag,
    params,
    answer: z.object({
      provider: z.string(),
      name: z.string(),
      logged_in: z.boolean(),
      type: z.enum(["oauth", "api_key"]).nullable(),
      account: text,
      region: text,
      expires_at: instant,
      error: text,
    }),
    run: async (request, { command }: DashboardParts) => ({
      json: await command("auth status", request.params, request.signal),
    }),
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/providers/oauth/:provider",
    summary: "Log out of a provider and revoke its logins. Keys are kept.",
    tag,
    params,
    answer: z.object({ provider: z.string(), removed: z.int(), revoked: z.int() }),
    run: async (request, { command }: DashboardParts) => ({
      json: await command("auth logout", request.params, request.signal),
    }),
  }),
];
