import type { SessionId } from "../../base/units.js";
import { shortTokens } from "../../contracts/chat/compaction-lines.js";
import type { CommandContext } from "../define.js";
import { goalLine } from "./goal-line.js";

/** What `/status` says of the conversation that it was typed in (core part, 14.2). */
export async function conversationStatus(session: SessionId, { chat }: CommandContext) {
  const [record, view, goal, context] = await Promise.all([
    chat.get(session),
    chat.view(session),
    chat.goal(session),
    chat.context(session),
  ]);
  const waiting = view.queue.items.length;
  const lines = [
    `session: ${session}${record?.title ? `, ${record.title}` : ""}`,
    `model: ${context.model} (${context.provider})`,
    `phase: ${view.phase}${view.detail === "" ? "" : ` (${view.detail})`}`,
    `context: ${shortTokens(context.total)} of ${shortTokens(context.window)} tokens, ${Math.round(context.percent)} %`,
    `tokens: ${shortTokens(record?.input_tokens ?? 0)} in, ${shortTokens(record?.output_tokens ?? 0)} out`,
    `queue: ${waiting === 0 ? "empty" : `${waiting} waiting`}${view.queue.paused ? ", paused" : ""}`,
    ...(goal === undefined ? [] : [`goal: ${goalLine(goal)}`]),
  ];
  const {
    id,
    title = null,
    model,
    provider,
  } = record ?? { id: session, title: null, model: context.model, provider: context.provider };
  return {
    lines,
    data: {
      id,
      title,
      model,
      provider,
      phase: view.phase,
      context_tokens: context.total,
      window: context.window,
      queue: waiting,
      goal: goal ?? null,
    },
  };
}
