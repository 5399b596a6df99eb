import { mkdir, writeFile } from "node:fs/promises";
import { benchBoard } from "./bench-board.js";
import { benchBrowser } from "./bench-browser.js";
import { benchCage } from "./bench-cage.js";
import { benchDashboard } from "./bench-dashboard.js";
import { benchFaults } from "./bench-faults.js";
import { benchGateway } from "./bench-gateway.js";
import { benchHooks } from "./bench-hooks.js";
import { benchLeave } from "./bench-leave.js";
import { benchLive } from "./bench-live.js";
import { benchMcp } from "./bench-mcp.js";
import { benchPane } from "./bench-pane.js";
import { benchPlain } from "./bench-plain.js";
import { benchProxy } from "./bench-proxy.js";
import { benchReads } from "./bench-reads.js";
import { benchRecall } from "./bench-recall.js";
import { benchScale } from "./bench-scale.js";
import { benchScreen } from "./bench-screen.js";
import { benchSearch } from "./bench-search.js";
import { benchSoak } from "./bench-soak.js";
import { benchStart } from "./bench-start.js";
import { benchStore } from "./bench-store.js";
import { benchTurns } from "./bench-turns.js";
import { freshEnv, runProgram } from "./drive.js";
import { holds, median, REFERENCE_START_MS, type Row, renderRows, slowness } from "./measure.js";

const STARTS = 11;

const GROUPS: Readonly<Record<string, (args: readonly string[]) => Promise<Row[]>>> = {
  start: benchStart,
  turns: benchTurns,
  board: benchBoard,
  store: benchStore,
  scale: benchScale,
  reads: benchReads,
  search: benchSearch,
  recall: benchRecall,
  pane: benchPane,
  live: benchLive,
  screen: benchScreen,
  leave: benchLeave,
  dashboard: benchDashboard,
  proxy: benchProxy,
  faults: benchFaults,
  gateway: benchGateway,
  cage: benchCage,
  mcp: benchMcp,
  browser: benchBrowser,
  hooks: benchHooks,
  plain: benchPlain,
  soak: benchSoak,
};

/**
 * `bench [only=<group>] [n=<messages of the recall group, rounds of soak>]`: measure, print, write dist/bench.json. Bounds that scale are held to the
 * speed of this machine (`Bound`). Exit 1 when a bound does not hold or a group cannot be measured.
 */
export async function main(args: readonly string[]): Promise<number> {
  const only = args.find((arg) => arg.startsWith("only="))?.slice("only=".length) ?? "";
  const start = await bareStart();
  const slower = slowness(start);
  process.stdout.write(
    `bare Node starts in ${start.toFixed(1)} ms: ${slower.toFixed(2)} times the ${REFERENCE_START_MS} of the machine on which times in brackets were set\n`,
  );
  const rows: Row[] = [];
  const broken: string[] = [];
  for (const [name, measure] of Object.entries(GROUPS)) {
    if (only !== "" && only !== name) continue;
    process.stdout.write(`\n${name}\n`);
    try {
      const found = await measure(args);
      rows.push(...found);
      process.stdout.write(`${renderRows(found, slower)}\n`);
    } catch (error) {
      broken.push(name);
      process.stdout.write(`! not measured: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  await mkdir("dist", { recursive: true });
  await writeFile(
    "dist/bench.json",
    `${JSON.stringify({ node: process.version, start, rows, broken }, undefined, 2)}\n`,
  );
  const failed = rows.filter((row) => !holds(row, slower));
  process.stdout.write(
    `\n${rows.length} figures, ${failed.length} beyond their bound, ${broken.length} groups not measured\n`,
  );
  return failed.length + broken.length === 0 ? 0 : 1;
}

/** Milliseconds of `node -e 0`, the middle of several: how fast this machine is just now. */
async function bareStart(): Promise<number> {
  const env = freshEnv("/nonexistent");
  const times: number[] = [];
  for (let round = 0; round < STARTS; round++)
    times.push((await runProgram(process.execPath, ["-e", "0"], { env })).ms);
  return median(times);
}
