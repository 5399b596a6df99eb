import * as z from "zod";
import type { CuratorRun, CuratorState, CuratorStatus, SkillBackup } from "../../skills/curator.js";
import { instant } from "./sessions.js";

const useState = z.enum(["active", "stale", "archived"]);

const state = {
  last_run_at: instant
    .nullable()
    .describe("end of the last run; before the first, when the curator first saw the home"),
  last_run_duration: z.number().nullable().describe("milliseconds"),
  last_run_summary: z.string().nullable(),
  summary_shown_at: instant.nullable(),
  last_report: z.string().nullable().describe("id of the newest run"),
  paused: z.boolean(),
  run_count: z.int(),
};

/** What the curator remembers between runs. */
export const curatorStateShape = z.object(state).meta({ id: "CuratorState" }) satisfies z.ZodType<CuratorState>;

/** State of the curator, with the skills that it looks after. */
export const curatorStatusShape = z
  .object({
    ...state,
    enabled: z.boolean(),
    running: z.boolean(),
    next_run_at: instant.nullable().describe("earliest time of a run by itself"),
    apply: z.enum(["auto", "ask"]),
    skills: z.array(
      z.object({
        name: z.string(),
        path: z.string().describe("directory below skills/"),
        created_by: z.enum(["agent", "user", "hub"]),
        created_at: instant.nullable(),
        uses: z.int(),
        views: z.int(),
        patches: z.int(),
        last_activity_at: instant.nullable(),
        state: useState,
        pinned: z.boolean(),
      }),
    ),
    archived: z.int(),
    unlisted: z.array(z.string()).describe("bundled skills that are left out of the list in the prompt"),
    backups: z.int(),
  })
  .meta({ id: "CuratorStatus" }) satisfies z.ZodType<CuratorStatus>;

const change = z.object({
  n: z.int(),
  kind: z.enum(["merge", "edit", "archive", "unlist"]),
  by: z.enum(["rule", "model"]),
  skill: z.string(),
  absorbed: z.array(z.string()),
  why: z.string(),
  status: z.enum(["proposed", "applying", "applied", "undoing", "undone", "refused", "failed"]),
  note: z.string().describe("why it was refused or failed"),
  changes: z.array(
    z.discriminatedUnion("action", [
      z.object({ action: z.literal("create"), name: z.string(), content: z.string() }),
      z.object({ action: z.literal("edit"), name: z.string(), content: z.string() }),
      z.object({ action: z.literal("archive"), name: z.string(), absorbed_into: z.string().exactOptional() }),
    ]),
  ),
  diff: z.string(),
  version: z.string().nullable().describe("version of the skill under which it can be undone"),
  jobs: z.array(z.object({ id: z.string(), before: z.array(z.string()), after: z.array(z.string()) })),
});

/** Report of one run. */
export const curatorRunShape = z
  .object({
    id: z.string(),
    started_at: instant,
    duration: z.number().describe("milliseconds"),
    cause: z.enum(["manual", "idle"]),
    dry_run: z.boolean(),
    backup: z.string().nullable(),
    transitions: z.array(z.object({ name: z.string(), from: useState, to: useState })),
    left: z.array(z.object({ name: z.string(), why: z.string() })),
    model: z.object({
      state: z.enum(["answered", "skipped", "none", "failed", "unusable"]),
      note: z.string(),
      model: z.string().nullable(),
      provider: z.string().nullable(),
      input_tokens: z.int(),
      output_tokens: z.int(),
      cost_usd: z.number().nullable(),
    }),
    changes: z.array(change),
    summary: z.string(),
    report: z.string().describe("directory of the report"),
  })
  .meta({ id: "CuratorRun" }) satisfies z.ZodType<CuratorRun>;

/** A backup of all skills. */
export const skillBackupShape = z
  .object({
    id: z.string(),
    created_at: instant,
    reason: z.string(),
    files: z.int(),
    bytes: z.int(),
  })
  .meta({ id: "SkillBackup" }) satisfies z.ZodType<SkillBackup>;
