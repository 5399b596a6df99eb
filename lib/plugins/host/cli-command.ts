import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { CommandContext, CommandResult, RuntimeCommand } from "../../commands/define.js";
import type {
  PluginAnswer,
  PluginCliCommand,
  PluginCommandCall,
  PluginSlashCommand,
} from "../../contracts/plugins/context.js";
import { callWithTimeLimit } from "./within.js";

/** `agent <name>` of a plugin. */
export interface CliCommand {
  readonly name: string;
  readonly plugin: string;
  readonly description: string;
  run(argv: readonly string[], call: PluginCommandCall): Promise<CommandResult>;
}

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const SLASH_MS = 30_000;
const CLI_MS = 600_000;

interface CommandPlugin {
  readonly key: string;
  readonly clock: Clock;
  /** Built-in names of the surface. */
  readonly taken: ReadonlySet<string>;
}

const wrong = (what: string, why: string) => new AppError("E_INVALID", `${what}: ${why}`);

function checkName(what: string, name: unknown, taken: ReadonlySet<string>): string {
  if (typeof name !== "string" || !NAME.test(name))
    throw wrong(what, "a name has lowercase letters, digits and -, at most 32");
  if (taken.has(name)) throw wrong(`${what} ${name}`, "a built-in command has this name");
  return name;
}

/** `/name`. @throws E_INVALID naming what does not hold */
export function slashCommand(given: PluginSlashCommand, { key, clock, taken }: CommandPlugin): RuntimeCommand {
  const name = checkName("registerCommand", given.name, taken);
  const { handler, description, argsHint } = given;
  if (typeof handler !== "function") throw wrong(`registerCommand ${name}`, "handler must be a function");
  return {
    name,
    description: String(description ?? "").slice(0, 256) || `Command of ${key}`,
    ...(typeof argsHint === "string" && { argsHint }),
    source: { kind: "plugin", name: key },
    run: async (args, ctx) => {
      const answer = await callWithTimeLimit(clock, SLASH_MS, `/${name}`, () => handler(args, callOf(ctx)));
      return toResult(answer);
    },
  };
}

/** `agent name`. @throws E_INVALID naming what does not hold */
export function cliCommand(
  given: PluginCliCommand,
  { key, clock, taken, listed }: CommandPlugin & { readonly listed: readonly string[] },
): CliCommand {
  const name = checkName("registerCliCommand", given.name, taken);
  if (!listed.includes(name))
    throw wrong(
      `registerCliCommand ${name}`,
      "list it in provides_cli of the manifest, so that the command line knows it",
    );
  const { handler, options = [], description, help = "" } = given;
  if (typeof handler !== "function") throw wrong(`registerCliCommand ${name}`, "handler must be a function");
  const rows = options.map((one) => `  --${one.name}  ${one.description ?? ""}`.trimEnd());
  const text = [`agent ${name} [options]`, "", description, ...(rows.length > 0 ? ["", "Options:", ...rows] : []), help]
    .join("\n")
    .trimEnd();
  return {
    name,
    plugin: key,
    description: String(description ?? ""),
    run: async (argv, call) => {
      if (argv.includes("--help") || argv.includes("-h")) return { text, data: { usage: text } };
      const args = readOptions(name, options, argv);
      const answer = await callWithTimeLimit(clock, CLI_MS, `agent ${name}`, () => handler(args, call));
      return toResult(answer);
    },
  };
}

const callOf = ({ session, cwd, signal }: CommandContext): PluginCommandCall => ({
  sessionId: session ?? null,
  cwd,
  signal,
});

function toResult(answer: PluginAnswer): CommandResult {
  if (answer === undefined || answer === null) return { text: "done", data: null };
  if (typeof answer === "string") return { text: answer, data: { text: answer } };
  if (typeof answer !== "object") return { text: String(answer), data: answer };
  const { text, data = null, exit } = answer;
  const shown = typeof text === "string" ? text : JSON.stringify(data, null, 2);
  return { text: shown, data, ...(typeof exit === "number" && { exit }) };
}

/** `--name value`, `--name=value`, and flags. @throws E_USAGE for an unknown option */
function readOptions(command: string, options: NonNullable<PluginCliCommand["options"]>, argv: readonly string[]) {
  const values: Record<string, unknown> = {};
  for (const { name, default: value } of options) if (value !== undefined) values[name] = value;
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (!word.startsWith("--")) {
      words.push(word);
      continue;
    }
    const [, name = "", joined] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    const option = options.find((one) => one.name === name);
    if (option === undefined)
      throw new AppError("E_USAGE", `unknown option --${name}`, { hint: `agent ${command} --help shows the options` });
    if (option.type === "boolean") {
      values[name] = true;
      continue;
    }
    const text = joined ?? argv[++at];
    if (text === undefined) throw new AppError("E_USAGE", `--${name} requires a value`);
    values[name] = option.type === "number" ? toNumber(name, text) : text;
  }
  return { ...values, _: words };
}

function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value))
    throw new AppError("E_USAGE", `--${name} must be a number, not '${text}'`);
  return value;
}
