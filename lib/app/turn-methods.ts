import * as z from "zod";
import { defineMethod, type Methods } from "../backplane/methods.js";
import type { SessionId } from "../base/units.js";
import type { ChatApi } from "../proto/chat.js";
import { BUSY_MODES, type Posted } from "../proto/chat-queue.js";

const session_id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows
const text = z.string().max(1 << 20);
const said = text.refine((value) => value.trim() !== "", "the text is empty");
const item = z.string().min(1);

/** Turns and queues for front ends (core part, 1.3, 9). What is answered is durable; how a turn ends is an event. */
export function turnMethods(chat: ChatApi): Methods {
  return new Map([...turnsOf(chat), ...queueOf(chat)]);
}

/** A message names the request that gave it: one that an owner took before it died is found, in a turn or in the queue. */
function turnsOf(chat: ChatApi): Methods {
  return new Map([
    [
      "turn.submit",
      defineMethod({
        params: z
          .object({ session_id, text, mode: z.enum([...BUSY_MODES, "continue"]).optional() })
          .refine((given) => given.mode === "continue" || given.text.trim() !== "", { path: ["text"], error: "the text is empty" }),
        access: "write",
        recover: async ({ session_id: id }, _client, { key = "" }) => {
          const turn = await chat.turnOf(id, key);
          if (turn !== undefined) return { result: { turn_id: turn } };
          const queued = (await chat.queue(id)).items.find((one) => one.request === key);
          return queued === undefined ? "not done" : { result: { queued } };
        },
        run: async ({ session_id: session, text: words, mode }, { kind }, { key }) => {
          const more = { ...(mode === undefined ? {} : { mode }), ...(key === undefined ? {} : { request: key }) };
          return postedForm(await chat.post({ session, text: words, source: kind, ...more }));
        },
      }),
    ],
    [
      "turn.steer",
      defineMethod({
        params: z.object({ session_id, text: said }),
        access: "write",
        run: async (params) => postedForm(await chat.steer(params.session_id, params.text)),
      }),
    ],
    [
      "turn.interrupt",
      defineMethod({
        params: z.object({ session_id, force: z.boolean().default(false), text: text.optional() }),
        access: "write",
        repeat: ({ text: words }) => (words === undefined ? "safe" : "noted"), // the turn that was meant died with its owner
        run: async ({ session_id: id, force, text: words }) => ({
          interrupted: await chat.interrupt(id, { force, ...(words === undefined ? {} : { text: words }) }),
        }),
      }),
    ],
  ]);
}

function postedForm(posted: Posted): object {
  if (posted.did === "started") return { turn_id: posted.turn_id };
  return posted.did === "queued" ? { queued: posted.item } : { steered: true };
}

function queueOf(chat: ChatApi): Methods {
  const one = z.object({ session_id, item });
  return new Map([
    [
      "queue.list",
      defineMethod({ params: z.object({ session_id }), access: "read", run: async (params) => chat.queue(params.session_id) }),
    ],
    [
      "queue.add",
      defineMethod({
        params: z.object({
          session_id,
          text: said,
          kind: z.enum(["message", "process_notice", "continuation"]).default("message"),
          before: item.nullish(),
        }),
        access: "write",
        run: async ({ session_id: session, text: words, kind, before }, client) => {
          const added = await chat.queueAdd(session, { text: words, kind, source: client.kind });
          const { items } = await chat.queue(session);
          const behind = items.some(({ id }) => id === before) && items.some(({ id }) => id === added.id);
          return behind ? chat.queueMove(session, added.id, before ?? undefined) : chat.queue(session);
        },
      }),
    ],
    [
      "queue.edit",
      defineMethod({
        params: one.extend({ text: said }),
        access: "write",
        repeat: () => "safe",
        run: async (params) => chat.queueEdit(params.session_id, params.item, params.text),
      }),
    ],
    [
      "queue.move",
      defineMethod({
        params: one.extend({ before: item.nullish() }),
        access: "write",
        repeat: () => "safe",
        run: async (params) => chat.queueMove(params.session_id, params.item, params.before ?? undefined),
      }),
    ],
    [
      "queue.remove",
      defineMethod({ params: one, access: "write", run: async (params) => chat.queueRemove(params.session_id, params.item) }),
    ],
    [
      "queue.send_now",
      defineMethod({
        params: z.object({ session_id, item: item.optional() }),
        access: "write",
        run: async (params) => chat.queueSendNow(params.session_id, params.item),
      }),
    ],
    ["queue.steer", defineMethod({ params: one, access: "write", run: async (params) => chat.queueSteer(params.session_id, params.item) })],
  ]);
}
