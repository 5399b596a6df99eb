import type { SlashAnswer } from "../../lib/contracts/chat/slash.js";
import { callKey, type EffectContext, type EffectRunner } from "../effects/effect.js";
import type { Effect } from "../model/messages.js";
import { createFollower } from "./follow-command.js";
import { attach, switching } from "./open-session.js";

/** The shown conversation: opened, followed, spoken to. */
export function createChatEffects(context: EffectContext): EffectRunner {
  const { options, client, signal, send, run } = context;
  const follower = createFollower(options, send);
  const { openOther, close } = switching({ options, signal, send, run });
  const told = (method: string, params: object) => client.call(method, params, { signal }).then(() => undefined);
  const command = async ({ text, id }: Typed, session: string | undefined) => {
    const { text: answer, exit, follow, next } = await answerOf(context, text, session);
    send({ type: "command", id, text: answer, failed: exit !== 0 });
    if (next?.open !== undefined) openOther(next.open);
    if (next !== undefined) send({ type: "next", next });
    if (follow) await follower.begin(id, follow);
  };
  return {
    start: () => openOther(options.resume),
    perform: (effect, session) => {
      if (effect.do === "open") openOther(effect.session);
      if (effect.do === "reload" && session === undefined) openOther(options.resume);
      if (effect.do === "command") run("failed to send the command", () => command(effect, session));
      if (effect.do === "unfollow") follower.stop();
      if (session === undefined) return;
      if (effect.do === "attach" && options.answers !== false)
        run("failed to read the open questions", () => attach(client, session, signal, send));
      if (effect.do === "answer") run("failed to send the answer", () => answered(context, effect));
      if (effect.do === "sendNext")
        run("failed to resume the queue", () => told("queue.send_now", { session_id: session }));
      if (effect.do === "interrupt")
        run("failed to interrupt the turn", () => told("turn.interrupt", { session_id: session, force: effect.force }));
    },
    stop: () => {
      follower.stop();
      close();
    },
  };
}

type Typed = Extract<Effect, { do: "command" }>;
type Told = Pick<SlashAnswer, "text" | "exit" | "follow" | "next">;

/** What the command could not say itself is its answer, too. */
async function answerOf(
  { client, options, signal }: EffectContext,
  text: string,
  session: string | undefined,
): Promise<Told> {
  const { cwd, env } = options;
  const params = { text, cwd, env, follows: true, ...(session === undefined ? {} : { session_id: session }) };
  try {
    return await client.call<Told>("command.run", params, { signal, key: callKey() });
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), exit: 1 };
  }
}

/** Nothing of a hidden value is kept here. */
async function answered({ client, signal }: EffectContext, given: Extract<Effect, { do: "answer" }>): Promise<void> {
  const { request, kind, answer: value, text, width, content } = given;
  if (kind === "form") {
    const params = { request, action: value ?? "cancel", ...(content === undefined ? {} : { content }) };
    await client.call("form.respond", params, { signal });
    return;
  }
  const hidden = kind === "password" || kind === "secret";
  const params = hidden
    ? { request, value }
    : { request, answer: value, ...(text === undefined ? {} : { text }), ...(width === undefined ? {} : { width }) };
  await client.call(`${kind}.respond`, params, { signal });
}
