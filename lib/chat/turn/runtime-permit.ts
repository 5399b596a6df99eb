import { withLinkedSignal } from "../../base/async/abort-any.js";
import { createMailbox } from "../../base/async/mailbox.js";
import { isRecord } from "../../base/json/record.js";
import { LIMITS } from "../../base/limits.js";
import type { Denied } from "../../contracts/chat/chat.js";
import { toolName } from "../../contracts/mcp/tool-name.js";
import type {
  RuntimeAnswer,
  RuntimeHost,
  RuntimePermission,
  RuntimeQuestion,
} from "../../contracts/runtimes/runtime.js";
import { toScreenLine } from "../../safety/redact/text.js";
import type { Permission, PermissionAnswer, ToolContext } from "../../tools/core/define.js";

/** What the approvals and questions of a program go through. */
export interface RuntimeAskingInput {
  /** What a call of the turn may use: its permissions, hooks and questions. */
  context(callId: string, signal: AbortSignal): ToolContext;
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
  /** Something was not allowed: for the result of the turn. */
  denied(denial: Denied): void;
}

/** Choices that a question shows (`ClarifyAsked`). */
const SHOWN_CHOICES = 4;

/** Approvals and questions of a program that works a turn: one at a time, in order (extensions part, 8.5 to 8.7). */
export function createRuntimeAsking(input: RuntimeAskingInput): Pick<RuntimeHost, "permit" | "ask"> {
  const queue = createMailbox("questions of the program", LIMITS.programQuestions);
  const inTurn = <T>(callId: string, signal: AbortSignal, work: (ctx: ToolContext) => Promise<T>): Promise<T> =>
    queue.post(() => withLinkedSignal([input.signal, signal], (both) => work(input.context(callId, both))));
  return {
    permit: async (asked, signal) => {
      try {
        return await inTurn(asked.callId, signal, (ctx) => permit(input, asked, ctx));
      } catch (error) {
        if (signal.aborted || input.signal.aborted) return "cancel";
        failed(input, signal, error);
        return "deny";
      }
    },
    ask: async (question, signal) => {
      try {
        return await inTurn("question", signal, (ctx) => ask(question, ctx));
      } catch (error) {
        if (!signal.aborted && !input.signal.aborted) failed(input, signal, error);
        return undefined;
      }
    },
  };
}

/** A failure while a user is asked allows nothing. */
function failed(input: RuntimeAskingInput, signal: AbortSignal, error: unknown): void {
  input.context("question", signal).log.warning("failed to ask for a program", { error: String(error) });
}

async function permit(input: RuntimeAskingInput, asked: RuntimePermission, ctx: ToolContext): Promise<RuntimeAnswer> {
  if (ctx.signal.aborted) return "cancel";
  if (await blockedByHook(asked, ctx)) return ctx.signal.aborted ? "cancel" : "deny";
  const answer = await ctx.permit(toPermission(asked));
  if (ctx.signal.aborted) return "cancel";
  if (answer.allowed) {
    // What a server or a host sends may hold instructions of others.
    if (asked.kind === "tool") ctx.readUntrusted?.();
    return toAnswer(answer);
  }
  if (answer.status === "denied")
    input.denied({
      tool: asked.tool,
      preview: toScreenLine(ctx.redact(asked.command), 120),
      rule_to_allow: answer.rule ?? "",
    });
  return "deny";
}

/** Policy hooks come before the question; one that blocks declines. */
async function blockedByHook({ tool, callId, args, cwd }: RuntimePermission, ctx: ToolContext): Promise<boolean> {
  if (ctx.hooks?.has("pre_tool_call") !== true) return false;
  const fields = {
    tool_name: tool,
    args: isRecord(args) ? args : {},
    tool_call_id: callId,
    session_id: ctx.session,
    task_id: ctx.board?.task ?? null,
    turn_id: ctx.turn ?? null,
    api_request_id: null,
    cwd,
    middleware_trace: [],
  };
  return (await ctx.hooks.preToolCall(fields, ctx.signal)) !== undefined;
}

/** Rules of a project hold for later sessions as well; the program knows no such scope, and remembers for the session. */
function toAnswer({ chosen }: Extract<PermissionAnswer, { allowed: true }>): RuntimeAnswer {
  if (chosen === "always") return "always";
  return chosen === "session" || chosen === "project" ? "session" : "once";
}

function toPermission(asked: RuntimePermission): Permission {
  const { kind, tool, cwd, paths, hosts, args, diff, person, scopes } = asked;
  const typed = asked.typed === true ? asked.command : undefined;
  return {
    kind: typed === undefined ? kind : "tool",
    tool,
    command: typed === undefined ? asked.command : `type into ${asked.into ?? "a running command"}: ${typed}`,
    cwd,
    ...(paths === undefined || kind === "tool" ? {} : { paths }),
    ...(hosts === undefined ? {} : { hosts }),
    ...(args === undefined ? {} : { args }),
    ...(diff === undefined ? {} : { diff: async () => diff }),
    program: {
      reason: reasonFor(asked),
      names: ownNames(asked),
      ...(person === true ? { person } : {}),
      ...(typed === undefined ? {} : { typed }),
      ...(scopes === undefined ? {} : { scopes }),
    },
  };
}

function reasonFor({ reason, person, typed }: RuntimePermission): string {
  const what =
    person === true
      ? "the program asks for the decision of a person"
      : typed === true
        ? "the program types into a running command"
        : "the program asks before it does this";
  return reason === undefined || reason.trim() === "" ? what : `${what}: ${reason.trim()}`;
}

/** Our own tools that do what the program asks for: their deny rules hold for it. */
function ownNames({ kind, tool, typed }: RuntimePermission): readonly string[] {
  const [family, server, ...rest] = tool.split(".");
  if (family === "mcp" && server !== undefined && rest.length > 0) return [toolName(server, rest.join("."))];
  if (kind === "write") return ["write_file", "patch"];
  return kind === "command" ? ["terminal", ...(typed === true ? ["process"] : [])] : [];
}

async function ask(
  { header, question, options, hidden }: RuntimeQuestion,
  ctx: ToolContext,
): Promise<string | undefined> {
  if (ctx.signal.aborted) return undefined;
  const title = header === undefined || question.includes(header) ? question : `${header}: ${question}`;
  if (hidden === true) return ctx.askHidden?.(title);
  const more = options.slice(SHOWN_CHOICES);
  const text = more.length === 0 ? title : `${title}\nOther answers: ${more.join(", ")}`;
  const answer = await ctx.ask?.(text, options.slice(0, SHOWN_CHOICES));
  return answer?.how === "answered" ? answer.text : undefined;
}
