import * as z from "zod";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "stop",
  summary: "Interrupt the running turn. Repeat to kill its processes.",
  topic: "queue",
  params: z.object({
    what: z.enum(["turn", "all"]).default("turn").describe("all: also background processes and children"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "write",
  whole: true,
  run: async ({ what }, ctx) => {
    const session = sessionOf(ctx);
    const interrupted = await ctx.chat.interrupt(session);
    const children = what === "all" ? await stopChildren(ctx, session) : 0;
    const processes = what === "all" ? await endProcesses(ctx, session) : 0;
    const ended = [
      ...(interrupted ? ["interrupting the turn"] : []),
      ...(children > 0 ? [`children stopped: ${children}`] : []),
      ...(processes > 0 ? [`background processes stopped: ${processes}`] : []),
    ];
    return {
      text: ended.length === 0 ? "Nothing was running." : `${ended.join("; ")}.`,
      data: { interrupted, children, processes },
    };
  },
});

type Context = Parameters<typeof sessionOf>[0];

async function stopChildren({ chat }: Context, session: ReturnType<typeof sessionOf>): Promise<number> {
  const running = (await chat.children(session)).filter(({ status }) => status === "running");
  const stopped = await Promise.all(running.map(({ id }) => chat.interruptChild(id)));
  return stopped.filter((one) => one).length;
}

async function endProcesses({ chat }: Context, session: ReturnType<typeof sessionOf>): Promise<number> {
  const running = (await chat.processes(session)).filter(({ status }) => status === "running");
  const ended = await Promise.all(running.map(({ id }) => chat.processKill(session, id)));
  return ended.filter((one) => one).length;
}
