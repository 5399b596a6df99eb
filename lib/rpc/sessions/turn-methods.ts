import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import { BUSY_MODES, type Posted, type PostedJson } from "../../contracts/chat/queue.js";
import { MENTIONED } from "../../runtime/pictures/picture-mentions.js";

const session_id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows
const text = z.string().max(1 << 20);
const said = text.refine((value) => value.trim() !== "", "empty text");
const item = z.string().min(1);
/** Paths of pictures. */
const attachments = z.array(z.string().min(1).max(2_000)).max(16).optional();

/** The text with its pictures kept: they stay in it in any case, and the turn that it begins has them. */
async function pictured(
  chat: ChatApi,
  session: SessionId,
  given: { readonly text: string; readonly files?: readonly string[] | undefined },
) {
  const { text: words, files = [] } = given;
  if (files.length === 0 && !words.includes(MENTIONED)) return words;
  return chat.withPictures({ text: words, files, cwd: (await chat.get(session))?.cwd ?? "/" });
}

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
          .object({ session_id, text, attachments, mode: z.enum([...BUSY_MODES, "continue"]).optional() })
          .refine(
            (given) => given.mode === "continue" || given.text.trim() !== "" || (given.attachments ?? []).length > 0,
            {
              path: ["text"],
              error: "empty text",
            },
          ),
        access: "write",
        recover: async ({ session_id: id }, _client, { key = "" }) => {
          const turn = await chat.turnOf(id, key);
          if (turn !== undefined) return { result: { turn_id: turn } };
          const queued = (await chat.queue(id)).items.find((one) => one.request === key);
          return queued === undefined ? "not done" : { result: { queued } };
        },
        run: async ({ session_id: session, text: given, attachments: files, mode: wanted }, { kind }, { key }) => {
          const words = await pictured(chat, session, { text: given, files });
          // A result of a tool holds no picture: such a message waits for a turn of its own.
          const mode =
            (await chat.holdsPicture(words)) && wanted !== "interrupt" && wanted !== "continue" ? "queue" : wanted;
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
        run: async ({ session_id: session, text: given }, { kind }) => {
          const words = await pictured(chat, session, { text: given });
          if (!(await chat.holdsPicture(words))) return postedForm(await chat.steer(session, words));
          return postedForm(await chat.post({ session, text: words, source: kind, mode: "queue" }));
        },
      }),
    ],
    [
      "turn.interrupt",
      defineMethod({
        params: z.object({ session_id, force: z.boolean().default(false), text: text.optional() }),
        access: "write",
        repeat: ({ text: words }) => (words === undefined ? "safe" : "noted"), // the turn that was meant died with its owner
        run: async ({ session_id: id, force, text: given }) => {
          const words = given === undefined ? undefined : await pictured(chat, id, { text: given });
          return { interrupted: await chat.interrupt(id, { force, ...(words === undefined ? {} : { text: words }) }) };
        },
      }),
    ],
  ]);
}

function postedForm(posted: Posted): PostedJson {
  if (posted.did === "started") return { turn_id: posted.turn_id };
  return posted.did === "queued" ? { queued: posted.item } : { steered: true };
}

function queueOf(chat: ChatApi): Methods {
  const one = z.object({ session_id, item });
  return new Map([
    [
      "queue.list",
      defineMethod({
        params: z.object({ session_id }),
        access: "read",
        run: async (params) => chat.queue(params.session_id),
      }),
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
          const whole = await pictured(chat, session, { text: words });
          const added = await chat.queueAdd(session, { text: whole, kind, source: client.kind });
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
        run: async ({ session_id: session, item: id, text: words }) =>
          chat.queueEdit(session, id, await pictured(chat, session, { text: words })),
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
      defineMethod({
        params: one,
        access: "write",
        run: async (params) => chat.queueRemove(params.session_id, params.item),
      }),
    ],
    [
      "queue.send_now",
      defineMethod({
        params: z.object({ session_id, item: item.optional() }),
        access: "write",
        run: async (params) => chat.queueSendNow(params.session_id, params.item),
      }),
    ],
    ["queue.steer", defineMethod({ params: one, access: "write", run: async (params) => steered(chat, params) })],
  ]);
}

/** @throws E_STATE for a message with a picture, which no result of a tool can hold */
async function steered(
  chat: ChatApi,
  { session_id: session, item: id }: { readonly session_id: SessionId; readonly item: string },
) {
  const found = (await chat.queue(session)).items.find((one) => one.id === id);
  if (found === undefined || !(await chat.holdsPicture(found.text))) return chat.queueSteer(session, id);
  const hint = "send it now, or leave it in the queue";
  throw new AppError("E_STATE", "a message with an image needs its own turn", { hint });
}
