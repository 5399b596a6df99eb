import * as z from "zod";
import { toAppError } from "../../../base/errors.js";
import type { Ms } from "../../../base/units.js";
import type { SessionRecord } from "../../../contracts/chat/chat.js";
import { toSessionJson } from "../../../contracts/wire/shapes/session-json.js";
import { session } from "../../../contracts/wire/shapes/sessions.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";
import { findSession } from "./find.js";

const tag = "sessions";
/** A session that was just begun does not have a message yet and is not a leftover. */
const RESTED: Ms = 300_000;
const MOST = 10_000;

const results = z.object({
  results: z.array(
    z.object({ id: z.string(), ok: z.boolean(), error: z.string().exactOptional(), code: z.string().exactOptional() }),
  ),
});

/** Getting rid of several sessions. */
export const MANY_SESSION_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "POST",
    path: "/sessions/bulk-delete",
    summary: "Delete sessions permanently.",
    tag,
    body: z.object({ ids: z.array(z.string()).min(1).max(500) }),
    answer: results,
    run: async ({ body }, parts: DashboardParts) => {
      const done = [];
      for (const id of new Set(body.ids)) done.push(await removed(parts, id));
      return { json: { results: done } };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/sessions/empty",
    summary: "List empty sessions that have been inactive for five minutes.",
    tag,
    answer: z.array(session),
    run: async (_request, parts: DashboardParts) => ({ json: (await empty(parts)).map(toSessionJson) }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/sessions/empty/count",
    summary: "Count empty sessions.",
    tag,
    answer: z.object({ count: z.int() }),
    run: async (_request, parts: DashboardParts) => ({ json: { count: (await empty(parts)).length } }),
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/sessions/empty",
    summary: "Delete empty sessions.",
    tag,
    answer: z.object({ deleted: z.int() }),
    run: async (_request, parts: DashboardParts) => {
      let deleted = 0;
      for (const { id } of await empty(parts)) deleted += (await removed(parts, id)).ok ? 1 : 0;
      return { json: { deleted } };
    },
  }),
];

async function removed(parts: DashboardParts, id: string): Promise<z.output<typeof results>["results"][number]> {
  try {
    await parts.chat.delete((await findSession(parts, id)).id);
    return { id, ok: true };
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    return {
      id,
      ok: false,
      error: code === "E_INTERNAL" ? "internal error; see the log" : message,
      code,
    };
  }
}

async function empty({ chat, clock }: DashboardParts): Promise<readonly SessionRecord[]> {
  const found = await chat.list({ archived: "both", maxMessages: 0, limit: MOST });
  return found.flatMap(({ preview: _none, ...one }) => (clock.now() - one.last_active_at >= RESTED ? [one] : []));
}
