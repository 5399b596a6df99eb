import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { runCommand } from "../../adapters/browser/commands/index.js";
import { startChromium } from "../../fixtures/browser/test-session.js";
import { type McpBrowser, startMcpBrowser } from "../../fixtures/pages/browser/mcp-driver.js";
import { ourDriver, type ToldCall } from "../../fixtures/pages/browser/our-driver.js";
import { type PageServer, servePages } from "../../fixtures/pages/browser/server.js";
import { TASKS } from "../../fixtures/pages/browser/tasks.js";
import { browserBench } from "../../fixtures/pages/browser/tool-bench.js";
import { findBrowser } from "../../lib/base/process/find-browser.js";
import { median, type Row } from "./measure.js";

/** What one task cost with one set of tools; undefined: it was not solved. */
type Costs = Map<string, readonly ToldCall[]>;

/** What a model reads for the same tasks on the same pages, with the product's tools and with the browser server that others use. */
export async function benchBrowser(): Promise<Row[]> {
  const found = findBrowser("", process.env);
  if ("why" in found) throw new Error(found.why);
  const dir = await mkdtemp(join(tmpdir(), "bench-browser-"));
  await writeFile(join(dir, "report.txt"), "numbers");
  const pages = await servePages();
  try {
    const ours = await workOurs(pages);
    const whole = await workTheirs(pages, found.program, dir, false);
    const finding = await workTheirs(pages, found.program, dir, true);
    return [...rowsOf(ours, whole, finding), ...(await workAtOnce(pages))];
  } finally {
    await pages.close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function workOurs(pages: PageServer): Promise<Costs> {
  const chromium = await startChromium();
  const costs: Costs = new Map();
  try {
    for (const task of TASKS) {
      const ends: (() => unknown)[] = [];
      const t = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext; // the only member that is used
      const { ctx, project } = browserBench(t, await chromium.session(t));
      await writeFile(join(project, "report.txt"), "numbers");
      const told: ToldCall[] = [];
      await ourDriver(ctx, project, told)
        .work(task, pages.url(task.page))
        .catch(report(`ours: ${task.page}`));
      if (pages.done(task.page)) costs.set(task.page, told);
      for (const end of ends.toReversed()) await end();
    }
  } finally {
    await chromium.close();
  }
  return costs;
}

/** One browser for all tasks; after one that fails a new one, because a dialog or a window of it may be left. */
async function workTheirs(pages: PageServer, program: string, dir: string, finds: boolean): Promise<Costs> {
  const costs: Costs = new Map();
  let browser: McpBrowser | undefined;
  for (const task of TASKS) {
    pages.forget(task.page);
    browser ??= await startMcpBrowser(program, dir);
    const from = browser.told.length;
    await browser.work(task, pages.url(task.page), finds).catch(report(`theirs: ${task.page}`));
    if (pages.done(task.page)) costs.set(task.page, browser.told.slice(from));
    else {
      await browser.close();
      browser = undefined;
    }
  }
  await browser?.close();
  return costs;
}

/** Sessions that begin at once, as those of conversations and workers do. */
const AT_ONCE = 20;

/** How long a session takes to be there and to show a page: alone, and with others that begin at the same moment. */
async function workAtOnce(pages: PageServer): Promise<Row[]> {
  const chromium = await startChromium();
  const ends: (() => unknown)[] = [];
  const t = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext; // the only member that is used
  const url = pages.url(TASKS[0]?.page ?? "");
  const begin = async (): Promise<number> => {
    const from = performance.now();
    const session = await chromium.session(t);
    await runCommand(session, { do: "navigate", url }, new AbortController().signal);
    return performance.now() - from;
  };
  try {
    const alone: number[] = [];
    for (let round = 0; round < 5; round++) alone.push(await begin());
    const together = await Promise.all(Array.from({ length: AT_ONCE }, begin));
    const note = `slowest ${Math.round(Math.max(...together))} ms`;
    return [
      { name: "a session and its first page, middle", value: median(alone), unit: "ms" },
      { name: `the same for ${AT_ONCE} at once, middle`, value: median(together), unit: "ms", note },
    ];
  } finally {
    for (const end of ends.toReversed()) await end();
    await chromium.close();
  }
}

const report = (what: string) => (error: unknown) => {
  process.stdout.write(`${what}: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}\n`);
};

function rowsOf(ours: Costs, whole: Costs, finding: Costs): Row[] {
  const bytes = [...ours.values()].flat().map(({ text }) => Buffer.byteLength(text));
  const sorted = bytes.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  return [
    { name: "tasks that are solved", value: ours.size, unit: "tasks", bound: { is: ">=", of: TASKS.length } },
    {
      name: "bytes of an answer, p95",
      value: p95,
      unit: "bytes",
      bound: { is: "<=", of: 2_048 },
      note: `${bytes.length} answers, middle ${sorted[bytes.length >> 1]}, most ${sorted.at(-1)}`,
    },
    against(ours, whole, "whole snapshots", 0.25),
    against(ours, finding, "searches", undefined),
  ];
}

/** Characters that ours answered for each of theirs, over the tasks that both solved. */
function against(ours: Costs, theirs: Costs, how: string, most: number | undefined): Row {
  const both = [...ours.keys()].filter((page) => theirs.has(page));
  const mine = sum(ours, both);
  const other = sum(theirs, both);
  const least = both
    .map((page) => [page, sum(ours, [page]) / sum(theirs, [page])] as const)
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([page, ratio]) => `${page} ${ratio.toFixed(2)}`);
  return {
    name: `characters of answers, against @playwright/mcp with ${how}`,
    value: mine / other,
    unit: "x",
    ...(most === undefined ? {} : { bound: { is: "<=", of: most } }),
    note: `${mine} to ${other} in ${both.length} tasks; highest: ${least.join(", ")}`,
  };
}

const sum = (costs: Costs, pages: readonly string[]): number =>
  pages.reduce((all, page) => all + (costs.get(page) ?? []).reduce((one, { text }) => one + text.length, 0), 0);
