import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { ToolListing } from "../../contracts/chat/tools.js";
import type { CommandContext, CommandResult } from "../define.js";
import { listingFor } from "./listing.js";

/** Parameters of the commands that switch sets. */
export const SET_PARAMS = {
  names: z.array(z.string()).min(1).describe("toolsets"),
  global: z.boolean().default(false).describe("in a chat: for all sessions of this home, not only this conversation"),
} as const;

/**
 * Take sets away, or give them back: in the conversation that the command was typed in, else in every session of this home.
 *
 * @throws E_USAGE naming what is not a set
 */
export async function changeSets(
  { names, global }: { readonly names: readonly string[]; readonly global: boolean },
  on: boolean,
  ctx: CommandContext,
): Promise<CommandResult> {
  const before = await listingFor(ctx);
  for (const name of names) refuseNoSet(name, before);
  const here = global ? undefined : ctx.session;
  if (here === undefined) await changeSettings(names, on, { ctx, before });
  else await ctx.chat.switchTools(here, names, on);
  const after = await listingFor(ctx);
  const still = on
    ? after.tools.filter((tool) => !tool.offered && names.some((name) => toolsOf(after, name).includes(tool.name)))
    : [];
  const where = here === undefined ? "from the next turn, in all sessions" : "from the next turn, in this conversation";
  return {
    text: `${on ? "Enabled" : "Disabled"} ${names.join(", ")} ${where}. The prompt cache is lost.`,
    data: {
      ok: true,
      [on ? "enabled" : "disabled"]: names,
      toolsets: after.toolsets.filter((set) => set.on).map((set) => set.name),
    },
    warnings: still.map((tool) => `${tool.name} is still not offered: ${tool.why ?? "unknown reason"}`),
  };
}

async function changeSettings(
  names: readonly string[],
  on: boolean,
  { ctx, before }: { readonly ctx: CommandContext; readonly before: ToolListing },
): Promise<void> {
  const disabled = before.disabled.filter((name) => !names.includes(name));
  await write(ctx, "agent.disabled_toolsets", on ? disabled : [...disabled, ...names]);
  const asked = stringsOf(ctx.settings.get("toolsets")?.value);
  const covered = (name: string) =>
    toolsOf(before, name).every((tool) => asked.some((set) => toolsOf(before, set).includes(tool)));
  const added = on ? names.filter((name) => !covered(name)) : [];
  if (added.length > 0) await write(ctx, "toolsets", [...asked, ...added]);
}

const toolsOf = (listing: ToolListing, set: string): readonly string[] =>
  listing.toolsets.find((one) => one.name === set)?.tools ?? [];

const stringsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** A list in flow form, every name quoted. */
const write = (ctx: CommandContext, key: string, names: readonly string[]) =>
  ctx.settings.set(key, JSON.stringify([...new Set(names)]), { asText: false, force: false });

function refuseNoSet(name: string, { tools, toolsets }: ToolListing): void {
  if (toolsets.some((set) => set.name === name)) return;
  const tool = tools.find((one) => one.name === name);
  const hint =
    tool === undefined
      ? `known: ${toolsets.map((set) => set.name).join(", ")}`
      : `the tool belongs to toolset ${tool.toolset}`;
  throw new AppError("E_USAGE", `unknown toolset ${name}`, { name, hint });
}
