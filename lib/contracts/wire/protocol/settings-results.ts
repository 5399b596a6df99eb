import * as z from "zod";
import { goalRecordShape } from "../shapes/conversations.js";
import { loginProviderShape } from "../shapes/logins.js";
import { cageStateShape } from "../shapes/questions.js";
import { checkShape, openListenerShape, stoppedWorkersShape, underWayShape } from "../shapes/services.js";
import { instant } from "../shapes/sessions.js";
import { settingFindingShape, settingShape } from "../shapes/settings.js";
import { sessionId } from "../shapes/values.js";
import type { Results } from "./define.js";

const ownerStatus = z.object({
  running: z.boolean(),
  pid: z.number(),
  version: z.string(),
  home: z.string(),
  started_at: instant,
  kind: z.enum(["command", "long"]),
  role: z.enum(["command", "gateway", "headless", "workspace"]),
  clients: z.number(),
  open_turns: z.number(),
  running_workers: z.number(),
  stores: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
  memory_bytes: z.number(),
  uptime_ms: z.number(),
  dispatching: z.boolean(),
  safe_mode: z.literal(true).exactOptional().describe("it runs without config.yaml, plugins, MCP servers and hooks"),
  only_listens: z.literal(true).exactOptional().describe("it only serves a listener and dispatches nothing"),
  listeners: z.array(openListenerShape),
  problems: z.array(z.string()),
  cage: cageStateShape.exactOptional(),
});

const conversation = z.object({
  id: sessionId,
  title: z.string().nullable(),
  model: z.string(),
  provider: z.string(),
  phase: z.string(),
  context_tokens: z.number(),
  window: z.number(),
  queue: z.number(),
  goal: goalRecordShape.nullable(),
});

const runtimeProgram = z.object({
  command: z.string(),
  path: z.string().exactOptional(),
  version: z.string().exactOptional(),
  problem: z.string().exactOptional(),
});

const runtimeName = z.enum(["auto", "vendor_app_server"]);

const migration = z.object({
  file: z.string(),
  changed: z.boolean(),
  servers: z.array(z.string()),
  plugins: z.array(z.string()),
  notes: z.array(z.object({ name: z.string(), kind: z.enum(["note", "skipped", "error"]), text: z.string() })),
  error: z.string().exactOptional(),
});

/** Answers about settings, the owner and its state. */
export const SETTINGS_RESULTS: Results = {
  "vendor-runtime": z.union([
    z.object({ runtime: runtimeName, provider: z.string(), program: runtimeProgram }),
    z.object({
      ok: z.literal(true),
      runtime: runtimeName,
      provider: z.string(),
      changed: z.boolean(),
      program: runtimeProgram,
      migration,
      protocol: z.object({ unknown: z.array(z.string()), problem: z.string().exactOptional() }),
      policyHooks: z.boolean(),
    }),
    z.object({ ok: z.literal(true), runtime: runtimeName, changed: z.boolean() }),
  ]),
  "config.check": z.object({ ok: z.boolean(), findings: z.array(settingFindingShape) }),
  "config.get": settingShape,
  "config.list": z.array(
    settingShape.partial({ value: true, source: true }).extend({
      type: z.string().describe("boolean, string, integer, number, choice, strings, limit, any"),
      choices: z.array(z.string()).exactOptional(),
      default: z.unknown(),
      variable: z.string().exactOptional().describe("overrides the file"),
    }),
  ),
  "config.path": z.object({ path: z.string(), env_path: z.string() }),
  "config.set": z.object({
    key: z.string(),
    value: z.unknown(),
    source: z.enum(["default", "file", "environment"]),
    help: z.string(),
    ok: z.boolean(),
  }),
  "config.show": z.record(
    z.string(),
    z.object({ value: z.unknown(), source: z.enum(["default", "file", "environment"]) }),
  ),
  "config.unset": z.object({ ok: z.boolean(), key: z.string() }),
  doctor: z.object({ ok: z.boolean(), checks: z.array(checkShape) }),
  help: z.union([
    z.array(z.object({ name: z.string(), title: z.string(), summary: z.string() })),
    z
      .object({ name: z.string(), title: z.string(), summary: z.string(), order: z.number(), text: z.string() })
      .catchall(z.unknown())
      .describe("the topic `protocol` also describes the members of this document"),
  ]),
  "owner.person_starts": z.array(z.object({ pid: z.number(), start: z.string() })),
  "owner.status": z.union([ownerStatus, z.object({ running: z.literal(false) })]),
  "owner.stop": z.object({
    ok: z.boolean(),
    running: z.boolean().describe("false: no owner was running"),
    pid: z.number().exactOptional(),
    workers: z.number().exactOptional(),
  }),
  "owner.stop_workers": stoppedWorkersShape,
  "owner.under_way": underWayShape,
  status: ownerStatus.extend({
    logins: z.array(loginProviderShape),
    session: conversation.exactOptional().describe("conversation in which the command was typed, if any"),
  }),
};
