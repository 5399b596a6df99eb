import * as z from "zod";
import { AppError, toAppError } from "../../../base/errors.js";
import { toIso } from "../../../base/units.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { LoginStatus } from "../../core/logins.js";
import type { DashboardParts } from "../../core/parts.js";
import { entry } from "./credentials.js";

const tag = "logins";
const params = z.object({
  provider: z.string().min(1).max(100).describe("provider"),
  login: z.string().max(100).describe("id returned by start"),
});
const address = z.string().max(2_000).optional();

const answer = z.object({
  login: z.string(),
  provider: z.string(),
  state: z.enum(["waiting", "done", "failed"]),
  url: z.string().describe("URL for the user"),
  code: z.string().describe("code to confirm there, or empty"),
  expires_at: z.iso.datetime(),
  entry: entry.nullable(),
  error: z.object({ code: z.string(), detail: z.string() }).nullable(),
});

/** Logins that are made in a browser: begin one, show its address, ask until it is done. */
export const OAUTH_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "POST",
    path: "/providers/oauth/:provider/start",
    summary: "Start a login. The response has the URL for the user.",
    tag,
    params: params.pick({ provider: true }),
    body: z.object({
      label: z.string().min(1).max(200).optional(),
      priority: z.int().min(0).max(1_000_000).optional(),
      this_profile: z.boolean().default(false),
      region: z.string().max(40).optional(),
      portal_url: address,
      issuer: address,
      inference_url: address,
      client_id: address,
      scope: address,
      paste: z.boolean().default(false).describe("the user pastes the final URL of the browser with submit"),
    }),
    answer,
    success: 201,
    errors: [429, 502],
    run: async (request, { auth, memory }: DashboardParts) => {
      const { label, priority, this_profile: thisProfile, region, paste, ...addresses } = request.body;
      const wish = { label, priority, thisProfile, region, addresses, paste };
      return {
        status: 201,
        json: shown(await atTheProvider(memory.logins.start(auth, request.params.provider, wish))),
      };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/providers/oauth/:provider/poll/:login",
    summary: "Read the progress of a login.",
    tag,
    params,
    answer,
    errors: [404],
    run: async (request, parts: DashboardParts) => ({ json: shown(statusOf(parts, request.params)) }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/providers/oauth/:provider/submit/:login",
    summary: "Submit what the user pasted.",
    tag,
    params,
    body: z.object({ text: z.string().min(1).max(16_384) }),
    answer,
    errors: [404, 409],
    run: async ({ params: { provider, login }, body }, parts: DashboardParts) => {
      statusOf(parts, { provider, login });
      if (!parts.memory.logins.submit(provider, login, body.text))
        throw new AppError(
          "E_STATE",
          "no login is waiting for pasted text: it was not started with paste, or has ended",
          { login },
        );
      return { json: shown(statusOf(parts, { provider, login })) };
    },
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/providers/oauth/:provider/poll/:login",
    summary: "Cancel a login.",
    tag,
    params,
    answer: z.object({ ok: z.literal(true), login: z.string() }),
    errors: [404],
    run: async ({ params: { provider, login } }, parts: DashboardParts) => {
      statusOf(parts, { provider, login });
      parts.memory.logins.cancel(provider, login);
      return { json: { ok: true, login } };
    },
  }),
];

type Place = z.output<typeof params>;

/** @throws E_NOT_FOUND */
function statusOf({ memory }: DashboardParts, { provider, login }: Place): LoginStatus {
  const found = memory.logins.status(provider, login);
  if (found !== undefined) return found;
  throw new AppError("E_NOT_FOUND", "no such login");
}

const shown = ({ entry: made, expires_at, ...status }: LoginStatus) => {
  const time = (at: number | null): string | null => (at === null ? null : toIso(at));
  return {
    ...status,
    expires_at: toIso(expires_at),
    entry: made === null ? null : { ...made, reset_at: time(made.reset_at), expires_at: time(made.expires_at) },
  };
};

/** A provider that refuses is not a reason for the page to ask for its own token again. */
async function atTheProvider<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code !== "E_AUTH") throw error;
    throw new AppError("E_AUTH", error.message, { ...error.data, http: 502 }, thrown);
  }
}
