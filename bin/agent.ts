#!/usr/bin/env node
// Nothing is imported before the decision: `--version` and the thin client start as fast as the runtime itself.
import { optimisedAfter } from "../lib/base/runtime.js";
import { explainStdoutError } from "../lib/base/unwritten.js";
import { codeKind, isScreen, isShort, isThin } from "./thin-set.js";

/** Put in by the build. */
declare const VERSION: string;

async function start(argv: readonly string[], again?: string): Promise<void> {
  const { setFlagsFromString } = await import("node:v8"); // before any WebAssembly is compiled
  // SQLite has thousands of functions and a run uses few: the engine compiles each at its first call, and may check it only then.
  setFlagsFromString("--wasm-lazy-validation");
  // One thread optimises: each more would keep megabytes of an idle owner.
  setFlagsFromString("--wasm-num-compilation-tasks=1");
  const short = isShort(argv);
  if (short) {
    // Code of a process that ends soon is not worth optimising, and the runtime would wait for it at exit.
    setFlagsFromString("--liftoff-only");
    // It loads megabytes and throws little away: collecting them again and again is a tenth of its time. Its young memory grows at once.
    setFlagsFromString("--semi-space-growth-factor=8");
    // Nor in between, before that memory is full.
    setFlagsFromString("--no-minor-gc-task");
    // A command of the board is over before its code could gain from being optimised: that took a tenth of its time, on the other core and at its
    // end. One for whole boards may work for seconds, and does gain: a board is taken in a third slower without.
    if (!optimises(argv)) setFlagsFromString("--no-opt");
  } else {
    // A screen runs much code now and then, for one frame at a time. Optimising it takes a fifth of the processor time of an answer that streams: only
    // what stays hot is optimised. An owner that stays gains it back after about a thousand tool rounds, and with creates at once.
    for (const flag of isScreen(argv) ? optimisedAfter(1_000_000) : OWNER) setFlagsFromString(flag);
    // Counted in bytes of code that loops span, the engine's largest functions were "hot" after thirty steps. Optimising them kept 35 MB of an owner
    // that had only been started; now that waits for tens of thousands of steps. The number is the largest there is.
    setFlagsFromString("--wasm-tiering-budget=2147483647");
  }
  const write = process.env["AGENT_CODE_CACHE"];
  if (short || isScreen(argv))
    (await import("./code-cache.js")).useCodeCache({
      kind: codeKind(argv),
      folder: __dirname,
      write: write === "write",
    });
  await (await import("./cli.js")).main(
    argv,
    short ? { folder: __dirname, write: write === "engines", optimises: optimises(argv) } : undefined,
    again,
  );
}

/**
 * The first hundreds of tool rounds of an owner run beside the optimising of their own code, which took a fifth of its processor time at the default
 * of the runtime. It begins at twice that, and takes less of what a function calls into it: a tenth less processor time, and creates are not slower.
 */
const OWNER = [
  ...optimisedAfter(270_000),
  "--max-inlined-bytecode-size-cumulative=200",
  "--max-inlined-bytecode-size=100",
];

const optimises = (argv: readonly string[]): boolean => !["board", "look"].includes(codeKind(argv));

async function launch(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) tellVersion();
  else if (isNowhere()) nowhere(argv);
  else if (!isThin(argv)) await start(argv);
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
  const message = "the directory that you are in does not exist any more";
  const hint = "cd to one that does, and repeat the command";
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
