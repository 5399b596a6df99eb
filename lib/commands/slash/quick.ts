import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { ChatMember } from "../../contracts/chat/slash.js";
import type { Config } from "../../contracts/config/config.js";
import type { CommandContext, CommandResult, CommandSource, RuntimeCommand } from "../define.js";
import { isAllowed } from "./surfaces.js";

const Quick = z.discriminatedUnion("type", [
  z.object({ type: z.literal("exec"), command: z.string().min(1), send: z.boolean().default(false) }),
  z.object({ type: z.literal("alias"), target: z.string().min(1) }),
]);

/** A command that a person has named in the settings, `quick_commands.<name>` (core part, 14.4). */
export type QuickCommand = z.output<typeof Quick> & { readonly name: string };

/** @throws E_USAGE when the setting has neither form */
export function findQuickCommand(config: Pick<Config, "raw">, name: string): QuickCommand | undefined {
  const all = settingsOf(config);
  // Chats turn `_` into `-`.
  const key = Object.hasOwn(all, name) ? name : Object.keys(all).find((one) => one.replaceAll("_", "-") === name);
  const value: unknown = key === undefined ? undefined : Reflect.get(all, key);
  if (value === undefined) return undefined;
  const read = Quick.safeParse(value);
  if (read.success) return { ...read.data, name };
  throw new AppError("E_USAGE", `quick_commands.${name} must be {type: exec, command} or {type: alias, target}`, {
    hint: "",
  });
}

function settingsOf(config: Pick<Config, "raw">): object {
  const all = config.raw("quick_commands");
  return typeof all === "object" && all !== null ? all : {};
}

/** All of them as commands. One that is set wrong is listed too, and says so when it is run. */
export const quickCommandSource = (config: Pick<Config, "raw">): CommandSource => ({
  commands: () => Object.keys(settingsOf(config)).map((name) => toRuntimeCommand(config, name)),
});

function toRuntimeCommand(config: Pick<Config, "raw">, name: string): RuntimeCommand {
  const value: unknown = Reflect.get(settingsOf(config), name);
  const read = Quick.safeParse(value);
  return {
    name,
    description: read.success ? describe(read.data) : "invalid quick command",
    source: { kind: "quick", name },
    startsTurn: read.data?.type === "exec" && read.data.send,
    expand: (args) => {
      const quick = findQuickCommand(config, name);
      return quick?.type === "alias" ? expandAlias(quick.target, args) : undefined;
    },
    run: async (_args, ctx) => {
      const quick = findQuickCommand(config, name);
      if (quick?.type === "exec") return await runQuickCommand(quick, ctx);
      throw new AppError("E_USAGE", `/${name} is no longer in quick_commands`, { hint: "" });
    },
  };
}

/** The command line itself is not shown: menus of bots are read by everybody in a chat, and it may hold a secret. */
const describe = (quick: z.output<typeof Quick>): string =>
  quick.type === "alias" ? `Alias for /${quick.target.replace(/^\//, "")}` : "Quick command";

/** The line that an alias stands for, with the words that were typed behind it. */
export const expandAlias = (target: string, rest: string): string =>
  `/${`${target.replace(/^\//, "")} ${rest}`.trim()}`;

/** @throws E_FORBIDDEN for a member of a chat whose list does not name it */
export function allowRuntimeCommand(name: string, member: ChatMember | undefined): void {
  if (member?.tier === "member" && !isAllowed({ path: name.replaceAll("_", "-") }, member))
    throw new AppError("E_FORBIDDEN", `you may not use /${name} here`);
}

/** Run it and show its output; with `send` the model gets that as the next message. */
async function runQuickCommand(
  quick: Extract<QuickCommand, { type: "exec" }>,
  ctx: CommandContext,
): Promise<CommandResult> {
  const { text, problem } = await ctx.shell.run(quick.command, ctx);
  const shown = [text === "" ? "(no output)" : text, ...(problem === undefined ? [] : [`⚠️ ${problem}`])].join("\n");
  const result = { text: shown, data: { output: text, problem: problem ?? null }, exit: problem === undefined ? 0 : 1 };
  if (!quick.send) return result;
  const [{ sessionOf }, { startedTurn }] = await Promise.all([
    import("../conversation/conversation.js"),
    import("../conversation/start-turn.js"),
  ]);
  const session = ctx.session ?? (await ctx.begin?.()) ?? sessionOf(ctx);
  const message = `Output of /${quick.name} (${quick.command}):\n\n${shown}`;
  if (ctx.waits !== true) {
    await ctx.chat.queueAdd(session, { text: message, kind: "message", source: "workspace" });
    return result;
  }
  return startedTurn((onTurn) => ctx.chat.submit({ session, text: message, onTurn }), shown, ctx);
}
