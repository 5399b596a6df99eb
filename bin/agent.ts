#!/usr/bin/env node
// Nothing is imported before the decision: `--version` and the thin client start as fast as the runtime itself.
import { isSwitchedOff } from "../lib/base/perf/plain.js";
import { explainStdoutError } from "../lib/base/unwritten.js";
import { codeKind, isScreen, isShort, isThin } from "./thin-set.js";

/** Put in by the build. */
declare const VERSION: string;

async function start(argv: readonly string[], again?: string): Promise<void> {
  const short = isShort(argv);
  (await import("../lib/base/perf/engine-flags.js")).setEngineFlags(short); // before any WebAssembly is compiled
  if ((short || isScreen(argv)) && !isSwitchedOff("code-cache")) {
    const { useCodeCache } = await import("../lib/base/perf/code-cache.js");
    const write = process.env["AGENT_CODE_CACHE"] === "write";
    useCodeCache({ kind: codeKind(argv), folder: __dirname, write });
  }
  await (await import("./cli.js")).main(argv, again);
}

async function launch(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) tellVersion();
  else if (isNowhere()) nowhere(argv);
  // A program that works turns waits for its tools: they come without the rest.
  else if (argv[0] === "mcp-callback" && !argv.some((word) => word === "--help" || word === "-h"))
    await (await import("./mcp-callback.js")).mcpCallback(argv.slice(1));
  // A command that the owner can run is sent there by a client of one file: a list takes a third of the time, `-z hi` two thirds.
  else if (isSwitchedOff("thin-client") || !isThin(argv)) await start(argv);
  else {
    const outcome = await (await import("./thin.js")).run(argv);
    if (outcome !== "done") await start(argv, outcome === "no owner" ? undefined : outcome.again);
  }
}

function tellVersion(): void {
  process.stdout.on("error", (error) => {
    const why = explainStdoutError(error);
    if (why === undefined) return; // its reader has gone
    process.stderr.write(why);
    process.exitCode = 1;
  });
  process.stdout.write(`${VERSION}\n`);
}

/** The directory that the caller is in was removed. Whatever runs asks for it sooner or later, and would fail half way. */
function isNowhere(): boolean {
  try {
    process.cwd();
    return false;
  } catch {
    return true; // the answer is what was asked
  }
}

/** As every command tells a failure, without the parts of the program that do it there. */
function nowhere(argv: readonly string[]): void {
  const message = "the current directory no longer exists";
  const hint = "cd to an existing directory and repeat the command";
  if (argv.includes("--json"))
    process.stdout.write(`${JSON.stringify({ error: { code: "E_NOT_FOUND", message, hint } })}\n`);
  else
    process.stderr.write(
      [message, hint].map((line) => `${argv.includes("kanban") ? "kanban" : "agent"}: ${line}\n`).join(""),
    );
  process.exitCode = 1;
}

function fail(error: unknown): void {
  process.stderr.write(`agent: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

launch(process.argv.slice(2)).catch(fail);
