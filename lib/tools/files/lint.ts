import { childEnv } from "../../safety/env.js";
import { headText, plainText } from "../../safety/text.js";
import type { ToolContext } from "../define.js";
import { createOutputBuffer } from "../terminal/output.js";

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
  js: (text, ctx) => checkScript(text, ctx, /^\s*(import|export)\s/m.test(text) ? "module" : "commonjs"),
  mjs: (text, ctx) => checkScript(text, ctx, "module"),
  cjs: (text, ctx) => checkScript(text, ctx, "commonjs"),
  py: (text, ctx) => runChecker(ctx, "python3", ["-c", "import ast,sys; ast.parse(sys.stdin.buffer.read(), sys.argv[1])", "file"], text),
};

export interface Checkable {
  readonly path: string;
  /** The text that was replaced: what was wrong already is told apart. */
  readonly before: string | undefined;
  readonly after: string;
  /** A language server looks at the file. */
  readonly covered: boolean;
}

/** Check the syntax of what was written. */
export async function lintText({ path, before, after, covered }: Checkable, ctx: ToolContext): Promise<Lint> {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const check = Object.hasOwn(CHECKERS, ending) ? CHECKERS[ending] : undefined;
  if (check === undefined)
    return { status: "skipped", message: `no syntax check for ${ending === "" ? "this kind of file" : `.${ending}`}` };
  const found = await check(after, ctx);
  if (found === "missing") return { status: "skipped", message: `the program that checks .${ending} is not installed` };
  if (found === undefined) return { status: "ok" };
  const earlier = before === undefined ? undefined : await check(before, ctx);
  const title =
    earlier !== undefined && withoutPlace(earlier) === withoutPlace(found)
      ? "Errors which were there before"
      : "New errors introduced by this edit";
  return { status: "error", output: `${title}:\n${headText(found, 2_000)}` };
}

const withoutPlace = (text: string) => text.replace(/\d+/g, "").slice(0, 400);

/** What is wrong with a JSON text, with line and column. */
export function checkJson(text: string): string | undefined {
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

function checkScript(text: string, ctx: ToolContext, kind: "module" | "commonjs"): Promise<string | undefined> {
  return runChecker(ctx, process.execPath, ["--check", `--input-type=${kind}`, "-"], text);
}

async function runChecker(ctx: ToolContext, file: string, args: readonly string[], text: string): Promise<string | undefined | "missing"> {
  const { spawner, clock } = ctx.ports;
  try {
    const env = { ...childEnv(ctx.env, ctx.config), NODE_OPTIONS: "" };
    const child = await spawner.spawn({ file, args, cwd: ctx.state.launchDir, env, stdin: "pipe", stderr: "stdout" });
    const output = createOutputBuffer(1 << 18);
    child.onOutput((chunk) => output.add(chunk));
    child.write(text);
    child.closeInput();
    const cancel = clock.after(CHECK_WITHIN_MS, () => spawner.signal({ group: child.pid }, "SIGKILL"));
    const exit = await child.exited;
    await Promise.race([child.closed, clock.sleep(300)]);
    cancel();
    if (exit.signal !== null) return "missing";
    return exit.code === 0 ? undefined : shortTrace(plainText(output.bytes().toString()));
  } catch {
    return "missing"; // not installed, or not to be started
  }
}

/** The place and the message of a trace, without the frames of the checker itself. */
function shortTrace(text: string): string {
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s+at |^Node\.js v|^Traceback|^\s+File "<string>"|^\s+File ".*(ast|ast\.py)"/.test(line));
  return lines.slice(-8).join("\n");
}
