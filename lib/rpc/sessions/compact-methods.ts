import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";

const session_id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows

/** Compaction for front ends (core part, 1.3, 8). What goes on meanwhile is reported in events of the conversation. */
export function compactMethods(chat: ChatApi): Methods {
  return new Map([
    [
      "session.compact",
      defineMethod({
        params: z.object({
          session_id,
          focus: z.string().max(10_000).optional(),
          keep: z.int().min(1).max(100).optional(),
        }),
        access: "write",
        run: async ({ session_id: id, focus, keep }) =>
          chat.compact(id, { ...(focus === undefined ? {} : { focus }), ...(keep === undefined ? {} : { keep }) }),
      }),
    ],
    [
      "session.compact_undo",
      defineMethod({
        params: z.object({ session_id }),
        access: "write",
        run: async ({ session_id: id }) => chat.compactUndo(id),
      }),
    ],
    ...looking(chat),
  ]);
}

function looking(chat: ChatApi): Methods {
  return new Map([
    [
      "session.context",
      defineMethod({
        params: z.object({ session_id }),
        access: "read",
        run: async ({ session_id: id }) => chat.context(id),
      }),
    ],
    [
      "session.cost",
      defineMethod({
        params: z.object({
          session_id: session_id.optional(),
          scope: z.enum(["session", "today", "week", "all"]).default("session"),
        }),
        access: "read",
        run: async ({ session_id: id, scope }) => chat.cost(scope, id),
      }),
    ],
  ]);
}
