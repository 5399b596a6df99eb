import * as z from "zod";
import type { SessionFilter } from "../../../contracts/chat/chat.js";
import { toListedJson } from "../../../contracts/wire/shapes/session-json.js";
import { listedSession, searchHit, session, sessionStats } from "../../../contracts/wire/shapes/sessions.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { integerOf } from "../../../http/query.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "sessions";

const words = z.string().optional();

/** Sessions of this home as a list. */
export const LISTED_SESSION_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/sessions",
    summary: "List sessions, newest first. The header X-Total-Count has their number.",
    tag,
    query: z.object({
      limit: integerOf(1, 200, "maximum number of items").default(20),
      offset: integerOf(0, 1_000_000, "number of items to skip").default(0),
      min_messages: integerOf(0, 1_000_000, "minimum number of messages").optional(),
      archived: z.enum(["exclude", "only", "include"]).default("exclude"),
      order: z.enum(["created", "recent"]).default("recent").describe("order by start or by last activity"),
      source: words.describe("source: cli, workspace, worker, ..."),
      exclude_sources: words.describe("excluded sources; comma-separated"),
      profile: words,
    }),
    answer: z.array(listedSession),
    run: async ({ query }, { chat }: DashboardParts) => {
      const filter = filterOf(query);
      const [found, total] = await Promise.all([chat.list(filter), chat.count(filter)]);
      return { json: found.map(toListedJson), headers: { "x-total-count": String(total) } };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/sessions/search",
    summary: "Search the messages of sessions.",
    tag,
    query: z.object({
      q: z.string().min(1).max(1_000).describe('all words must match; "a phrase", prefix*, OR, NOT'),
      limit: integerOf(1, 100, "maximum number of items").default(20),
    }),
    answer: z.array(searchHit),
    run: async ({ query, signal }, { command }: DashboardParts) => ({
      json: await command("sessions search", { query: [query.q], limit: query.limit }, signal),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/sessions/stats",
    summary: "Read statistics of the session store.",
    tag,
    answer: sessionStats,
    run: async ({ signal }, { command }: DashboardParts) => ({ json: await command("sessions stats", {}, signal) }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/sessions/prune",
    summary: "Delete inactive ended sessions. Without `yes`, only list them.",
    tag,
    body: z.object({
      older_than: z.int().min(1).max(100_000).default(90).describe("days without activity"),
      source: words,
      yes: z.boolean().default(false),
    }),
    answer: z.object({ deleted: z.int(), sessions: z.array(session) }),
    run: async ({ body, signal }, { command }: DashboardParts) => ({
      json: await command("sessions prune", body, signal),
    }),
  }),
];

interface Given {
  readonly limit: number;
  readonly offset: number;
  readonly order: "created" | "recent";
  readonly archived: "exclude" | "only" | "include";
  readonly min_messages?: number | undefined;
  readonly source?: string | undefined;
  readonly exclude_sources?: string | undefined;
  readonly profile?: string | undefined;
}

function filterOf({
  limit,
  offset,
  order,
  archived,
  min_messages,
  source,
  exclude_sources,
  profile,
}: Given): SessionFilter {
  const without = (exclude_sources ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  return {
    limit,
    offset,
    order,
    archived: archived === "include" ? "both" : archived === "only",
    excludeSources: without.slice(0, 50),
    ...(min_messages === undefined ? {} : { minMessages: min_messages }),
    ...(source === undefined ? {} : { source }),
    ...(profile === undefined ? {} : { profile }),
  };
}
