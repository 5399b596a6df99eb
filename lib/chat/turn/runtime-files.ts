import { AppError } from "../../base/errors.js";
import { guardRead } from "../../safety/paths/paths.js";
import type { ToolContext } from "../../tools/core/define.js";
import { load } from "../../tools/file/load.js";
import { splitLines } from "../../tools/run/codec.js";
import { toolPermission } from "../../tools/run/permission.js";
import { type CallOutcome, runCalls } from "../../tools/run/pipeline.js";
import { pathOf, scopeOf } from "../../tools/run/scope.js";
import type { TurnDeps } from "./turn-types.js";

/** A text file as the file tools of the conversation may read it. @throws E_DENIED, E_NOT_FOUND, E_INVALID (not text) */
export async function readForProgram(
  ctx: ToolContext,
  given: string,
  { line = 1, limit }: { readonly line?: number; readonly limit?: number } = {},
): Promise<string> {
  const allowed = guardRead(pathOf(given, ctx), scopeOf(ctx));
  if (!allowed.ok) throw new AppError("E_DENIED", allowed.why, { hint: "name a file that the file tools may read" });
  const { path } = allowed;
  const answer = await ctx.permit(toolPermission({ tool: "read_file", preview: path }, [path], ctx));
  if (!answer.allowed) throw new AppError("E_DENIED", answer.message);
  const loaded = await load(path, ctx);
  if ("error" in loaded)
    throw new AppError(loaded.missing === true ? "E_NOT_FOUND" : "E_INVALID", loaded.error, {
      hint: "check the path; only text files can be read",
    });
  if ("picture" in loaded)
    throw new AppError("E_INVALID", `${path} is a picture, not text`, { hint: "only text files can be read" });
  const { text } = loaded.decoded;
  if (line <= 1 && limit === undefined) return ctx.redact(text);
  const from = Math.max(0, line - 1);
  return ctx.redact(
    splitLines(text)
      .slice(from, limit === undefined ? undefined : from + limit)
      .join("\n"),
  );
}

/** The tool whose checks, questions and checkpoints hold for what a program writes. */
const WRITE_TOOL = "write_file";

/** Write a file as `write_file` would: through hooks, guards and approvals. @throws E_DENIED, E_INVALID */
export async function writeForProgram(
  deps: TurnDeps,
  { id, path, text }: { readonly id: string; readonly path: string; readonly text: string },
  signal: AbortSignal,
): Promise<CallOutcome> {
  const entry = [...deps.tools, ...(deps.deferred ?? [])].find(({ name }) => name === WRITE_TOOL);
  if (entry === undefined)
    throw new AppError("E_DENIED", `this conversation may not write ${path}: it has no file tools`, {
      hint: "agent tools shows the tools of a conversation",
    });
  const call = { id, name: WRITE_TOOL, arguments: JSON.stringify({ path, content: text }) };
  const [outcome] = await runCalls(
    [call],
    {
      tools: new Map([[WRITE_TOOL, await entry.load()]]),
      context: (callId, given) => deps.context(callId, given),
      signal,
      guard: deps.guard,
      clock: deps.clock,
      resultDir: deps.resultDir,
    },
    async () => undefined,
    async () => undefined,
  );
  if (outcome === undefined) throw new AppError("E_INTERNAL", `${path} was not written`);
  if (outcome.status === "ok") return outcome;
  const refused = outcome.status === "denied" || outcome.status === "blocked";
  throw new AppError(refused ? "E_DENIED" : "E_INVALID", errorIn(outcome.content), {
    hint: refused ? "allow it, or write another file" : "check the path",
  });
}

/** The message of a failed result, without its JSON. */
function errorIn(content: string): string {
  try {
    const parsed: unknown = JSON.parse(content);
    if (typeof parsed === "object" && parsed !== null && "error" in parsed) return String(parsed.error);
  } catch {
    /* ok to lose: invalid JSON is a text already. */
  }
  return content;
}
