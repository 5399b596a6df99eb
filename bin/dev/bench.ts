import { mkdir, writeFile } from "node:fs/promises";
import { benchBoard } from "./bench-board.js";
import { benchDashboard } from "./bench-dashboard.js";
import { benchFaults } from "./bench-faults.js";
import { benchGateway } from "./bench-gateway.js";
import { benchLive } from "./bench-live.js";
import { benchPane } from "./bench-pane.js";
import { benchProxy } from "./bench-proxy.js";
import { benchRecall } from "./bench-recall.js";
import { benchScale } from "./bench-scale.js";
import { benchScreen } from "./bench-screen.js";
import { benchSearch } from "./bench-search.js";
import { benchStart } from "./bench-start.js";
import { benchStore } from "./bench-store.js";
import { benchTurns } from "./bench-turns.js";
import { holds, type Row, renderRows } from "./measure.js";

const GROUPS: Readonly<Record<string, (args: readonly string[]) => Promise<Row[]>>> = {
  start: benchStart,
  turns: benchTurns,
  board: benchBoard,
  store: benchStore,
  scale: benchScale,
  search: benchSearch,
  recall: benchRecall,
  pane: benchPane,
  live: benchLive,
  screen: benchScreen,
  dashboard: benchDashboard,
  proxy: benchProxy,
  faults: benchFaults,
  gateway: benchGateway,
};

/** `bench [only=<group>] [n=<messages of the recall group>]`: measure, print, write dist/bench.json. Exit 1 when a bound does not hold or a group cannot be measured. */
export async function main(args: readonly string[]): Promise<number> {
  const only = args.find((arg) => arg.startsWith("only="))?.slice("only=".length) ?? "";
  const rows: Row[] = [];
  const broken: string[] = [];
  for (const [name, measure] of Object.entries(GROUPS)) {
    if (only !== "" && only !== name) continue;
    process.stdout.write(`\n${name}\n`);
    try {
      const found = await measure(args);
      rows.push(...found);
      process.stdout.write(`${renderRows(found)}\n`);
    } catch (error) {
      broken.push(name);
      process.stdout.write(`! not measured: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  await mkdir("dist", { recursive: true });
  await writeFile("dist/bench.json", `${JSON.stringify({ node: process.version, rows, broken }, undefined, 2)}\n`);
  const failed = rows.filter((row) => !holds(row));
  process.stdout.write(`\n${rows.length} figures, ${failed.length} beyond their bound, ${broken.length} groups not measured\n`);
  return failed.length + broken.length === 0 ? 0 : 1;
}
