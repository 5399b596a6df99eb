import type { SessionId, TurnId } from "../../base/units.js";
import type { NewSession, SessionRecord, SessionSource, TurnResult } from "../../contracts/chat/chat.js";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import type { CommandContext, CommandResult } from "../define.js";
import { sessionOptions } from "./conversation.js";

/**
 * A command that starts a turn: a caller that sees only the answer waits for the turn's end and gets what the model said; every other gets
 * as soon as the turn has begun.
 */
export async function startedTurn(
  start: (onTurn: (turn: TurnId) => void) => Promise<TurnResult>,
  text: string,
  ctx: CommandContext,
): Promise<CommandResult> {
  let work: Promise<TurnResult> | undefined;
  const begun = new Promise<TurnId>((resolve, reject) => {
    work = start(resolve);
    work.then((result) => resolve(result.turn_id), reject);
  });
  const turn = await begun;
  if (ctx.waits !== true || work === undefined) return { text, data: { turn_id: turn } };
  const result = await work;
  return { text: result.final_response, data: result, exit: result.completed && !result.failed ? 0 : 1, uncut: true };
}

/** A new conversation in place of the one that the command was typed in. */
export async function freshSession(ctx: CommandContext, more: { title?: string; ephemeral?: boolean } = {}) {
  const before = ctx.session === undefined ? undefined : await ctx.chat.get(ctx.session);
  const options = {
    ...sessionOptions(ctx),
    ...toSessionFront(before, ctx),
    cwd: ctx.surface === "slash" && before !== undefined ? before.cwd : ctx.cwd,
  } as const;
  return ctx.chat.create({ ...options, ...more });
}

/** Of conversations in editors (core part, 16.1). */
const EDITOR_TOOLSET = "agent-acp";

/** Where a conversation is held that a command opens: in the chat, or on the screen that it was typed in. */
export function toSessionFront(
  before: SessionRecord | undefined,
  { origin }: CommandContext,
): Pick<NewSession, "source" | "origin" | "toolsets"> {
  if (origin !== undefined) return { source: origin.platform as SessionSource, origin }; // only platforms have chats
  if (before?.source === "acp") return { source: "acp", toolsets: [EDITOR_TOOLSET] };
  return { source: before?.source === "workspace" || before?.source === "inline" ? before.source : "cli" };
}

/** Answer of a command after which another conversation is shown. */
export function openedSessionResult(
  session: Parameters<typeof toSessionJson>[0] & { readonly id: SessionId },
  text: string,
): CommandResult {
  return { text, data: toSessionJson(session), next: { open: session.id } };
}
