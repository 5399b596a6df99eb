import * as z from "zod";
import { ownEntry } from "../../base/json/record.js";
import { exitCodeOfSignal } from "../../base/process/signal-exit.js";
import type { SessionId } from "../../base/units.js";
import type { GoalRecord } from "../../contracts/chat/goal.js";
import { sessionOf } from "../conversation/conversation.js";
import { followLoop } from "../conversation/goal-follow.js";
import { goalLine, renderGoal } from "../conversation/goal-line.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";

export default defineCommand({
  path: "goal",
  summary: "Set a standing goal: turns continue until a judge finds it met.",
  topic: "goals",
  params: z.object({ text: z.string().default("").describe("the goal; or status, pause, resume, clear") }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    const words = text.trim();
    const session = ctx.session ?? (await ctx.begin?.()) ?? sessionOf(ctx);
    const verb = ownEntry(VERBS, words);
    if (verb !== undefined) return verb(session, ctx);
    if (ctx.waits === true) return wholeLoop(session, ctx, () => ctx.chat.goalSet(session, words));
    const { goal, replaced } = await ctx.chat.goalSet(session, words);
    const before = replaced === undefined ? [] : [`The earlier goal is replaced: ${replaced.goal}`];
    return { text: [...before, goalLine(goal)].join("\n"), data: { goal, replaced: replaced ?? null } };
  },
});

type Verb = (session: SessionId, ctx: CommandContext) => Promise<CommandResult>;

const status: Verb = async (session, { chat }) => told(await chat.goal(session), renderGoal);
const clear: Verb = async (session, { chat }) => {
  const cleared = await chat.goalClear(session);
  return { text: cleared ? "Goal cleared." : goalLine(undefined), data: { cleared } };
};
const resume: Verb = async (session, ctx) => {
  if (ctx.waits === true) return wholeLoop(session, ctx, () => ctx.chat.goalResume(session));
  return told(await ctx.chat.goalResume(session));
};

const VERBS: Readonly<Record<string, Verb>> = {
  "": status,
  status,
  resume,
  clear,
  stop: clear,
  done: clear,
  pause: async (session, { chat }) => told(await chat.goalPause(session)),
};

const told = (goal: GoalRecord | undefined, text = goalLine): CommandResult => ({
  text: text(goal),
  data: { goal: goal ?? null },
});

/** Run the loop to its end and answer with the last answer. Why it goes on and ends is printed while it runs. */
async function wholeLoop(
  session: SessionId,
  ctx: CommandContext,
  begin: () => Promise<unknown>,
): Promise<CommandResult> {
  const stop = () => {
    ctx.chat
      .interrupt(session)
      .catch((error: unknown) => ctx.log.error("failed to interrupt the goal", { error: String(error) }));
  };
  ctx.signal.addEventListener("abort", stop, { once: true });
  if (ctx.signal.aborted) stop();
  const { direct } = ctx;
  const loop = direct && followLoop(ctx.chat, { session, after: await ctx.chat.cursor(session) }, direct);
  try {
    await begin();
    const { goal, last } = await ctx.chat.goalRest(session, new AbortController().signal);
    const exit = ctx.signal.aborted ? exitCodeOfSignal(ctx.signal.reason) : goal?.status === "done" ? 0 : 1;
    const streamed = direct?.json === true && last !== undefined;
    return {
      text: last?.final_response ?? goalLine(goal),
      data: { goal: goal ?? null, result: last ?? null },
      exit,
      uncut: true,
      streamed,
    };
  } finally {
    await loop?.end();
    ctx.signal.removeEventListener("abort", stop);
  }
}
