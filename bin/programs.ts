import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants as osConstants, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { ListenHow, Programs, RunHow } from "../tui/outside/programs.js";

/** Programs and files of this machine for the screen. */
export function systemPrograms(env: Readonly<Record<string, string>>): Programs {
  return {
    run: (argv, how) => run(argv, env, how),
    listen: (argv, how) => listen(argv, env, how),
    has: (name) => (env["PATH"] ?? "").split(delimiter).some((dir) => dir !== "" && executable(join(dir, name))),
    write: async (path, text) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, text, { mode: 0o600 });
    },
    edit: (text, ending, work) =>
      withFile(text, ending, async (path) => {
        await work(path);
        return await readFile(path, "utf8");
      }),
    hold: withFile,
  };
}

/** A private file while `work` runs. */
async function withFile<T>(
  content: string | Uint8Array,
  ending: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), "agent-edit-"));
  try {
    const path = join(dir, `text${ending}`);
    await writeFile(path, content, { mode: 0o600 });
    return await work(path);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; /* ok to lose: it is not there */
  }
}

/** A terminal program reads the terminal itself when its input is a text: pagers do. */
function run(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  { terminal, stdin, signal }: RunHow,
): Promise<number> {
  const [name = "", ...words] = argv;
  const rest = terminal ? "inherit" : "ignore";
  return new Promise((resolve, reject) => {
    const child = spawn(name, words, { env, stdio: [stdin === undefined ? rest : "pipe", rest, rest] });
    const end = () => void child.kill("SIGTERM");
    signal?.addEventListener("abort", end, { once: true });
    child.once("error", reject);
    child.once("exit", (code, by) => {
      signal?.removeEventListener("abort", end);
      resolve(code ?? 128 + (by === null ? 0 : osConstants.signals[by]));
    });
    if (stdin === undefined) return;
    child.stdin?.on("error", () => undefined); // it has read as much as it wanted
    child.stdin?.end(stdin);
  });
}

/** The end of what a program says of its errors. */
const SAID_CHARS = 2_000;

function listen(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  { on, signal }: ListenHow,
): Promise<{ readonly status: number; readonly said: string }> {
  const [name = "", ...words] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(name, words, { env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const end = () => void child.kill("SIGTERM");
    signal.addEventListener("abort", end, { once: true });
    child.stdout.on("data", on);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-SAID_CHARS);
    });
    child.once("spawn", () => {
      if (signal.aborted) end();
    });
    child.once("error", reject);
    // Its output is read to the end.
    child.once("close", (code, by) => {
      signal.removeEventListener("abort", end);
      resolve({ status: code ?? 128 + (by === null ? 0 : osConstants.signals[by]), said });
    });
  });
}
