import type { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../../base/errors.js";
import { isRecord } from "../../base/json/record.js";
import { callWithin } from "../../base/process/sync-limit.js";
import type { PluginTool } from "../../contracts/plugins/context.js";
import type { ToolContext, ToolResult } from "../../tools/core/define.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import { entryOf, type JsonArguments, jsonTool } from "../../tools/core/json-tool.js";
import { messageOf } from "./within.js";

/** The tool call that code of a plugin runs in. */
export type CurrentCall = AsyncLocalStorage<ToolContext>;

/** What tools of a plugin are built with. */
export interface ToolPlugin {
  readonly key: string;
  readonly env: () => Readonly<Record<string, string | undefined>>;
  readonly current: CurrentCall;
}

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const DESCRIPTION_MAX = 600;
const DEFAULT_SECONDS = 300;
const LONGEST_SECONDS = 3600;
const RESULT_CHARS = 100_000;
/** The synchronous part of a handler: longer, and nothing else in the process would go on. */
const BLOCKS_MS = 10_000;
const RISKS = ["read", "write", "exec", "external"] as const;

const wrong = (name: string, why: string) => new AppError("E_INVALID", `registerTool ${name}: ${why}`);

/** The tool as the registry takes it. @throws E_INVALID naming what does not hold */
export function pluginTool(given: PluginTool, plugin: ToolPlugin): ToolEntry {
  const { description, schema, handler, risk = "external", timeoutSeconds = DEFAULT_SECONDS } = given;
  const name = String(given.name);
  if (!NAME.test(name)) throw wrong(name, "a name has letters, digits and _, at most 64");
  if (typeof description !== "string" || description === "" || description.length > DESCRIPTION_MAX)
    throw wrong(name, `description must be a text of at most ${DESCRIPTION_MAX} characters`);
  if (!isRecord(schema) || schema["type"] !== "object")
    throw wrong(name, 'schema must be a JSON Schema with type "object"');
  if (typeof handler !== "function") throw wrong(name, "handler must be a function");
  if (!RISKS.includes(risk)) throw wrong(name, `risk must be one of ${RISKS.join(", ")}`);
  if (!(timeoutSeconds > 0 && timeoutSeconds <= LONGEST_SECONDS))
    throw wrong(name, `timeoutSeconds must be between 1 and ${LONGEST_SECONDS}`);
  const tool = jsonTool({
    name,
    toolset: given.toolset ?? `plugin-${plugin.key.replaceAll(/[^A-Za-z0-9-]+/g, "-")}`,
    description,
    schema: copyOf(schema),
    risk,
    core: false,
    effects: () => (risk === "read" ? { reads: ["world"], writes: [] } : { reads: [], writes: ["world"] }),
    limits: { ms: timeoutSeconds * 1000, chars: RESULT_CHARS },
    available: () => whyUnavailable(given, plugin.env()) ?? true,
    preview: (params) => previewOf(params),
    run: (params, ctx) => runHandler(given, params, ctx, plugin),
    ...(risk === "read"
      ? {}
      : { declares: () => ({ class: "tool-risk", text: `${name} of the plugin ${plugin.key}: ${RISK_TEXT[risk]}` }) }),
  });
  return entryOf(tool, { kind: "plugin", name: plugin.key }, given.override === true ? { overrides: true } : {});
}

const RISK_TEXT = {
  write: "it changes files or data",
  exec: "it runs programs",
  external: "it reaches other systems",
} as const;

const copyOf = <T>(value: T): T => structuredClone(value);

/** Why the tool is not offered now; undefined: it is. */
function whyUnavailable(
  { requiresEnv = [], check }: PluginTool,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const missing = requiresEnv.filter((name) => (env[name] ?? "") === "");
  if (missing.length > 0) return `set ${missing.join(", ")}`;
  if (check === undefined) return undefined;
  try {
    const answer: unknown = callWithin(BLOCKS_MS, check);
    if (answer === true) return undefined;
    return typeof answer === "string" ? answer : "its check says no";
  } catch (error) {
    return `its check failed: ${messageOf(error)}`;
  }
}

const PREVIEW_CHARS = 120;
function previewOf(params: JsonArguments): string {
  const text = JSON.stringify(params);
  return text.length > PREVIEW_CHARS ? `${text.slice(0, PREVIEW_CHARS - 1)}…` : text;
}

/** The handler gets copies; what it throws is bounded, and what it answers is text or JSON. */
async function runHandler(
  { name, handler }: PluginTool,
  params: JsonArguments,
  ctx: ToolContext,
  { key, current }: ToolPlugin,
): Promise<ToolResult> {
  const call = {
    callId: ctx.callId,
    sessionId: ctx.session,
    cwd: ctx.state.cwd,
    signal: ctx.signal,
    log: (text: string) => ctx.progress(String(text)),
  };
  let answer: unknown;
  try {
    answer = await current.run(ctx, () =>
      untilAborted(
        ctx.signal,
        callWithin(BLOCKS_MS, () => handler(copyOf(params), call)),
      ),
    );
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return { text: JSON.stringify({ error: `${name} (plugin ${key}): ${messageOf(error)}` }), status: "error" };
  }
  return textOf(answer, name);
}

function textOf(answer: unknown, name: string): ToolResult {
  if (typeof answer === "string") return { text: answer };
  try {
    const text = JSON.stringify(answer ?? { ok: true });
    const failed = isRecord(answer) && typeof answer["error"] === "string";
    return { text, ...(failed && { status: "error" as const }) };
  } catch (error) {
    return {
      text: JSON.stringify({ error: `${name} returned what is not JSON: ${messageOf(error)}` }),
      status: "error",
    };
  }
}

/** A handler that ignores its signal is not waited for. */
async function untilAborted<T>(signal: AbortSignal, work: T | Promise<T>): Promise<T> {
  if (signal.aborted) throw signal.reason;
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(signal.reason);
    signal.addEventListener("abort", fail, { once: true });
    leave = () => signal.removeEventListener("abort", fail);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    leave();
  }
}
