import type { ChatOrigin } from "../../contracts/board/notify.js";
import { shortTokens } from "../../contracts/chat/compaction-lines.js";
import type { CommandContext, CommandResult } from "../define.js";
import { goalLine } from "./goal-line.js";

/** Unknown messages that are named one by one. */
const NAMED = 5;

/** `/status` of a chat (gateway part, 9.4): its conversation, its platform and what may not have arrived there; nothing of the machine. */
export async function chatStatus(ctx: CommandContext, origin: ChatOrigin): Promise<CommandResult> {
  const { platform, chat_id, thread_id } = origin;
  const target = [platform, chat_id, ...(thread_id === undefined ? [] : [thread_id])].join(":");
  const [talk, adapters, unsure] = await Promise.all([
    conversation(ctx),
    ctx.gateway.adapters(),
    ctx.gateway.outbox({ state: "unknown", platform }),
  ]);
  const unknown = unsure.filter((one) => one.target === target).map(({ id }) => id);
  const adapter = adapters.find(({ tag }) => tag === platform);
  const lines = [
    ...talk.lines,
    `${platform}: ${adapter === undefined ? "not connected" : adapter.state}${adapter?.error_code ? `, ${adapter.error_code}` : ""}`,
    ...(unknown.length === 0 ? [] : [`delivery unknown: ${unknown.length} (${unknown.slice(0, NAMED).join(", ")})`]),
  ];
  const state = { state: adapter?.state ?? null, error_code: adapter?.error_code ?? null };
  return { text: lines.join("\n"), data: { ...talk.data, platform: state, unknown } };
}

async function conversation({ chat, session, work }: CommandContext) {
  const turn = `turn: ${work?.turn ?? "none"}`;
  const inbox = work?.waiting ?? 0;
  if (session === undefined)
    return { lines: ["session: none", turn], data: { session: null, turn: work?.turn ?? null, waiting: inbox } };
  const [record, queue, goal, context] = await Promise.all([
    chat.get(session),
    chat.queue(session),
    chat.goal(session),
    chat.context(session),
  ]);
  const waiting = inbox + queue.items.length;
  const { title = null, input_tokens = 0, output_tokens = 0 } = record ?? {};
  const lines = [
    `session: ${title === null ? "" : `${title}, `}${session}`,
    `model: ${context.model} (${context.provider})`,
    turn,
    `waiting: ${waiting === 1 ? "1 message" : `${waiting} messages`}`,
    `context: ${shortTokens(context.total)} of ${shortTokens(context.window)} tokens, ${Math.round(context.percent)} %`,
    `tokens: ${shortTokens(input_tokens)} in, ${shortTokens(output_tokens)} out`,
    ...(goal === undefined ? [] : [`goal: ${goalLine(goal)}`]),
  ];
  return {
    lines,
    data: {
      session,
      title,
      model: context.model,
      turn: work?.turn ?? null,
      waiting,
      context_tokens: context.total,
      window: context.window,
    },
  };
}
