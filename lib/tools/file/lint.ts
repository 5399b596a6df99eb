import { headText } from "../../safety/redact/text.js";
import type { ToolContext } from "../core/define.js";
import { FILE_CHECKERS, runCheck } from "./lint-programs.js";

/** Answer of a syntax check after a write. */
export type Lint =
  | { readonly status: "ok" }
  | { readonly status: "error"; readonly output: string }
  | { readonly status: "skipped"; readonly message: string };

type Checker = (text: string, ctx: ToolContext) => Promise<string | undefined | "missing">;

const CHECK_WITHIN_MS = 10_000;

const CHECKERS: Readonly<Record<string, Checker>> = {
  json: (text) => Promise.resolve(checkJson(text)),
  yaml: checkYaml,
  yml: checkYaml,
  toml: checkToml,
  js: (text, ctx) => checkScript(text, ctx, /^\s*(import|export)\s/m.test(text) ? "module" : "commonjs"),
  mjs: (text, ctx) => checkScript(text, ctx, "module"),
  cjs: (text, ctx) => checkScript(text, ctx, "commonjs"),
  py: (text, ctx) => runChecker(ctx, "python3", ["-c", PARSE_PYTHON], text),
};

/** Says what is wrong itself: the trace of an uncaught error begins with the frames of the parser. */
const PARSE_PYTHON = `import ast, sys
try:
    ast.parse(sys.stdin.buffer.read())
except (SyntaxError, ValueError) as e:
    print("line %s, column %s: %s: %s" % (getattr(e, "lineno", None) or 1, getattr(e, "offset", None) or 1, type(e).__name__, getattr(e, "msg", e)))
    print((getattr(e, "text", None) or "").rstrip())
    sys.exit(1)
`;

export interface Checkable {
  readonly path: string;
  /** The text that was replaced: errors that it had already are left out. */
  readonly before: string | undefined;
  readonly after: string;
  /** A language server looks at the file. */
  readonly covered: boolean;
}

/** Check the syntax of what was written. */
export async function lintText({ path, before, after, covered }: Checkable, ctx: ToolContext): Promise<Lint> {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const check = Object.hasOwn(CHECKERS, ending) ? CHECKERS[ending] : undefined;
  if (check !== undefined) return lintWith(check, ending, { before, after }, ctx);
  const program = Object.hasOwn(FILE_CHECKERS, ending) ? FILE_CHECKERS[ending] : undefined;
  if (program === undefined)
    return { status: "skipped", message: `no syntax check for ${ending === "" ? "this kind of file" : `.${ending}`}` };
  if (covered) return { status: "skipped", message: "a language server looks at this file" };
  const found = await program(path, ctx);
  if (found === "missing") return { status: "skipped", message: `the program that checks .${ending} is not installed` };
  return afterProgram(ctx, path, before, found);
}

interface Texts {
  readonly before: string | undefined;
  readonly after: string;
}

async function lintWith(check: Checker, ending: string, { before, after }: Texts, ctx: ToolContext): Promise<Lint> {
  const found = await check(after, ctx);
  if (found === "missing") return { status: "skipped", message: `the program that checks .${ending} is not installed` };
  if (found === undefined) return { status: "ok" };
  const earlier = before === undefined ? undefined : await check(before, ctx);
  const known = earlier !== undefined && withoutPlace(earlier) === withoutPlace(found);
  return wrong(known ? OLD : NEW, found);
}

const NEW = "New errors introduced by this edit";
const OLD = "Errors which were there before";
const wrong = (title: string, found: string): Lint => ({
  status: "error",
  output: `${title}:\n${headText(found, 2_000)}`,
});

interface Earlier {
  readonly found: Map<string, ReadonlySet<string>>;
  close?(): Promise<void>;
}

/** A program sees only what is on the disk, so what was wrong before is known where the conversation has written the file before. */
function afterProgram(ctx: ToolContext, path: string, before: string | undefined, found: readonly string[]): Lint {
  const { found: all } = ctx.state.entry<Earlier>("lint", () => ({ found: new Map() }));
  const earlier = before === undefined ? new Set<string>() : all.get(path);
  all.set(path, new Set(found.map(withoutPlace)));
  if (found.length === 0) return { status: "ok" };
  if (earlier === undefined) return wrong("Errors, of which some may have been there before", found.join("\n"));
  const fresh = found.filter((line) => !earlier.has(withoutPlace(line)));
  return fresh.length > 0 ? wrong(NEW, fresh.join("\n")) : wrong(OLD, found.join("\n"));
}

const withoutPlace = (text: string) => text.replace(/\d+/g, "").slice(0, 400);

/** What is wrong with a JSON text, with line and column. */
function checkJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
    const before = text.slice(0, position);
    const line = before.split("\n").length;
    const column = position - before.lastIndexOf("\n");
    const what = message
      .replace(/ (in JSON )?at position \d+.*$/s, "")
      .replace(/, "[\s\S]*$/, "")
      .replace(/, \.\.\.[\s\S]*$/, "");
    return `line ${line}, column ${column}: ${what}`;
  }
}

async function checkYaml(text: string): Promise<string | undefined> {
  const { parseAllDocuments } = await import("yaml");
  const documents = parseAllDocuments(text);
  const errors = Array.isArray(documents) ? documents.flatMap((document) => document.errors) : [];
  const first = errors[0];
  if (first === undefined) return undefined;
  const place = first.linePos?.[0];
  return `line ${place?.line ?? 1}, column ${place?.col ?? 1}: ${first.message.split("\n", 1)[0] ?? first.code}`;
}

/** Its words for a string that the line ends in. */
const LINE_ENDS_IN_STRING = "control characters are not allowed in strings";

async function checkToml(text: string): Promise<string | undefined> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    parse(text, { integersAsBigInt: "asNeeded" }); // an integer that only other languages can hold is right
    return undefined;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    const what = (error.message.split("\n", 1)[0] ?? "").replace(/^Invalid TOML document: /, "");
    const ended = what === LINE_ENDS_IN_STRING && (text.split(/\r?\n/)[line - 1] ?? "").length < column;
    return `line ${line}, column ${column}: ${ended ? "the string is not closed" : what}`;
  }
}

function checkScript(text: string, ctx: ToolContext, kind: "module" | "commonjs"): Promise<string | undefined> {
  return runChecker(ctx, process.execPath, ["--check", `--input-type=${kind}`, "-"], text);
}

async function runChecker(
  ctx: ToolContext,
  file: string,
  args: readonly string[],
  text: string,
): Promise<string | undefined | "missing"> {
  const said = await runCheck(ctx, { file, args, cwd: ctx.state.launchDir, text, ms: CHECK_WITHIN_MS });
  if (said === undefined) return "missing";
  return said.code === 0 ? undefined : shortTrace(said.output);
}

/** The place and the message of a trace, without the frames of the checker itself. */
function shortTrace(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\s+at |^Node\.js v/.test(line));
  return lines.slice(-8).join("\n");
}
