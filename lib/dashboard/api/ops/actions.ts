import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "operations";
const started = z.object({ action: z.string().describe("its status is at /api/actions/{name}/status") });

/** What takes longer than a request should. It answers 202 and goes on. */
export const ACTION_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "POST",
    path: "/ops/doctor",
    summary: "Check home, stores, settings and model. The result is in the status of the action.",
    tag,
    body: z.object({
      deep: z.boolean().default(false),
      fix: z.boolean().default(false).describe("repair problems without losing data"),
    }),
    answer: started,
    success: 202,
    errors: [409],
    run: async ({ body }, { memory, command }: DashboardParts) => {
      const { action } = memory.actions.start("doctor", (signal) => command("doctor", body, signal));
      return { status: 202, json: { action } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/ops/checkpoints/prune",
    summary: "Remove checkpoints of missing or inactive directories, then the oldest above the size limit.",
    tag,
    body: z.object({
      retention_days: z.int().min(0).optional(),
      max_size_mb: z.int().min(0).optional(),
      keep_orphans: z.boolean().default(false).describe("keep checkpoints of missing directories"),
    }),
    answer: started,
    success: 202,
    errors: [409],
    run: async ({ body }, { memory, command }: DashboardParts) => {
      const { action } = memory.actions.start("checkpoints-prune", (signal) =>
        command("checkpoints prune", body, signal),
      );
      return { status: 202, json: { action } };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/actions/:name/status",
    summary: "Read the progress of a long action.",
    tag,
    params: z.object({ name: z.string().describe("action") }),
    answer: z.object({
      action: z.string(),
      state: z.enum(["running", "done", "failed"]),
      started_at: z.number().describe("milliseconds since 1970"),
      ended_at: z.number().nullable(),
      result: z.unknown(),
      error: z.object({ code: z.string(), detail: z.string() }).nullable(),
    }),
    errors: [404],
    run: async ({ params }, { memory }: DashboardParts) => {
      const found = memory.actions.status(params.name);
      if (found !== undefined) return { json: found };
      throw new AppError("E_NOT_FOUND", `no such action: ${JSON.stringify(params.name.slice(0, 80))}`);
    },
  }),
];
