import { toAppError } from "../../base/errors.js";
import { canonicalJson } from "../../base/json/canonical-json.js";
import { isRecord } from "../../base/json/record.js";
import type { HookFields, ToolCallFields, ToolRequest, ToolResultFields } from "../../contracts/hooks/hooks.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { parseArguments, parseJson } from "../core/coerce.js";
import type { ToolContext, ToolResult } from "../core/define.js";
import type { CallDeps, ReadyCall } from "./call.js";
import type { NamedCall } from "./name.js";

/** A call as the request middleware leaves it. */
export interface RequestedCall extends NamedCall {
  /** Why it does not run. */
  readonly failed?: string;
  /** Sources of the middleware that it has passed. */
  readonly trace: readonly string[];
}

/** Pass a call through the request middleware of plugins, which may change its arguments (core part, 6.2). */
export async function requestCall(named: NamedCall, deps: CallDeps): Promise<RequestedCall> {
  const { call, tool } = named;
  const ctx = deps.context(call.id, deps.signal);
  const chain = ctx.hooks?.middleware("tool_request");
  if (chain === undefined || tool === undefined) return { ...named, trace: [] };
  const parsed = parseJson(call.arguments);
  if (!parsed.ok || !isRecord(parsed.value)) return { ...named, trace: [] }; // the call fails for its arguments
  const { sources } = chain;
  try {
    const asked = await chain.run(
      requestOf(call.name, call.id, parsed.value, ctx),
      async (given) => given,
      deps.signal,
    );
    if (asked.tool_name !== call.name) throw new Error("middleware cannot replace the tool of a call");
    if (!isRecord(asked.args)) throw new Error("middleware must answer with the call and its args");
    return { tool, call: { ...call, arguments: JSON.stringify(asked.args) }, trace: sources };
  } catch (error) {
    if (deps.signal.aborted) return { ...named, trace: sources }; // it is skipped
    return { ...named, trace: sources, failed: toAppError(error).message };
  }
}

function requestOf(name: string, id: string, args: Readonly<Record<string, unknown>>, ctx: ToolContext): ToolRequest {
  return {
    tool_name: name,
    args,
    tool_call_id: id,
    session_id: ctx.session,
    task_id: ctx.board?.task ?? null,
    turn_id: ctx.turn ?? null,
    api_request_id: ctx.request ?? null,
  };
}

/** Arguments as the model wrote them, coerced: secrets are still placeholders. */
function shownArgs({ call, tool, canonical }: ReadyCall): Readonly<Record<string, unknown>> {
  const own = parseArguments(tool, call.arguments);
  const value: unknown = JSON.parse(own.ok ? own.canonical : canonical);
  return isRecord(value) ? value : {};
}

function fieldsOf(ready: ReadyCall, ctx: ToolContext): HookFields["pre_tool_call"] {
  const request: ToolCallFields = {
    ...requestOf(ready.tool.name, ready.call.id, shownArgs(ready), ctx),
    cwd: ctx.state.cwd,
  };
  return { ...request, middleware_trace: ready.trace ?? [] };
}

/** What a policy hook says against the call; undefined: it may run. */
export async function blockedByHook(ready: ReadyCall, ctx: ToolContext): Promise<ToolResult | undefined> {
  if (ctx.hooks?.has("pre_tool_call") !== true) return undefined;
  const answer = await ctx.hooks.preToolCall(fieldsOf(ready, ctx), ctx.signal);
  return answer === undefined ? undefined : { text: JSON.stringify({ error: answer.block }), status: "blocked" };
}

/** Characters of an error that hooks get beside the result. */
const ERROR_CHARS = 500;

/** Tell hooks of the result as the tool gave it. @returns the text that hooks put in its place, else its own */
export async function resultAfterHooks(
  ready: ReadyCall,
  ctx: ToolContext,
  { result, durationMs }: { readonly result: ToolResult; readonly durationMs: number },
): Promise<string> {
  const { hooks } = ctx;
  const tells = hooks?.has("post_tool_call") === true;
  const status = result.status ?? "ok";
  const transforms = hooks?.has("transform_tool_result") === true && (status === "ok" || status === "error");
  if (hooks === undefined || (!tells && !transforms)) return result.text;
  const { middleware_trace, ...call } = fieldsOf(ready, ctx);
  const fields: ToolResultFields = {
    ...call,
    result: result.text,
    duration_ms: durationMs,
    status,
    error_type: status === "ok" ? null : status,
    error_message: status === "ok" ? null : errorIn(result.text),
  };
  if (tells) hooks.tell("post_tool_call", { ...fields, middleware_trace });
  return (transforms ? await hooks.transform("transform_tool_result", fields, ctx.signal) : undefined) ?? result.text;
}

function errorIn(text: string): string {
  const parsed = text.startsWith("{") ? parseJson(text) : undefined;
  const error = parsed?.ok === true && isRecord(parsed.value) ? parsed.value["error"] : undefined;
  return toScreenLine(typeof error === "string" ? error : text, ERROR_CHARS);
}

/** Run the tool inside the execution middleware of plugins. @throws what a middleware throws: the call fails with it */
export async function runThroughMiddleware(
  ready: ReadyCall,
  ctx: ToolContext,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const chain = ctx.hooks?.middleware("tool_execution");
  if (chain === undefined) return run();
  const args = shownArgs(ready);
  let ran: ToolResult | undefined;
  const last = async (given: ToolRequest) => {
    // Guards and policy hooks have judged these arguments: others are for `tool_request`.
    if (given.tool_name !== ready.tool.name || canonicalJson(given.args) !== canonicalJson(args))
      throw new Error("tool_execution middleware cannot change a call: use tool_request");
    ran = await run();
    return { result: ran.text, status: ran.status ?? "ok" };
  };
  const answer: unknown = await chain.run(requestOf(ready.tool.name, ready.call.id, args, ctx), last, ctx.signal);
  const given = isRecord(answer) ? answer["result"] : undefined;
  if (given === undefined) throw new Error(`middleware of ${chain.sources.join(", ")} must answer {result, status}`);
  const text = typeof given === "string" ? given : JSON.stringify(given);
  if (ran?.text === text) return ran;
  return { ...(ran ?? {}), text };
}
