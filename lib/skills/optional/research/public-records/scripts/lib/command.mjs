import { basename } from "node:path";
import { parseArgs } from "node:util";
import { EXIT, HelperError, usageError } from "./errors.mjs";

/**
 * One option of a helper. Without `takes` it is a flag.
 *
 * @typedef {object} Option
 * @property {string} about what it sets, for --help
 * @property {string} [takes] word for its value in --help
 * @property {"text" | "integer" | "number" | "date"} [kind] default "text"
 * @property {readonly string[]} [choices] the only values it accepts
 * @property {number} [least] smallest number it accepts
 * @property {number} [most] largest number it accepts
 * @property {string | number} [preset] its value when it is not given
 * @property {boolean} [required]
 */

/**
 * Values by option name: a text, a number, `true` for a flag that was given. Options that were not given are missing.
 *
 * @typedef {Record<string, any>} Values
 */

/**
 * A program: `run` gets its checked options. What it throws as a HelperError becomes a message and an exit code.
 *
 * @typedef {object} Command
 * @property {string} name file name without its ending
 * @property {string} about
 * @property {Readonly<Record<string, Option>>} options
 * @property {readonly string[]} [notes] further lines of --help
 * @property {(values: Values) => Promise<void> | void} run
 */

/**
 * Parse the arguments of this process, run the command, set the exit code.
 *
 * @param {Command} command
 */
export async function runCommand(command) {
  try {
    const values = parseOptions(command, process.argv.slice(2));
    if (values === undefined) process.stdout.write(renderHelp(command));
    else await command.run(values);
  } catch (error) {
    if (!(error instanceof HelperError)) throw error;
    const hint = error.exit === EXIT.usage ? ` (see ${command.name}.mjs --help)` : "";
    note(`${command.name}: ${error.message}${hint}`);
    process.exitCode = error.exit;
  }
}

/**
 * A line for the person or model that reads along; results go to stdout or into files.
 *
 * @param {string} line
 */
export function note(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * @param {Command} command
 * @param {string[]} args
 * @returns {Values | undefined} undefined: the help was asked for
 */
function parseOptions({ options }, args) {
  const given = readArguments(options, args);
  if (given["help"]) return undefined;
  /** @type {Values} */
  const values = {};
  for (const [name, option] of Object.entries(options)) {
    const value = given[name];
    if (typeof value === "string") values[name] = convertValue(name, option, value);
    else if (value !== undefined) values[name] = value;
    else if (option.preset !== undefined) values[name] = option.preset;
    else if (option.required) throw usageError(`--${name} is required`);
  }
  return values;
}

/**
 * @param {Readonly<Record<string, Option>>} options
 * @param {string[]} args
 * @returns {Record<string, any>}
 */
function readArguments(options, args) {
  /** @type {Record<string, { type: "string" | "boolean" }>} */
  const known = { help: { type: "boolean" } };
  for (const [name, { takes }] of Object.entries(options)) known[name] = { type: takes ? "string" : "boolean" };
  try {
    return parseArgs({ args, options: known, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw usageError(error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error));
  }
}

/**
 * @param {string} name
 * @param {Option} option
 * @param {string} text
 */
function convertValue(name, option, text) {
  if (text.trim() === "") throw usageError(`--${name} is empty`);
  if (option.choices && !option.choices.includes(text))
    throw usageError(`--${name}: unknown value '${text}' (known: ${option.choices.join(", ")})`);
  if (option.kind === "date") return toDate(name, text);
  if (option.kind === "integer" || option.kind === "number") return toNumber(name, option, text);
  return text;
}

/**
 * @param {string} name
 * @param {Option} option
 * @param {string} text
 */
function toNumber(name, { kind, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }, text) {
  const number = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const isRight = kind === "integer" ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (!isRight) throw usageError(`--${name}: '${text}' is not ${kind === "integer" ? "an integer" : "a number"}`);
  if (number < least) throw usageError(`--${name} must be at least ${least}`);
  if (number > most) throw usageError(`--${name} must be at most ${most}`);
  return number;
}

/**
 * @param {string} name
 * @param {string} text
 */
function toDate(name, text) {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // A day that the month does not have rolls over to the next month.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw usageError(`--${name}: '${text}' is not a date of the form YYYY-MM-DD`);
  return text;
}

/** @param {Command} command */
function renderHelp({ name, about, options, notes = [] }) {
  const heads = Object.entries(options).map(([option, { takes }]) => `--${option}${takes ? ` ${takes}` : ""}`);
  const width = Math.max(...heads.map(({ length }) => length), "--help".length);
  const lines = Object.values(options).map((option, at) => `  ${heads[at]?.padEnd(width)}  ${describe(option)}`);
  const required = Object.entries(options).filter(([, option]) => option.required);
  const usage = required.map(([option, { takes }]) => ` --${option} ${takes}`).join("");
  const more = notes.length === 0 ? [] : ["", ...notes];
  const help = `  ${"--help".padEnd(width)}  Print this help.`;
  return [
    `Usage: node ${basename(process.argv[1] ?? `${name}.mjs`)}${usage} [options]`,
    "",
    about,
    "",
    "Options:",
    ...lines,
    help,
    ...more,
    "",
  ].join("\n");
}

/** @param {Option} option */
function describe({ about, choices, preset }) {
  const values = choices ? ` One of: ${choices.join(", ")}.` : "";
  return `${about}${values}${preset === undefined ? "" : ` Default: ${preset}.`}`;
}
