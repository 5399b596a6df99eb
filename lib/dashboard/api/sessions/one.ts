import { Readable } from "node:stream";
import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { toMessageJson, toSessionJson } from "../../../contracts/wire/shapes/session-json.js";
import { message, session } from "../../../contracts/wire/shapes/sessions.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { integerOf } from "../../../http/query.js";
import type { DashboardParts } from "../../core/parts.js";
import { findSession } from "./find.js";
import { readPicture } from "./picture.js";

const tag = "sessions";
const params = z.object({ id: z.string().describe("session") });
const errors = [404];

const TYPES = { md: "text/markdown", json: "application/json", jsonl: "application/x-ndjson" } as const;

/** One session of this home. */
export const ONE_SESSION_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/sessions/:id",
    summary: "Read a session and its latest messages.",
    tag,
    params,
    query: z.object({ last: integerOf(1, 1_000, "number of messages").default(20) }),
    answer: z.object({ session, messages: z.array(message) }),
    errors,
    run: async (request, parts: DashboardParts) => {
      const found = await findSession(parts, request.params.id);
      const messages = await parts.chat.messages(found.id, { limit: request.query.last });
      return { json: { session: toSessionJson(found), messages: messages.map(toMessageJson) } };
    },
  }),
  defineEndpoint({
    method: "PATCH",
    path: "/sessions/:id",
    summary: "Rename, archive or unarchive a session.",
    tag,
    params,
    body: z.object({ title: z.string().optional(), archived: z.boolean().optional() }),
    answer: session,
    errors: [404, 409],
    run: async ({ params: { id }, body: { title, archived } }, parts: DashboardParts) => {
      const found = await findSession(parts, id);
      if (title === undefined && archived === undefined) throw new AppError("E_INVALID", "pass a title, or archived");
      const renamed = title === undefined ? found : await parts.chat.rename(found.id, title);
      return { json: toSessionJson(archived === undefined ? renamed : await parts.chat.archive(found.id, archived)) };
    },
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/sessions/:id",
    summary: "Delete a session permanently, with its whole conversation.",
    tag,
    params,
    answer: z.object({
      deleted: z.string(),
      lineage_root: z.string(),
      sessions: z.int(),
      messages: z.int(),
      backups: z.array(z.string()).describe("earlier backups that may still contain its text"),
    }),
    errors: [404, 409],
    run: async (request, parts: DashboardParts) => {
      const { id, lineage_root } = await findSession(parts, request.params.id);
      return { json: { deleted: id, lineage_root, ...(await parts.chat.delete(id)) } };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/sessions/:id/messages",
    summary: "Read messages by position; without `after` the latest.",
    tag,
    params,
    query: z.object({
      limit: integerOf(1, 200, "maximum number of items").default(20),
      before: integerOf(0, 1_000_000_000, "before this position").optional(),
      after: integerOf(0, 1_000_000_000, "after this position").optional(),
    }),
    answer: z.array(message),
    errors,
    run: async ({ params: { id }, query: { limit, before, after } }, parts: DashboardParts) => {
      const page = { limit, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
      return { json: (await parts.chat.messages((await findSession(parts, id)).id, page)).map(toMessageJson) };
    },
  }),
  readPicture,
  defineEndpoint({
    method: "GET",
    path: "/sessions/:id/export",
    summary: "Export the whole conversation.",
    tag,
    params,
    query: z.object({ format: z.enum(["md", "json", "jsonl"]).default("md") }),
    ticket: true,
    answer: "file",
    errors,
    run: async ({ params: given, query: { format } }, parts: DashboardParts) => {
      const { id } = await findSession(parts, given.id);
      const headers = {
        "content-type": TYPES[format],
        "content-disposition": `attachment; filename="${id}.${format}"`,
      };
      return { stream: Readable.from(parts.chat.export(id, format)), headers };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/sessions/:id/latest-descendant",
    summary: "Read where the conversation continues after its compactions.",
    tag,
    params,
    answer: z.object({ requested_session_id: z.string(), session_id: z.string(), changed: z.boolean() }),
    errors,
    run: async (request, parts: DashboardParts) => {
      const { id, lineage_root: lineage } = await findSession(parts, request.params.id);
      const [newest] = await parts.chat.list({ lineage, archived: "both", limit: 1 });
      const session_id = newest?.id ?? id;
      return { json: { requested_session_id: id, session_id, changed: session_id !== id } };
    },
  }),
];
