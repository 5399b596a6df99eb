import { refuseTool } from "../backplane/methods.js";
import { AppError, exitCodeOf, toAppError, toWireError } from "../base/errors.js";
import { silentLog } from "../base/log/log.js";
import type { SessionId } from "../base/units.js";
import type { CommandContext, CommandResult } from "../commands/define.js";
import type { CommandEntry } from "../commands/entry.js";
import { isForPeople } from "../commands/entry.js";
import { ignoresConfig, withVariables } from "../commands/globals.js";
import { plainLines } from "../commands/render/plain.js";
import { plainText } from "../safety/redact/text.js";
import { helpFor } from "./command-help.js";
import { type Invocation, isSlash, prefixOf } from "./invocation.js";
import { type Issue, wrongParam } from "./param-issue.js";
import { type ParsedLine, parseCommandLine, pointing } from "./parse-command-line.js";
import { withPluginCommand } from "./plugin-line.js";

export type { Invocation } from "./invocation.js";

/**
 * Run one command line and print what it answers. Never rejects: every failure becomes its message and its exit code.
 *
 * @returns exit code (core part, 15.2)
 */
export async function execute(given: Invocation, entries: readonly CommandEntry[]): Promise<number> {
  const wantsJson = given.argv.includes("--json");
  let invocation = given;
  try {
    const { Parser } = await import("yargs/helpers");
    const typed = entries.filter((entry) => entry.surfaces.includes("cli"));
    invocation = { ...given, argv: await withPluginCommand(given.argv, typed, () => commandsOfPlugins(given)) };
    const parsed = parseCommandLine(invocation.argv, typed, Parser);
    const json = parsed.globals["json"] === true;
    if (parsed.globals["help"] === true || isGroup(parsed)) {
      const usage = await helpFor(parsed.entry, parsed.words, typed, invocation.columns);
      await invocation.out(`${json ? JSON.stringify({ usage }, null, 2) : usage}\n`);
      return 0;
    }
    const { entry, params } = withOneshot(parsed, typed);
    const globals = withVariables(parsed.globals, invocation.env);
    // A variable of the whole shell asks for the safe mode of conversations; other commands are not refused for it.
    const asked = entry.path === "chat" ? globals : parsed.globals;
    if (invocation.shared === true && invocation.safeOwner !== true && ignoresConfig(asked))
      throw settingsAreRead(asked);
    if (isForPeople(entry, invocation.argv)) await refuseTool(invocation, `agent ${entry.path}`);
    if (invocation.shared === true && globals["accept_hooks"] === true) {
      await refuseTool(invocation, "agent --accept-hooks");
      await invocation.hooks.approve("all");
    }
    const query = entry.path === "chat" ? params["query"] : undefined;
    const ctx: CommandContext = {
      ...invocation,
      ...harmless(invocation, json),
      surface: "cli",
      json,
      globals,
    };
    if (typeof query === "string" && isSlash(query)) return await chatCommand(query, ctx, entries);
    return await run(
      entry,
      params,
      ctx,
      invocation.bytes ?? ((piece) => invocation.out(new TextDecoder().decode(piece))),
    );
  } catch (error) {
    return printError(error, invocation, wantsJson, prefixOf(invocation.argv));
  }
}

async function commandsOfPlugins({ plugins, log }: Pick<Invocation, "plugins" | "log">): Promise<readonly string[]> {
  try {
    return (await plugins.list()).flatMap((one) => one.provides_cli);
  } catch (error) {
    log.warning("failed to look for commands of plugins", { error: String(error) });
    return []; // the word is unknown then, which its writer learns
  }
}

/**
 * Models, tools and files write what a command shows. What would steer a terminal never reaches one; a file or another program gets the text as it is.
 */
function harmless({ tty, out, err }: Invocation, json: boolean): Pick<CommandContext, "out" | "err"> {
  return {
    out: tty && !json ? (text) => out(plainText(text)) : out,
    err: (text) => err(plainText(text)), // it may be a terminal while the output is not
  };
}

/** To go on would be to run on the settings that are not wanted, and with the plugins and hooks of that owner. */
export function settingsAreRead(globals: Readonly<Record<string, unknown>>): AppError {
  const option = globals["safe_mode"] === true ? "--safe-mode" : "--ignore-user-config";
  return new AppError("E_STATE", `${option} has no effect: the running owner has already read config.yaml`, {
    hint: "agent owner stop stops it; then repeat the command",
  });
}

/** `agent kanban` without an action shows what there is. */
const isGroup = (parsed: ParsedLine): boolean => parsed.entry === undefined && parsed.globals["oneshot"] === undefined;

function withOneshot(
  parsed: ParsedLine,
  entries: readonly CommandEntry[],
): { entry: CommandEntry; params: Readonly<Record<string, unknown>> } {
  const prompt = parsed.globals["oneshot"];
  if (prompt === undefined && parsed.entry) return { entry: parsed.entry, params: parsed.params };
  const chat = entries.find((entry) => entry.path === "chat");
  if (!chat) throw new AppError("E_USAGE", "missing command");
  if (parsed.words.length > 0)
    throw new AppError("E_USAGE", `-z takes one prompt; unexpected '${parsed.words.join(" ")}'`);
  return { entry: chat, params: { query: prompt, quiet: true } };
}

type Bytes = NonNullable<Invocation["bytes"]>;

async function run(
  entry: CommandEntry,
  params: Readonly<Record<string, unknown>>,
  ctx: CommandContext,
  bytes: Bytes,
): Promise<number> {
  const command = await entry.load();
  const parsed = command.params.safeParse(params);
  if (!parsed.success) throw wrongParams(entry, params, parsed.error.issues[0]);
  // A followed view ends when its reader leaves.
  const signal =
    entry.follow === true || entry.followsWith !== undefined ? AbortSignal.any([ctx.signal, ctx.gone]) : ctx.signal;
  const result = await command.run(parsed.data, { ...ctx, signal }).catch((error: unknown) => {
    throw pointing(error, entry);
  });
  for (const warning of result.warnings ?? []) await ctx.err(`${prefixOf([entry.path])}${warning}\n`);
  if (!result.streamed) await printResult(result, ctx, bytes);
  return result.exit ?? 0;
}

/** A prompt that is a command goes to no model: what it answers is printed in place of the model's words. */
async function chatCommand(text: string, ctx: CommandContext, entries: readonly CommandEntry[]): Promise<number> {
  const { runSlash } = await import("./run-slash.js");
  const { leaveIdle, namedSession, refuseUnknownSkills, refuseWrongOptions, sessionOptions } = await import(
    "../commands/conversation/conversation.js"
  );
  refuseWrongOptions(ctx.globals);
  await refuseUnknownSkills(ctx);
  const session = await namedSession(ctx, true);
  let begun: SessionId | undefined;
  const begin = async () => {
    begun ??= (await ctx.chat.create(sessionOptions(ctx))).id;
    return begun;
  };
  const answer = await runSlash(
    { text: text.trimEnd(), session: session?.id, waits: true },
    { ...ctx, begin, direct: ctx },
    entries,
  );
  if (begun !== undefined) await leaveIdle(begun, ctx);
  if (ctx.json && answer.streamed !== true) await ctx.out(`${JSON.stringify(answer.data)}\n`);
  if (!ctx.json) await (answer.error === undefined ? ctx.out : ctx.err)(`${answer.text}\n`);
  return answer.exit;
}

function wrongParams(
  entry: CommandEntry,
  params: Readonly<Record<string, unknown>>,
  issue: Issue | undefined,
): AppError {
  const name = String(issue?.path[0] ?? "");
  const about = { field: name, hint: `agent ${entry.path} --help shows the options` };
  return new AppError("E_USAGE", wrongParam(entry, params, issue), about);
}

async function printResult(result: CommandResult, ctx: CommandContext, bytes: Bytes): Promise<void> {
  if (!ctx.json) {
    if (result.text !== undefined) await ctx.out(`${result.text}\n`);
    return;
  }
  if (result.json) {
    for (const piece of result.json) await bytes(piece);
    await ctx.out("\n");
    return;
  }
  if (result.lines && Array.isArray(result.data)) {
    for (const row of result.data) await ctx.out(`${JSON.stringify(row)}\n`);
    return;
  }
  await ctx.out(`${JSON.stringify(result.data, null, 2)}\n`);
}

async function printError(
  thrown: unknown,
  io: Pick<Invocation, "out" | "err" | "log">,
  json: boolean,
  prefix: string,
): Promise<number> {
  const error = toAppError(thrown);
  if (error.code === "E_INTERNAL")
    io.log.error("command failed", { error: error.message, stack: String(error.stack).slice(0, 2000) });
  if (json)
    await io.out(`${JSON.stringify({ type: "error", error: toWireError(error) })}\n`); // one line: it may follow the lines of a turn
  else await io.err(`${[error.message, error.hint].map((line) => `${prefix}${plainLines(line)}\n`).join("")}`); // others may have said it
  return exitCodeOf(error);
}

/** Print an error that came before any command could run. @returns exit code */
export function printFailure(
  thrown: unknown,
  io: Pick<Invocation, "out" | "err">,
  argv: readonly string[],
): Promise<number> {
  return printError(thrown, { ...io, log: silentLog }, argv.includes("--json"), prefixOf(argv));
}
