import * as z from "zod";
import type { SubgoalChange } from "../../contracts/chat/goal.js";
import { sessionOf } from "../conversation/conversation.js";
import { renderGoal } from "../conversation/goal-line.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "subgoal",
  summary: "Manage criteria of the goal, each judged separately.",
  topic: "goals",
  params: z.object({ text: z.string().default("").describe("criterion to add; or remove N, clear") }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, { chat, ...ctx }) => {
    const session = sessionOf({ chat, ...ctx });
    const change = changeOf(text.trim());
    const goal = change === undefined ? await chat.goal(session) : await chat.goalSubgoal(session, change);
    return { text: renderGoal(goal), data: { goal: goal ?? null } };
  },
});

function changeOf(text: string): SubgoalChange | undefined {
  if (text === "") return undefined;
  if (text === "clear") return { do: "clear" };
  const n = /^remove\s+(\d+)$/.exec(text)?.[1];
  return n === undefined ? { do: "add", text } : { do: "remove", n: Number(n) };
}
