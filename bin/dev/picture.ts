import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Reply, ScriptRequest } from "../../fixtures/servers/model/script.js";
import { type ModelServer, startModelServer } from "../../fixtures/servers/model/server.js";
import { textCells } from "../../tui/draw/width.js";
import { AGENT, freshEnv, pause, runAgent } from "./drive.js";
import { pictureDashboard } from "./picture-dashboard.js";
import { processesOf } from "./processes.js";
import { toSvg } from "./svg.js";

const TITLE = "Chat with a running test, kanban columns, runs, and logs in one terminal";
const SIZE = { columns: 160, rows: 40 };
const FILE = resolve("fixtures/tui/workspace.svg");
const POLL_MS = 50;
const LONGEST_MS = 60_000;
const TMUX = ["-L", `agent-picture-${process.pid}`, "-f", "/dev/null"];

/** A scene that is played by the real program in a real terminal, with a scripted model. */
const LEX = [
  "export function lex(text) {",
  "  const out = [];",
  "  let i = 0;",
  "  while (i < text.length - 1) {",
  "    out.push(text[i]);",
  "    i += 1;",
  "  }",
  "  return out;",
  "}",
  "",
];
const TEST = "for n in 40 41 42; do echo ok $n lexer case $n; sleep 0.3; done; sleep 150";
const PROMPT = "the tokenizer drops the last character, please fix it";

const call = (name: string, args: object) => ({ name, arguments: args });
const ROUNDS: readonly Reply[] = [
  {
    text: "I'll look at the loop first.",
    tool_calls: [call("read_file", { path: "src/lex.js" }), call("search_files", { pattern: "lex(" })],
  },
  {
    text: "The loop stops one short. **Fixing the bound**, then the tests:",
    tool_calls: [call("patch", { path: "src/lex.js", old_string: "text.length - 1", new_string: "text.length" })],
  },
  { tool_calls: [call("terminal", { command: "npm test --silent" })] },
];

/** What each worker does, by a word of its task. */
const WORK: readonly (readonly [word: string, rounds: readonly Reply[]])[] = [
  [
    "the changelog",
    [
      { tool_calls: [call("kanban_complete", { summary: "CHANGELOG.md has an entry for each change" })] },
      { text: "done" },
    ],
  ],
  ["links", [{ tool_calls: [call("kanban_complete", { summary: "all 212 links answer" })] }, { text: "done" }]],
  ["key", [{ tool_calls: [call("kanban_block", { reason: "needs the signing key" })] }, { text: "blocked" }]],
  ["Parser", [{ tool_calls: [call("terminal", { command: "sleep 150" })] }, { text: "done" }]],
];

/** A worker gets only the number of its task: it looks first. */
function answer({ messages }: ScriptRequest): Reply {
  const said = JSON.stringify(messages);
  const seen = String(messages.find(({ role }) => role === "tool")?.content ?? "").slice(0, TITLE_WITHIN);
  const rounds = said.includes(PROMPT) ? ROUNDS : WORK.find(([word]) => seen.includes(word))?.[1];
  if (rounds === undefined) return { tool_calls: [call("kanban_show", {})] };
  const round = messages.filter(
    ({ role, tool_calls }) => role === "assistant" && !JSON.stringify(tool_calls ?? "").includes("kanban_show"),
  ).length;
  return rounds[Math.min(round, rounds.length - 1)] ?? { text: "done" };
}

const TITLE_WITHIN = 300;

const tmux = (...args: readonly string[]): string => execFileSync("tmux", [...TMUX, ...args], { encoding: "utf8" });

async function until(what: string, holds: (screen: string) => boolean): Promise<void> {
  const late = performance.now() + LONGEST_MS;
  for (let screen = ""; !holds(screen); screen = tmux("capture-pane", "-p")) {
    if (performance.now() > late) throw new Error(`the picture never showed ${what}:\n${screen}`);
    await pause(POLL_MS);
  }
}

function makeProject(work: string): void {
  mkdirSync(join(work, "src"), { recursive: true });
  writeFileSync(join(work, "src/lex.js"), LEX.join("\n"));
  writeFileSync(join(work, "package.json"), JSON.stringify({ name: "parser", scripts: { test: TEST } }));
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: work });
}

const TASKS: readonly (readonly string[])[] = [
  ["Write the changelog", "--assignee", "default"],
  ["Check the links of the handbook", "--assignee", "default", "--priority", "2"],
  ["Sign the release, needs a key", "--assignee", "default"],
  ["Parser tests for empty input", "--assignee", "default"],
  ["Docs for the lexer", "--priority", "1", "--external"],
  ["Measure the parser on large files", "--external"],
  ["Collect what people asked for", "--triage"],
];

interface Played {
  readonly screen: string;
  /** The owner of the workspace still runs with these. */
  readonly scene: { readonly env: Readonly<Record<string, string>>; readonly cwd: string };
}

async function play(home: string, model: ModelServer): Promise<Played> {
  const work = join(home, "parser");
  makeProject(work);
  const settings = [
    "model:",
    "  provider: custom",
    `  base_url: ${model.url}`,
    "  default: any",
    "  context_length: 128000",
    "permissions: {}",
    "",
  ];
  writeFileSync(join(home, "config.yaml"), settings.join("\n"));
  const env = { ...freshEnv(home), TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8", LC_ALL: "C.UTF-8" };
  for (const words of TASKS) await runAgent(["kanban", "create", ...words], { env, cwd: work });
  const shell = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const line = `exec env -i ${shell.join(" ")} ${process.execPath} ${AGENT} --yolo`;
  tmux("new-session", "-d", "-x", String(SIZE.columns), "-y", String(SIZE.rows), "-c", work, line);
  await until("two ended tasks", (screen) => (screen.match(/✓ t_/g) ?? []).length > 1 && /⊘ t_/.test(screen));
  tmux("send-keys", "-l", PROMPT);
  tmux("send-keys", "Enter");
  await until("the running test", (screen) => screen.includes("ok 42"));
  tmux("send-keys", "-l", "also add a line to the changelog");
  tmux("send-keys", "Enter");
  await until("what is queued", (screen) => screen.includes("1 also add"));
  tmux("send-keys", "-l", "and then");
  await until("what is typed", (screen) => screen.includes("and then"));
  await pause(POLL_MS * 20);
  return { screen: tmux("capture-pane", "-p", "-e"), scene: { env, cwd: work } };
}

/** Play the scene and write the pictures of it: the workspace, and the board of the same tasks in a browser. */
export async function main(): Promise<number> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "agent-picture-")));
  const model = await startModelServer({ script: answer });
  try {
    const { screen, scene } = await play(home, model);
    writeFileSync(
      FILE,
      toSvg(screen.replace(/\n$/, "").split("\n"), { columns: SIZE.columns, title: TITLE }, textCells),
    );
    const page = await pictureDashboard(scene);
    process.stdout.write(`${FILE}\n${page ?? "the dashboard has no new picture: no browser is installed"}\n`);
    return 0;
  } finally {
    tmux("kill-server");
    await model.close();
    for (let left = processesOf(home); left.length > 0; left = processesOf(home)) {
      for (const pid of left) process.kill(pid, "SIGKILL");
      await pause(POLL_MS);
    }
    rmSync(home, { recursive: true, force: true });
  }
}
