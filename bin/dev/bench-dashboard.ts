import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { noBrowser, startBrowser, type TestBrowser } from "../../fixtures/dashboard/browser.js";
import type { Client } from "../../lib/backplane/client.js";
import { fill } from "./bench-scale.js";
import { clientOf, closeWorld, openWorld } from "./bench-world.js";
import { AGENT, ended, startOwner } from "./drive.js";
import { median, type Row } from "./measure.js";

const TASKS = 10_000;
const ROUNDS = 7;
const TOKEN = "token-of-the-measurements-0123456789-abcdef";
/** Cards on the screen that make a board useful. */
const USEFUL = 6;

/** The page on a board of 10,000 tasks, in a real browser. */
export async function benchDashboard(): Promise<Row[]> {
  const missing = noBrowser();
  if (missing !== false) throw new Error(missing);
  const world = await openWorld("worker");
  const env = { ...world.env, AGENT_DASHBOARD_SESSION_TOKEN: TOKEN };
  let holder: ChildProcess | undefined;
  let browser: TestBrowser | undefined;
  try {
    world.owner = await startOwner(env);
    const client = await clientOf(world);
    const board = await fill(client, TASKS);
    holder = spawn(process.execPath, [AGENT, "dashboard", "--port", "0", "--no-open"], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const url = `http://127.0.0.1:${await portOf(holder)}/#/board?board=${board}`;
    browser = await startBrowser();
    const painted: number[] = [];
    for (let round = 0; round < ROUNDS; round++) painted.push(await paint(browser, url));
    const changed = await changes(browser, url, client, board);
    client.close();
    return [
      {
        name: "page, board of 10,000 tasks: first useful paint",
        value: median(painted),
        unit: "ms",
        bound: { is: "<=", of: 1500 },
      },
      {
        name: "page, board of 10,000 tasks: one change is shown",
        value: median(changed),
        unit: "ms",
        bound: { is: "<=", of: 300 },
      },
    ];
  } finally {
    await browser?.close();
    if (holder) await endChild(holder);
    await closeWorld(world);
  }
}

const portOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    if (child.stdout)
      createInterface({ input: child.stdout }).on("line", (line) => {
        const port = /^DASHBOARD_READY port=(\d+)/.exec(line)?.[1];
        if (port !== undefined) resolve(port);
      });
    child.once("exit", () => reject(new Error("the dashboard did not open")));
  });

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = ended(child);
  child.kill("SIGTERM");
  await gone;
}

async function opened(browser: TestBrowser, url: string): Promise<Page> {
  const { page } = await browser.window();
  await page.addInitScript({ content: `sessionStorage.setItem("agent.token", ${JSON.stringify(TOKEN)});${WATCH}` });
  await page.goto(url);
  return page;
}

/** In the page: when a useful number of cards was first painted. */
const WATCH = `window.painted = new Promise((resolve) => {
  const look = () => requestAnimationFrame(() =>
    document.querySelectorAll(".card").length < ${USEFUL} ? look() : requestAnimationFrame(() => resolve(performance.now())));
  look();
});`;

/** Milliseconds from the beginning of the navigation. */
async function paint(browser: TestBrowser, url: string): Promise<number> {
  const page = await opened(browser, url);
  const at = Number(await page.evaluate("window.painted"));
  await page.context().close();
  return at;
}

/** Milliseconds from a change made elsewhere to the card that shows it. */
async function changes(browser: TestBrowser, url: string, client: Client, board: string): Promise<readonly number[]> {
  const page = await opened(browser, url);
  await page.waitForSelector(".connection-open");
  const id = await page.locator("[data-drop='ready'] .card").first().getAttribute("data-card");
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const title = `changed ${round}`;
    const seen = page.locator(".card-title", { hasText: title }).waitFor();
    const began = performance.now();
    await client.call("kanban.edit", { id, title, board });
    await seen;
    times.push(performance.now() - began);
  }
  await page.context().close();
  return times;
}
