import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";

const here = z.object({
  session_id: z
    .string()
    .min(1)
    .transform((text) => text as SessionId), // proved by the look-up that follows
});
const text = z.string().max(1 << 20);

const subgoal = z.discriminatedUnion("do", [
  here.extend({ do: z.literal("add"), text }),
  here.extend({ do: z.literal("remove"), n: z.int().min(1) }),
  here.extend({ do: z.literal("clear") }),
]);

/** Standing goals for front ends (core part, 1.3, 13). */
export function goalMethods(chat: ChatApi): Methods {
  return new Map([
    [
      "goal.get",
      defineMethod({
        params: here,
        access: "read",
        run: async ({ session_id }) => (await chat.goal(session_id)) ?? null,
      }),
    ],
    [
      "goal.set",
      defineMethod({
        params: here.extend({ text }),
        access: "write",
        run: async (params) => chat.goalSet(params.session_id, params.text),
      }),
    ],
    [
      "goal.pause",
      defineMethod({ params: here, access: "write", run: async ({ session_id }) => chat.goalPause(session_id) }),
    ],
    [
      "goal.resume",
      defineMethod({ params: here, access: "write", run: async ({ session_id }) => chat.goalResume(session_id) }),
    ],
    [
      "goal.clear",
      defineMethod({
        params: here,
        access: "write",
        run: async ({ session_id }) => ({ cleared: await chat.goalClear(session_id) }),
      }),
    ],
    [
      "goal.subgoal",
      defineMethod({
        params: subgoal,
        access: "write",
        run: async ({ session_id, ...change }) => chat.goalSubgoal(session_id, change),
      }),
    ],
  ]);
}
