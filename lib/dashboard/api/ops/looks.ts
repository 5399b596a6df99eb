import { isAbsolute } from "node:path";
import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { hookShape } from "../../../contracts/wire/shapes/hooks.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { integerOf } from "../../../http/query.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "operations";
const text = z.string().nullable();

const row = z.object({
  id: z.string(),
  directory: z.string(),
  lineage: text,
  session: text,
  turn: text,
  round: z.int(),
  seq: z.int(),
  made_at: z.number(),
  kind: z.enum(["before", "after", "hand", "rollback"]),
  reason: z.string(),
  parent: text,
  files: z.int(),
  partial: z.enum(["entries", "time", "size"]).exactOptional(),
  n: z.int().nullable(),
  changed: z.object({ files: z.int(), added: z.int(), removed: z.int() }),
});

const part = { name: z.string(), chars: z.int(), bytes: z.int(), tokens: z.int() };
const size = z.object({
  model: z.string(),
  provider: z.string(),
  blocks: z.array(z.object({ ...part, tier: z.enum(["stable", "context", "volatile"]) })),
  tools: z.array(z.object(part)),
  system: z.object(part),
  schemas: z.object(part),
  total: z.object(part),
  notices: z.array(z.string()),
});

const directory = z.string().max(4_096).optional();

/** What can be looked at at once. */
export const LOOK_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/ops/checkpoints",
    summary: "List checkpoints of one or all directories, newest first.",
    tag,
    query: z.object({
      directory: directory.describe("project directory, or a path in it"),
      limit: integerOf(1, 200, "maximum number of items").default(20),
    }),
    answer: z.array(row),
    errors: [404],
    run: async ({ query, signal }, { command }: DashboardParts) => {
      mustBeAbsolute(query.directory);
      return { json: await command("checkpoints list", query, signal) };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/ops/checkpoints/status",
    summary: "Read the state of the checkpoint store: size, directories, limits.",
    tag,
    answer: z.object({
      enabled: z.boolean(),
      store: z.string(),
      size_bytes: z.int(),
      max_total_size_mb: z.int(),
      max_snapshots: z.int(),
      max_file_size_mb: z.int(),
      retention_days: z.int(),
      damaged: z.int(),
      legacy: z.array(z.string()),
      projects: z.array(
        z.object({ directory: z.string(), checkpoints: z.int(), last_touch: z.number(), exists: z.boolean() }),
      ),
    }),
    run: async ({ signal }, { command }: DashboardParts) => ({ json: await command("checkpoints status", {}, signal) }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/ops/prompt-size",
    summary: "Read the size of each system prompt block and tool schema of a new session.",
    tag,
    query: z.object({ cwd: directory.describe("working directory of the session (default: the home)") }),
    answer: size,
    run: async ({ query }, { chat, home }: DashboardParts) => {
      mustBeAbsolute(query.cwd);
      return { json: await chat.promptSize({ source: "workspace", cwd: query.cwd ?? home.dir, env: {} }) };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/ops/hooks",
    summary: "List the configured shell hooks with their approval and last run.",
    tag,
    answer: z.array(hookShape),
    run: async ({ signal }, { command }: DashboardParts) => ({ json: await command("hooks list", {}, signal) }),
  }),
];

function mustBeAbsolute(path: string | undefined): void {
  if (path === undefined || isAbsolute(path)) return;
  throw new AppError("E_INVALID", `must be an absolute path, not ${JSON.stringify(path.slice(0, 200))}`);
}
