import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { type SessionId, toIso } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";

const session_id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows
const one = z.object({ session_id });

/** What front ends can do with a stored conversation besides talking in it (core part, 1.3). */
export function storedSessionMethods(chat: ChatApi): Methods {
  return new Map([...records(chat), ...undoing(chat)]);
}

function records(chat: ChatApi): Methods {
  const archive = (archived: boolean) =>
    defineMethod({
      params: one,
      access: "write",
      repeat: () => "safe", // twice is once
      run: async (params) => toSessionJson(await chat.archive(params.session_id, archived)),
    });
  return new Map([
    ["session.archive", archive(true)],
    ["session.unarchive", archive(false)],
    [
      "session.rename",
      defineMethod({
        params: one.extend({ title: z.string() }),
        access: "write",
        repeat: () => "safe", // the same title again is the same title
        run: async (params) => toSessionJson(await chat.rename(params.session_id, params.title)),
      }),
    ],
    [
      "session.fork",
      defineMethod({
        params: one.extend({ message_id: z.int().optional(), title: z.string().optional() }),
        access: "write",
        run: async ({ session_id: id, message_id, title }) =>
          toSessionJson(
            await chat.fork(id, {
              ...(message_id === undefined ? {} : { at: message_id }),
              ...(title === undefined ? {} : { title }),
            }),
          ),
      }),
    ],
    [
      "session.delete",
      defineMethod({ params: one, access: "write", run: async (params) => chat.delete(params.session_id) }),
    ],
    [
      "session.close",
      defineMethod({
        params: one,
        access: "write",
        repeat: () => "safe", // what is closed stays closed
        run: async (params, client) => ({ kept: await chat.leave(params.session_id, "closed", client) }),
      }),
    ],
    [
      "session.export",
      defineMethod({
        params: one.extend({ format: z.enum(["md", "json", "jsonl"]).default("md") }),
        access: "read",
        run: async ({ session_id: id, format }) => {
          let text = "";
          for await (const chunk of chat.export(id, format)) text += chunk;
          return { format, text };
        },
      }),
    ],
    [
      "session.search",
      defineMethod({
        params: z.object({ query: z.string().min(1), limit: z.int().min(1).max(100).default(20) }),
        access: "read",
        run: async ({ query, limit }) =>
          (await chat.search(query, limit)).map(({ at, ...hit }) => ({ ...hit, at: toIso(at) })),
      }),
    ],
  ]);
}

function undoing(chat: ChatApi): Methods {
  return new Map([
    [
      "session.undo",
      defineMethod({
        params: one.extend({
          turns: z.int().min(1).max(1_000).default(1),
          what: z.enum(["chat", "files", "both"]).default("chat"),
        }),
        access: "write",
        run: async ({ session_id: id, turns, what }) => chat.undo(id, turns, what),
      }),
    ],
    [
      "session.redo",
      defineMethod({ params: one, access: "write", run: async (params) => chat.redo(params.session_id) }),
    ],
    [
      "session.retry",
      defineMethod({
        params: one,
        access: "write",
        run: (params) =>
          new Promise<{ readonly turn_id: string }>((resolve, reject) => {
            chat
              .retry(params.session_id, (turn) => resolve({ turn_id: turn }))
              .then((result) => resolve({ turn_id: result.turn_id }), reject);
          }),
      }),
    ],
  ]);
}
