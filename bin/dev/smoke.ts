import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { noBrowser, startBrowser } from "../../fixtures/dashboard/browser.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { AGENT, ended, freshEnv, type Ran, runProgram } from "./drive.js";
import { runtimes } from "./runtimes.js";

const STEP_MS = 60_000;
const say = (line: string) => process.stdout.write(`${line}\n`);

/** One runtime, and a home of its own. */
interface Place {
  readonly node: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

type Step = (place: Place) => Promise<void>;

const STEPS: readonly (readonly [string, Step])[] = [
  ["tour", tour],
  ["turn", oneTurn],
  ["dashboard", onePage],
];

/** The built program on every release of Node that is promised. Exit code 1 when one fails; those that are not here are named. */
export async function main(): Promise<number> {
  const all = await runtimes();
  const files = all.flatMap((runtime) => ("file" in runtime ? [runtime.file] : []));
  for (const runtime of all) if ("missing" in runtime) say(`not run: Node ${runtime.version}: ${runtime.missing}`);
  if (noBrowser() !== false) say(`not run: the page in a browser: ${noBrowser()}`);
  let failed = 0;
  for (const file of files.length > 0 ? files : [process.execPath]) failed += await on(file);
  return failed === 0 ? 0 : 1;
}

/** @returns how many steps failed */
async function on(node: string): Promise<number> {
  const { stdout } = await runProgram(node, ["--version"], { env: freshEnv(tmpdir()) });
  const figures: string[] = [];
  let failed = 0;
  for (const [name, step] of STEPS) {
    const home = await mkdtemp(join(tmpdir(), "agent-smoke-"));
    const started = performance.now();
    try {
      await step({ node, home, env: freshEnv(home) });
      figures.push(`${name} ${Math.round(performance.now() - started)} ms`);
    } catch (error) {
      failed += 1;
      figures.push(`${name} FAILED`);
      say(`Node ${stdout.trim()}: ${name}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  say(`Node ${stdout.trim()}: ${figures.join(", ")}`);
  return failed;
}

/** What `make run` does without a terminal: an owner, a turn with tools, a task that a worker does, a search, the end. */
async function tour({ node, env }: Place): Promise<void> {
  const ran = await runProgram(node, [resolve("bin/dev/run.mjs")], { env, deadlineMs: STEP_MS });
  good("the tour", ran);
  const noise = ran.stdout.split("\n").find((line) => /warning|unrecognized flag|bad option/i.test(line));
  if (noise !== undefined) throw new Error(`the tour shows: ${noise}`);
}

/** A turn over the wire of a model. */
async function oneTurn({ node, home, env }: Place): Promise<void> {
  const model = await startModelServer();
  try {
    const settings = `model:\n  provider: custom\n  base_url: ${model.url}\n  default: script:echo\n  context_length: 128000\n`;
    await writeFile(join(home, "config.yaml"), settings);
    const ran = await runProgram(node, [AGENT, "-z", "hello from the smoke"], { env, cwd: home, deadlineMs: STEP_MS });
    good("agent -z", ran);
    if (!ran.stdout.includes("hello from the smoke")) throw new Error(`agent -z prints ${JSON.stringify(ran.stdout)}`);
    if (model.chats().length === 0) throw new Error("the model was not asked");
  } finally {
    await model.close();
  }
}

function good(what: string, { code, stdout, stderr }: Ran): void {
  if (code !== 0)
    throw new Error(`${what} ended with ${code}: ${stderr.trim() || stdout.trim().split("\n").slice(-20).join("\n")}`);
  if (stderr !== "") throw new Error(`${what} complains: ${stderr.trim()}`);
}

/** The page from the owner that serves it, and live in a browser where there is one. */
async function onePage({ node, home, env }: Place): Promise<void> {
  await mkdir(join(home, "work"));
  await writeFile(join(home, "config.yaml"), "model:\n  provider: offline\n");
  const args = [AGENT, "dashboard", "--port", "0", "--no-open"];
  const child = spawn(node, args, { stdio: ["ignore", "pipe", "pipe"], env, cwd: join(home, "work") });
  const late = setTimeout(() => child.kill("SIGKILL"), STEP_MS);
  const gone = ended(child);
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (!line.startsWith("agent: ")) complaints.push(line);
  });
  try {
    const entry = await Promise.race([
      entryUrl(child.stdout),
      gone.then((code) => Promise.reject(new Error(`agent dashboard ended with ${code}: ${complaints.join("\n")}`))),
    ]);
    await fetchPage(entry);
    if (noBrowser() === false) await browse(entry);
  } finally {
    child.kill("SIGINT");
    const code = await gone;
    clearTimeout(late);
    if (code !== 0) complaints.push(`agent dashboard ended with ${code}`);
  }
  if (complaints.length > 0) throw new Error(`agent dashboard complains: ${complaints.join("\n")}`);
}

/** The line after the one that says that it is ready. */
function entryUrl(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((done) => {
    createInterface({ input: output }).on("line", (line) => {
      if (line.startsWith("http://") && line.includes("#code=")) done(line);
    });
  });
}

async function fetchPage(entry: string): Promise<void> {
  const page = await fetch(entry);
  const text = await page.text();
  const script = /src="([^"]+)"/.exec(text)?.[1];
  if (!page.ok || script === undefined) throw new Error(`the page answers ${page.status}: ${text.slice(0, 200)}`);
  const code = await fetch(new URL(script, entry));
  if (!code.ok || (await code.text()).length < 10_000) throw new Error(`its script answers ${code.status}`);
}

async function browse(entry: string): Promise<void> {
  const browser = await startBrowser();
  try {
    const { page, errors } = await browser.window();
    await page.goto(entry);
    await page.waitForSelector(".connection-open");
    if (errors.length > 0) throw new Error(`the page has errors: ${errors.join("\n")}`);
  } finally {
    await browser.close();
  }
}
