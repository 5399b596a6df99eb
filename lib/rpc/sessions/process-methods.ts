import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";

const session_id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows
const named = z.object({ session_id, id: z.string().min(1) });

/** Methods about background processes of conversations (core part, 1.3). */
export function processMethods(chat: ChatApi): Methods {
  return new Map([
    [
      "process.list",
      defineMethod({
        params: z.object({ session_id }),
        access: "read",
        run: async (params) => chat.processes(params.session_id),
      }),
    ],
    [
      "process.log",
      defineMethod({
        params: named,
        access: "read",
        run: async ({ session_id: session, id }) => ({ output: await chat.processLog(session, id) }),
      }),
    ],
    [
      "process.kill",
      defineMethod({
        params: named,
        access: "write",
        repeat: () => "safe", // a process that was ended is not ended again
        run: async ({ session_id: session, id }) => ({ killed: await chat.processKill(session, id) }),
      }),
    ],
  ]);
}
