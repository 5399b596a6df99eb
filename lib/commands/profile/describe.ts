import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { DescribeOutcome } from "../../contracts/config/profiles.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";
import { currentProfile, namedProfile, plainLine, refuseWorker } from "./current.js";

interface Wanted {
  readonly name?: string | undefined;
  readonly text?: string | undefined;
  readonly auto: boolean;
  readonly overwrite: boolean;
  readonly all: boolean;
}

export default defineCommand({
  path: "profile describe",
  summary: "Show, write or generate the description of a profile.",
  topic: "profiles",
  params: z.object({
    name: z.string().optional().describe("profile (default: the current one)"),
    text: z.string().optional().describe("description; empty clears it"),
    auto: z.boolean().default(false).describe("generate it with a model"),
    overwrite: z.boolean().default(false).describe("with --auto: also replace a written description"),
    all: z.boolean().default(false).describe("all profiles; with --auto, continue after failures"),
  }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  where: "root",
  run: async (params, ctx) => {
    checkUsage(params);
    if (!params.auto && params.text === undefined) return shown(ctx, params);
    refuseWorker(ctx);
    if (params.text !== undefined)
      return told([await ctx.profiles.setDescription(namedProfile(ctx, params.name), params.text)], ctx, false);
    const names = params.all
      ? (await ctx.profiles.list(currentProfile(ctx))).map(({ name }) => name)
      : [namedProfile(ctx, params.name)];
    const outcomes: DescribeOutcome[] = [];
    for (const name of names)
      outcomes.push(await ctx.profiles.generateDescription(name, { overwrite: params.overwrite }));
    return told(outcomes, ctx, params.all);
  },
});

function checkUsage({ name, text, auto, all, overwrite }: Wanted): void {
  if (text !== undefined && auto) throw new AppError("E_USAGE", "--text and --auto exclude each other");
  if (all && name !== undefined) throw new AppError("E_USAGE", "--all does not take a name");
  if (all && text !== undefined) throw new AppError("E_USAGE", "--all and --text exclude each other");
  if (overwrite && !auto) throw new AppError("E_USAGE", "--overwrite requires --auto");
}

async function shown(ctx: CommandContext, { name, all }: Wanted): Promise<CommandResult> {
  const current = currentProfile(ctx);
  const profiles = all ? await ctx.profiles.list(current) : [await ctx.profiles.show(namedProfile(ctx, name), current)];
  const data = profiles.map(({ name: profile, description, description_auto }) => ({
    profile,
    description,
    description_auto,
  }));
  const words = (text: string) => (text === "" ? "(no description)" : plainLine(text));
  const lines = data.map((row) => (all ? `${row.profile}: ${words(row.description)}` : words(row.description)));
  return { text: lines.join("\n"), data: all ? data : data[0] };
}

function told(outcomes: readonly DescribeOutcome[], ctx: CommandContext, all: boolean): CommandResult {
  const done = outcomes.filter((outcome) => outcome.ok);
  const failed = outcomes.filter((outcome) => !outcome.ok);
  const lines = done.map(({ profile, description }) =>
    description === "" ? `Cleared the description of ${profile}` : `Described ${profile}: ${plainLine(description)}`,
  );
  return {
    data: all ? outcomes : outcomes[0],
    exit: failed.length > 0 ? 1 : 0,
    warnings: ctx.json ? [] : failed.map(({ profile, reason }) => `describe ${profile}: ${reason}`),
    ...(lines.length === 0 ? {} : { text: lines.join("\n") }),
  };
}
