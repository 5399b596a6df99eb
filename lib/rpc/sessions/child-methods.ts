import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import { toMessageJson } from "../../contracts/wire/shapes/session-json.js";

const id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows

/** Methods about the children of conversations (core part, 1.3). */
export function childMethods(chat: ChatApi): Methods {
  return new Map([
    [
      "child.list",
      defineMethod({
        params: z.object({ session_id: id.optional() }),
        access: "read",
        run: async ({ session_id }) => chat.children(session_id),
      }),
    ],
    [
      "child.log",
      defineMethod({
        params: z.object({ id, after: z.int().optional(), limit: z.int().min(1).max(200).default(200) }),
        access: "read",
        run: async ({ id: child, after, limit }) =>
          (await chat.messages(child, { limit, ...(after === undefined ? {} : { after }) })).map(toMessageJson),
      }),
    ],
    [
      "child.interrupt",
      defineMethod({
        params: z.object({ id }),
        access: "write",
        repeat: () => "safe", // the child that was meant died with its owner
        run: async ({ id: child }) => ({ interrupted: await chat.interruptChild(child) }),
      }),
    ],
  ]);
}
