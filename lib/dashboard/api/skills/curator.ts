import * as z from "zod";
import {
  curatorRunShape,
  curatorStateShape,
  curatorStatusShape,
  skillBackupShape,
} from "../../../contracts/wire/shapes/curator.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "curator";
const name = z.string().min(1).max(64).describe("skill");
const run = z.string().min(1).max(200).describe("RUN, or RUN:N for one change");

/** The curator of the skills of this home. */
export const CURATOR_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/curator",
    summary: "Show the state of the curator and the skills that it looks after.",
    tag,
    answer: curatorStatusShape,
    run: async ({ signal }, { command }: DashboardParts) => ({ json: await command("curator status", {}, signal) }),
  }),
  ...(["pause", "resume"] as const).map((verb) =>
    defineEndpoint({
      method: "POST",
      path: `/curator/${verb}`,
      summary: verb === "pause" ? "Pause the curator." : "Let the curator run by itself again.",
      tag,
      answer: curatorStateShape,
      run: async ({ signal }, { command }: DashboardParts) => ({
        json: await command(`curator ${verb}`, {}, signal),
      }),
    }),
  ),
  defineEndpoint({
    method: "GET",
    path: "/curator/runs/:run",
    summary: "Read the report of a run.",
    tag,
    params: z.object({ run }),
    answer: curatorRunShape,
    errors: [404],
    run: async ({ params, signal }, { command }: DashboardParts) => ({
      json: await command("curator show", params, signal),
    }),
  }),
  ...(["apply", "undo"] as const).map((verb) =>
    defineEndpoint({
      method: "POST",
      path: `/curator/runs/:run/${verb}`,
      summary: verb === "apply" ? "Apply the proposed changes of a run." : "Revert the applied changes of a run.",
      tag,
      params: z.object({ run }),
      answer: curatorRunShape,
      errors: [404, 409],
      run: async ({ params, signal }, { command }: DashboardParts) => ({
        json: await command(`curator ${verb}`, params, signal),
      }),
    }),
  ),
  ...(["pin", "unpin"] as const).map((verb) =>
    defineEndpoint({
      method: "POST",
      path: `/curator/skills/:name/${verb}`,
      summary: verb === "pin" ? "Pin a skill: the curator never changes it." : "Unpin a skill.",
      tag,
      params: z.object({ name }),
      answer: z.object({ name: z.string(), pinned: z.boolean() }),
      errors: [404],
      run: async ({ params, signal }, { command }: DashboardParts) => ({
        json: await command(`curator ${verb}`, params, signal),
      }),
    }),
  ),
  ...(["archive", "restore"] as const).map((verb) =>
    defineEndpoint({
      method: "POST",
      path: `/curator/skills/:name/${verb}`,
      summary: verb === "archive" ? "Archive a skill of the home." : "Bring an archived skill back.",
      tag,
      params: z.object({ name }),
      answer: z.object({ name: z.string(), path: z.string() }),
      errors: [404, 409],
      run: async ({ params, signal }, { command }: DashboardParts) => ({
        json: await command(`curator ${verb}`, params, signal),
      }),
    }),
  ),
  defineEndpoint({
    method: "GET",
    path: "/curator/archived",
    summary: "List archived skills.",
    tag,
    answer: z.array(z.object({ name: z.string(), path: z.string(), last_activity_at: z.string().nullable() })),
    run: async ({ signal }, { command }: DashboardParts) => ({
      json: await command("curator list-archived", {}, signal),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/curator/backups",
    summary: "List the backups of the skills, newest first.",
    tag,
    answer: z.array(skillBackupShape),
    run: async ({ signal }, { command }: DashboardParts) => ({
      json: await command("curator rollback", { list: true }, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/curator/backups",
    summary: "Back up all skills.",
    tag,
    body: z.object({ reason: z.string().max(200).default("by hand") }),
    answer: skillBackupShape,
    run: async ({ body, signal }, { command }: DashboardParts) => ({
      json: await command("curator backup", body, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/curator/rollback",
    summary: "Restore all skills from a backup. The present state is backed up first.",
    tag,
    body: z.object({ id: z.string().max(200).optional().describe("backup (default: the newest)") }),
    answer: z.object({
      id: z.string(),
      before: z.string().describe("backup of the state before"),
      files: z.int(),
      jobs: z.array(z.string()).describe("scheduled jobs whose skills were set back"),
      warnings: z.array(z.string()),
    }),
    errors: [404],
    run: async ({ body, signal }, { command }: DashboardParts) => ({
      json: await command("curator rollback", { ...body, yes: true }, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/curator/run",
    summary: "Run the curator. The result is in the status of the action.",
    tag,
    body: z.object({ dry_run: z.boolean().default(false).describe("write the report only, change nothing") }),
    answer: z.object({ action: z.string().describe("its status is at /api/actions/{name}/status") }),
    success: 202,
    errors: [409],
    run: async ({ body }, { memory, command }: DashboardParts) => {
      const { action } = memory.actions.start("curator-run", (signal) => command("curator run", body, signal));
      return { status: 202, json: { action } };
    },
  }),
];
