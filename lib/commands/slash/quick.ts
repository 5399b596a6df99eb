import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { ChatMember } from "../../contracts/chat/slash.js";
import type { Config } from "../../contracts/config/config.js";
import { sessionOf } from "../conversation/conversation.js";
import { startedTurn } from "../conversation/start-turn.js";
import type { CommandContext, CommandResult } from "../define.js";
import { isAllowed } from "./surfaces.js";

const Quick = z.discriminatedUnion("type", [
  z.object({ type: z.literal("exec"), command: z.string().min(1), send: z.boolean().default(false) }),
  z.object({ type: z.literal("alias"), target: z.string().min(1) }),
]);

/** A command that a person has named in the settings, `quick_commands.<name>` (core part, 14.4). */
export type QuickCommand = z.output<typeof Quick> & { readonly name: string };

/** @throws E_USAGE when the setting has neither form */
export function findQuickCommand(config: Pick<Config, "raw">, name: string): QuickCommand | undefined {
  const all = config.raw("quick_commands");
  const value: unknown =
    typeof all === "object" && all !== null && Object.hasOwn(all, name) ? Reflect.get(all, name) : undefined;
  if (value === undefined) return undefined;
  const read = Quick.safeParse(value);
  if (read.success) return { ...read.data, name };
  throw new AppError("E_USAGE", `quick_commands.${name} has to be {type: exec, command} or {type: alias, target}`, {
    hint: "",
  });
}

/** Names of all of them, for completion. */
export function quickCommandNames(config: Pick<Config, "raw">): readonly string[] {
  const all = config.raw("quick_commands");
  return typeof all === "object" && all !== null ? Object.keys(all) : [];
}

/** The line that an alias stands for, with the words that were typed behind it. */
export const expandAlias = (target: string, rest: string): string =>
  `/${`${target.replace(/^\//, "")} ${rest}`.trim()}`;

/** @throws E_FORBIDDEN for a member of a chat whose list does not name it */
export function allowQuickCommand(name: string, member: ChatMember | undefined): void {
  if (member?.tier === "member" && !isAllowed({ path: name }, member))
    throw new AppError("E_FORBIDDEN", `you may not use /${name} here`);
}

/** Run it and show its output; with `send` the model gets that as the next message. */
export async function runQuickCommand(
  quick: Extract<QuickCommand, { type: "exec" }>,
  ctx: CommandContext,
): Promise<CommandResult> {
  const { text, problem } = await ctx.shell.run(quick.command, ctx);
  const shown = [text === "" ? "(no output)" : text, ...(problem === undefined ? [] : [`⚠️ ${problem}`])].join("\n");
  const result = { text: shown, data: { output: text, problem: problem ?? null }, exit: problem === undefined ? 0 : 1 };
  if (!quick.send) return result;
  const session = ctx.session ?? (await ctx.begin?.()) ?? sessionOf(ctx);
  const message = `Output of /${quick.name} (${quick.command}):\n\n${shown}`;
  if (ctx.waits !== true) {
    await ctx.chat.queueAdd(session, { text: message, kind: "message", source: "workspace" });
    return result;
  }
  return startedTurn((onTurn) => ctx.chat.submit({ session, text: message, onTurn }), shown, ctx);
}
