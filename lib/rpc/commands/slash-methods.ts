import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import { runSlash } from "../../cli/run-slash.js";
import type { CommandServices, RuntimeCommand } from "../../commands/define.js";
import type { CommandEntry } from "../../commands/entry.js";
import { describeRuntime, listRuntimeCommands } from "../../commands/slash/runtime-commands.js";
import { usageOf } from "../../commands/slash/usage.js";
import type { SlashCall } from "../../contracts/chat/slash.js";
import { chatOfClient } from "./client-chat.js";

const origin = z.object({
  platform: z.string().min(1),
  chat_id: z.string().min(1),
  thread_id: z.string().optional(),
  user_id: z.string().optional(),
  user_name: z.string().optional(),
});

const member = z.object({
  tier: z.enum(["admin", "member"]).optional(),
  group: z.boolean().default(false),
  allows: z.array(z.string()).default([]),
});

const run = z.object({
  /** Begins with `/`, or with `!` for a shell line. */
  text: z
    .string()
    .min(1)
    .max(1 << 20),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
  columns: z.int().min(20).max(1000).default(80),
  /** The chat on a platform that it was typed in, and what its writer may do there; absent at a terminal. */
  origin: origin.optional(),
  member: member.optional(),
  /** The caller can run and show what goes on by itself. */
  follows: z.boolean().default(false),
  /** The conversation that it was typed in. */
  session_id: z
    .string()
    .min(1)
    .transform((id) => id as SessionId) // its user looks it up
    .optional(),
  /** Give the answer for machines too. */
  data: z.boolean().default(false),
});

/** Commands that begin with `/`, for front ends and gateways (core part, 1.3). They concern no turn: one that runs goes on. */
export function slashMethods(entries: readonly CommandEntry[], services: CommandServices): Methods {
  return new Map([
    [
      "command.run",
      defineMethod({
        params: run,
        access: "write",
        run: async ({ text, origin, member, follows, session_id, data, ...caller }, client) => {
          const call: SlashCall = { text, origin, member, follows, session: session_id };
          const chat = chatOfClient(services.chat, client);
          const more = { ...caller, chat, cwd: caller.cwd ?? services.home.dir, color: false, signal: client.signal };
          const { data: whole, ...answer } = await runSlash(call, { ...services, ...more }, entries);
          return data ? { ...answer, data: whole } : answer;
        },
      }),
    ],
    [
      "command.list",
      defineMethod({
        params: z.object({ surface: z.enum(["cli", "slash", "rpc"]).default("slash"), cwd: z.string().optional() }),
        access: "read",
        run: async ({ surface, cwd }) => {
          const rows = entries.filter((entry) => entry.surfaces.includes(surface)).map(shown);
          if (surface !== "slash") return rows;
          const place = cwd === undefined ? {} : { cwd };
          await services.runtime?.ready?.(place);
          return [...rows, ...listRuntimeCommands(services, entries, place).map(shownRuntime)];
        },
      }),
    ],
  ]);
}

function shown(entry: CommandEntry) {
  const { path, aliases, summary, topic, access, flags, positionals } = entry;
  return {
    path,
    aliases: aliases ?? [],
    summary,
    topic,
    access,
    flags,
    positionals: positionals ?? [],
    usage: usageOf(entry),
  };
}

function shownRuntime(command: RuntimeCommand) {
  const { name, argsHint = "" } = command;
  return {
    path: name,
    aliases: [],
    summary: describeRuntime(command),
    topic: "chat",
    access: "write" as const,
    flags: [],
    positionals: [],
    usage: `usage: /${name} ${argsHint}`.trim(),
  };
}
