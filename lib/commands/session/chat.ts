import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import { exitCodeOfSignal } from "../../base/process/signal-exit.js";
import type { SessionRecord, TurnResult } from "../../contracts/chat/chat.js";
import { allowCommand } from "../../safety/approve/denial.js";
import { fenceFor } from "../../safety/redact/text.js";
import {
  chooseSession,
  leaveIdle,
  refuseUnknownSkills,
  refuseWrongOptions,
  turnOptions,
} from "../conversation/conversation.js";
import { endWithError, streamEvents } from "../conversation/stream.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";

export default defineCommand({
  path: "chat",
  summary: "Run one turn and print the answer.",
  topic: "chat",
  params: z.object({
    query: z.string().optional().describe("prompt; - reads standard input"),
    quiet: z.boolean().default(false).describe("print only the answer"),
    image: z.array(z.string().min(1)).default([]).describe("image to attach; repeatable"),
  }),
  short: { query: "q", quiet: "Q" },
  surfaces: ["cli"],
  access: "write",
  stdin: true,
  run: async (params, ctx) => {
    try {
      return await converse(params, ctx);
    } catch (error) {
      if (!ctx.json) throw error;
      return { data: null, streamed: true, exit: await endWithError(error, ctx) };
    }
  },
});

interface Given {
  readonly query?: string | undefined;
  readonly quiet: boolean;
  readonly image: readonly string[];
}

async function converse({ query, quiet, image }: Given, ctx: CommandContext): Promise<CommandResult> {
  if (query === undefined)
    throw new AppError("E_USAGE", "no terminal to chat on; pass a prompt with -q", {
      hint: "agent chat -q PROMPT, or agent -z PROMPT",
    });
  ctx.pipeExit(141);
  refuseWrongOptions(ctx.globals);
  await refuseUnknownSkills(ctx);
  const text = await ctx.chat.withPictures({ text: await fullPrompt(query, ctx), files: image, cwd: ctx.cwd });
  const session = await chooseSession(ctx);
  const notices: string[] = [];
  const result = await worked(session, text, ctx, (notice) => notices.push(notice));
  if (!ctx.json) await tell(result, { quiet, notices }, ctx);
  return { data: result, streamed: true, exit: exitOf(result, ctx) };
}

async function worked(...[session, text, ctx, notice]: Parameters<typeof work>): Promise<TurnResult> {
  try {
    return await work(session, text, ctx, notice);
  } finally {
    await leaveIdle(session.id, ctx);
  }
}

async function fullPrompt(query: string, ctx: CommandContext): Promise<string> {
  const prompt = query === "-" ? await ctx.stdin(LIMITS.stdinBytes) : query;
  if (prompt.trim() === "")
    throw new AppError("E_USAGE", "the prompt is empty", {
      hint: "agent chat -q PROMPT or agent -z PROMPT; - reads it from standard input",
    });
  if (ctx.globals["stdin"] !== true || query === "-") return prompt;
  const input = await ctx.stdin(LIMITS.stdinBytes);
  const fence = fenceFor(input);
  return `${prompt}\n\nStandard input:\n${fence}\n${input.replace(/\n$/, "")}\n${fence}`;
}

function work(
  session: SessionRecord,
  text: string,
  ctx: CommandContext,
  notice: (text: string) => void,
): Promise<TurnResult> {
  const { max_turns: maxTurns, max_cost: maxCostUsd } = ctx.globals;
  const turn = {
    session: session.id,
    text,
    signal: ctx.signal,
    ...turnOptions(ctx),
    onNotice: (told: { readonly text: string }) => notice(told.text),
    ...(ctx.force === undefined ? {} : { force: ctx.force }),
    ...(typeof maxTurns === "number" ? { maxTurns } : {}),
    ...(typeof maxCostUsd === "number" ? { maxCostUsd } : {}),
  };
  return ctx.json
    ? streamEvents(session, (onTurn) => ctx.chat.submit({ ...turn, onTurn }), ctx)
    : ctx.chat.submit(turn);
}

interface Telling {
  readonly quiet: boolean;
  /** About files that the turn used, limits that it met, and what an interrupt left. */
  readonly notices: readonly string[];
}

async function tell(result: TurnResult, { quiet, notices }: Telling, ctx: CommandContext): Promise<void> {
  if (result.final_response !== "") await ctx.out(`${result.final_response}\n`);
  for (const notice of notices) await ctx.err(`agent: ${notice}\n`);
  if (result.error)
    await ctx.err(`agent: ${result.error.message}\n${result.error.hint === "" ? "" : `agent: ${result.error.hint}\n`}`);
  for (const { tool, preview, rule_to_allow } of result.denied)
    await ctx.err(
      `agent: denied: ${tool} ${preview}${rule_to_allow === "" ? "" : `; allow it with: ${allowCommand(rule_to_allow)}`}\n`,
    );
  if (quiet) return;
  await ctx.err(
    `session_id: ${result.session_id}\n${(result.duration_ms / 1000).toFixed(1)} s\nresume with: agent --resume ${result.session_id}\n`,
  );
}

/** Core part, 15.2: that of a signal, then 1, then 3. */
function exitOf(result: TurnResult, ctx: CommandContext): number {
  if (ctx.signal.aborted) return exitCodeOfSignal(ctx.signal.reason);
  if (result.interrupted) return 130;
  if (result.failed || !result.completed) return 1;
  return result.denied.length > 0 ? 3 : 0;
}
