import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { Activity } from "../../contracts/chat/queue.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { type CommandContext, defineCommand } from "../define.js";

export default defineCommand({
  path: "agents",
  aliases: ["tasks"],
  summary: "List activity: turns, children, background processes.",
  topic: "queue",
  params: z.object({ words: z.array(z.string()).max(2).default([]).describe("stop ID stops one") }),
  positionals: ["words..."],
  surfaces: ["slash"],
  access: "write",
  run: async ({ words: [verb, id] }, ctx) => {
    if (verb === "stop" && id !== undefined) return stopOne(id, ctx);
    if (verb !== undefined) throw new AppError("E_USAGE", "usage: /agents, or /agents stop ID");
    const [turns, children] = await Promise.all([ctx.chat.activity(), ctx.chat.children()]);
    const processes = await processesOf(turns, ctx);
    const busy = turns.filter(({ turn_id }) => turn_id !== null);
    const running = children.filter(({ status }) => status === "running");
    const lines = [
      ...busy.map(
        (one) =>
          `turn ${one.session_id}  ${[one.phase, one.detail].filter((part) => part !== "").join(" ")}  ${one.title ?? ""}`,
      ),
      ...running.map((one) => `child ${one.id}  ${one.tool ?? "thinking"}  ${toScreenLine(one.goal, 100)}`),
      ...processes.map((one) => `process ${one.id}  pid ${one.pid}  ${toScreenLine(one.command, 100)}`),
    ];
    const data = { turns: busy, children: running, processes };
    return { text: lines.length === 0 ? "Nothing is running." : lines.map((line) => line.trimEnd()).join("\n"), data };
  },
});

/** Background processes that run, of every conversation that is open. */
async function processesOf(open: readonly Activity[], { chat }: Pick<CommandContext, "chat">) {
  const all = await Promise.all(open.map(({ session_id }) => chat.processes(session_id)));
  return all.flat().filter(({ status }) => status === "running");
}

async function stopOne(id: string, { chat }: CommandContext) {
  const session = id as SessionId; // the lookup reports an unknown one
  const turn = (await chat.activity()).find((one) => one.session_id === id && one.turn_id !== null);
  const process = (await processesOf(await chat.activity(), { chat })).find((one) => one.id === id);
  const stopped =
    (turn !== undefined && (await chat.interrupt(session))) ||
    (await chat.interruptChild(session)) ||
    (process !== undefined && (await chat.processKill(process.session_id, id)));
  if (!stopped) throw new AppError("E_NOT_FOUND", `unknown activity ${id}`, { hint: "/agents lists activity" });
  return { text: `Stopping ${id}.`, data: { stopped: id } };
}
