import { allowManyListeners } from "../../base/async/aborted.js";
import type { Ms } from "../../base/units.js";
import type { CallStatus } from "../../contracts/chat/chat.js";
import { showAsTmp } from "../../safety/cage/temporary.js";
import { fitJson, toScreenLine } from "../../safety/redact/text.js";
import { privateTmp } from "../core/caged.js";
import type { AnyTool, ToolContext, ToolResult } from "../core/define.js";
import { createLimit } from "../core/limit.js";
import { fitResult, RESULT_CHARS, type Spill } from "../core/spill.js";
import { isForeign, markToolResult } from "../core/untrusted.js";
import type { CallDeps, CallOutcome, ReadyCall } from "./call.js";
import { directoryContext, touchedPaths, withDirectoryContext } from "./directory.js";
import { blockedByHook, resultAfterHooks, runThroughMiddleware } from "./hooked.js";
import { callNumber } from "./ledger.js";
import { NotStarted, ruledOut, withPatience } from "./permission.js";
import { listChangeTargets } from "./targets.js";

/** How long a call may need to end after its signal aborted; then it is abandoned (core part, 9.1). */
const ABORT_GRACE_MS = 3_000;
/** The same when its user does not want to wait: what was killed is collected, nothing else. */
const FORCE_GRACE_MS = 100;

/** Run one call with guardrails, time limit, redaction and size limit. Never rejects for what a tool does. */
export async function executeCall(ready: ReadyCall, deps: CallDeps, spill: Spill): Promise<CallOutcome> {
  const begun = deps.begun?.(ready.call, ready.tool.risk === "read");
  const control = linked(deps.signal);
  const own = deps.callsOf?.(ready.call.id);
  const ctx = {
    ...begunFirst(deps.context(ready.call.id, control.signal), ready.begun),
    ...(own === undefined ? {} : { call: own }),
  };
  callNumber(ctx.state).count += 1;
  const ruled = begun === undefined && ctx.hooks !== undefined ? await ruledByHook(ready, ctx) : undefined;
  const blocked = ruled === undefined ? deps.guard.before(ready.call.name, ready.canonical) : undefined;
  const started = deps.clock.mono();
  const touched =
    deps.directoryNotice && blocked === undefined && begun === undefined && ruled === undefined
      ? touchedPaths(ready.tool, ready.params, ctx)
      : [];
  const limit = createLimit(deps.clock, ready.tool.limits.ms, () => control.abort("time limit"));
  const patient = withPatience(ctx, ready, limit);
  const result = await (begun !== undefined
    ? { text: begun, status: "blocked" as const }
    : (ruled ?? (blocked === undefined ? runLimited(ready, deps, patient, control) : error(blocked, "blocked"))));
  limit.stop();
  control.unlink();
  return finish(ready, deps, spill, {
    result,
    ctx,
    touched,
    durationMs: Math.round(deps.clock.mono() - started - limit.held()),
  });
}

/** Every call asks, or is looked up in the rules, before it does anything: an answer comes no sooner than the call has begun. */
function begunFirst(ctx: ToolContext, begun: Promise<void> | undefined): ToolContext {
  if (begun === undefined) return ctx;
  return {
    ...ctx,
    permit: async (permission) => {
      const answer = await ctx.permit(permission);
      await begun;
      return answer;
    },
  };
}

interface Control {
  readonly signal: AbortSignal;
  abort(reason: string): void;
  unlink(): void;
}

function linked(outer: AbortSignal): Control {
  const inner = new AbortController();
  allowManyListeners(inner.signal); // of the calls that this one makes
  const follow = () => inner.abort(outer.reason);
  if (outer.aborted) follow();
  outer.addEventListener("abort", follow, { once: true });
  return {
    signal: inner.signal,
    abort: (reason) => inner.abort(new Error(reason)),
    unlink: () => outer.removeEventListener("abort", follow),
  };
}

async function runLimited(ready: ReadyCall, deps: CallDeps, ctx: ToolContext, control: Control): Promise<ToolResult> {
  const { tool } = ready;
  const cancels: (() => void)[] = [];
  const given = new Promise<ToolResult>((resolve) => {
    const within = (ms: Ms) => () =>
      cancels.push(deps.clock.after(ms, () => resolve(givenUp(tool, deps.signal.aborted, ms))));
    cancels.push(onAbort(control.signal, within(ABORT_GRACE_MS)), onAbort(ctx.force, within(FORCE_GRACE_MS)));
  });
  try {
    return await Promise.race([guarded(ready, ctx), given]);
  } finally {
    for (const cancel of cancels) cancel();
  }
}

async function guarded(ready: ReadyCall, ctx: ToolContext): Promise<ToolResult> {
  const { tool } = ready;
  try {
    await ctx.ports.cages?.status(); // paths of tools depend on it
    const refused = await ruledOut(ready, ctx);
    if (refused !== undefined) return refused;
    return await (ctx.hooks === undefined
      ? tool.run(ready.params, ctx)
      : runThroughMiddleware(ready, ctx, () => tool.run(ready.params, ctx)));
  } catch (thrown) {
    if (ctx.signal.aborted && thrown instanceof NotStarted) return notStarted(tool);
    if (ctx.signal.aborted) return givenUp(tool, ctx.signal.reason?.message !== "time limit");
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    ctx.log.warning("tool failed", {
      session: ctx.session,
      tool: tool.name,
      call: ready.call.id,
      error: toScreenLine(message, 200),
    });
    return { text: `Error executing tool '${tool.name}': ${message}`, status: "error" };
  }
}

/** A policy hook is asked before anything of the call happens. An interrupt ends the wait, and the call is not started. */
async function ruledByHook(ready: ReadyCall, ctx: ToolContext): Promise<ToolResult | undefined> {
  const answer = await blockedByHook(ready, ctx);
  return answer !== undefined && ctx.signal.aborted ? notStarted(ready.tool) : answer;
}

/** It was asked about when the user interrupted, and has done nothing yet. */
const notStarted = (tool: AnyTool): ToolResult => ({
  text: `[Tool execution skipped: ${tool.name} was not started. The user interrupted.]`,
  status: "skipped",
});

/** `abandonedAfter`: it did not end by itself in that time. */
function givenUp(tool: AnyTool, interrupted: boolean, abandonedAfter?: Ms): ToolResult {
  const limit = `${tool.name} was stopped after ${Math.round(tool.limits.ms / 1000)} s`;
  if (!interrupted) return { text: JSON.stringify({ error: limit }), status: "error" };
  const text = `[Tool execution cancelled: ${tool.name}]`;
  if (abandonedAfter === undefined) return { text, status: "cancelled" };
  const late = `It did not end within ${abandonedAfter / 1000} s and was abandoned; what it was doing may still take effect.`;
  return { text: `${text} ${late}`, status: "cancelled", abandoned: true };
}

function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted) act();
  signal?.addEventListener("abort", act, { once: true });
  return () => signal?.removeEventListener("abort", act);
}

const error = (text: string, status: CallStatus): ToolResult => ({ text: JSON.stringify({ error: text }), status });

interface Ran {
  readonly result: ToolResult;
  readonly ctx: ToolContext;
  readonly touched: readonly string[];
  readonly durationMs: number;
}

async function finish(ready: ReadyCall, deps: CallDeps, spill: Spill, ran: Ran): Promise<CallOutcome> {
  const { call, tool } = ready;
  const { result, ctx } = ran;
  if (isForeign(call.name)) ctx.readUntrusted?.();
  const object = parseObject(result.text);
  const failed = isFailure(call.name, result, object);
  const verdict = deps.guard.after({
    name: call.name,
    canonical: ready.canonical,
    failed,
    readOnly: tool.risk === "read",
    text: result.text,
  });
  const tmp = privateTmp(ctx)?.dir;
  const given = ctx.hooks === undefined ? result.text : await resultAfterHooks(ready, ctx, ran);
  const said = tmp === undefined ? given : showAsTmp(given, tmp);
  const unchanged = said === result.text;
  const text = ctx.redact(annotate(said, unchanged ? object : parseObject(said), ready.ignored, verdict.note));
  const max = tool.limits.chars > 0 ? tool.limits.chars : RESULT_CHARS;
  const shown = async (whole: string, most: number) =>
    addContext(await fitResult(spill, call.id, whole, Math.max(most, 1_000)), deps, ran);
  return {
    call,
    content: deps.whole === true ? text : markToolResult(call.name, await shown(text, max)),
    status: result.status ?? "ok",
    durationMs: ran.durationMs,
    filesChanged: result.filesChanged ?? [],
    filesNotChanged: result.filesNotChanged ?? (failed && !result.filesChanged ? missedBy(ready, ctx) : []),
    ...(result.images === undefined || result.images.length === 0 ? {} : { images: result.images }),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.abandoned === true ? { abandoned: true } : {}),
    ...(result.denied === undefined || result.denied.length === 0 ? {} : { deniedBelow: result.denied }),
    ...(result.endsRun === undefined ? {} : { endsRun: result.endsRun }),
    ...(verdict.halt === undefined ? {} : { halt: verdict.halt }),
    ...deniedOf(ready, result),
  };
}

/** What a call that never came to its work, or broke off in it, was to change. */
function missedBy({ tool, params }: ReadyCall, ctx: ToolContext): readonly string[] {
  try {
    return listChangeTargets(tool, params, ctx);
  } catch {
    return []; // arguments that name no file
  }
}

/** A call that was not run touches nothing. */
async function addContext(content: string, deps: CallDeps, { result, ctx, touched }: Ran): Promise<string> {
  const ran = result.status === undefined || result.status === "ok" || result.status === "error";
  const found = ran && touched.length > 0 ? await directoryContext(touched, ctx) : undefined;
  for (const notice of found?.notices ?? []) deps.directoryNotice?.(notice);
  return withDirectoryContext(content, found?.files ?? []);
}

function deniedOf(ready: ReadyCall, result: ToolResult): Pick<CallOutcome, "denied"> {
  if (result.status !== "denied") return {};
  const preview = toScreenLine(ready.tool.preview(ready.params), 120);
  return { denied: { tool: ready.call.name, preview, rule_to_allow: result.ruleToAllow ?? "" } };
}

type JsonObject = Record<string, unknown>;

function parseObject(text: string): JsonObject | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as JsonObject; // JSON text that begins with a brace is an object
  } catch {
    return undefined; // plain text that happens to begin with a brace
  }
}

/** Core part, 6.3. */
function isFailure(name: string, result: ToolResult, object: JsonObject | undefined): boolean {
  if (name === "terminal" && result.exitCode !== undefined)
    return result.exitCode !== 0 && object?.["exit_code_meaning"] === undefined;
  if (result.status !== undefined && result.status !== "ok") return true;
  return (
    object !== undefined && ((object["error"] !== undefined && object["error"] !== null) || object["success"] === false)
  );
}

function annotate(
  text: string,
  object: JsonObject | undefined,
  ignored: readonly string[],
  note: string | undefined,
): string {
  if (ignored.length === 0 && note === undefined) return text;
  if (object === undefined)
    return [
      text,
      ...(ignored.length > 0 ? [`[Unknown arguments ignored: ${ignored.join(", ")}]`] : []),
      ...(note === undefined ? [] : [note]),
    ].join("\n");
  const extra = {
    ...(ignored.length > 0 ? { _ignored: ignored } : {}),
    ...(note === undefined ? {} : { _loop_warning: note }),
  };
  return JSON.stringify({ ...object, ...extra });
}

/** A JSON result that must stay valid when it is cut to `max` characters. */
export function jsonResult(value: Readonly<Record<string, unknown>>, max = RESULT_CHARS): string {
  return (
    fitJson(value, max) ??
    JSON.stringify({ error: `the result was too large (over ${max} characters); ask for less at once` })
  );
}
