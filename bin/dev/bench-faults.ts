import { type Counts, countsOf } from "../../fixtures/platforms/faults/counts.js";
import { AGAIN, killedAt, killsOf, restartedInTurn } from "../../fixtures/platforms/faults/kills.js";
import { beginRun, type Run } from "../../fixtures/platforms/faults/life.js";
import type { Line } from "../../fixtures/platforms/faults/line.js";
import { LINES } from "../../fixtures/platforms/faults/lines/index.gen.js";
import { FAULT_RUNS } from "../../fixtures/platforms/faults/runs.js";
import type { Row } from "./measure.js";

const RUNS: readonly ((run: Run) => Promise<void>)[] = [
  ...FAULT_RUNS.map(({ run }) => run),
  restartedInTurn,
  ...killsOf({}).map(
    ({ at }) =>
      (run: Run) =>
        killedAt(run, at),
  ),
  ...AGAIN.map((steps) => (run: Run) => killedAt(run, ...steps)),
];

/** What became of messages in every fault run against every adapter, by what the fake platforms showed. */
export async function benchFaults(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const line of LINES) {
    const { lost, doubled, ...rest } = await sumOf(line);
    const name = line.way ?? line.tag;
    const note = `${RUNS.length} runs, ${rest.in} messages: ${rest.answered} answered, ${rest.failed} failed visibly, ${rest.unknown} unknown`;
    rows.push({ name: `${name} lost`, value: lost, unit: "messages", bound: { is: "<=", of: 0 }, note });
    rows.push({ name: `${name} doubled`, value: doubled, unit: "messages", bound: { is: "<=", of: 0 } });
  }
  return rows;
}

async function sumOf(line: Line): Promise<Counts> {
  const sum = { in: 0, answered: 0, failed: 0, unknown: 0, lost: 0, doubled: 0 };
  for (const fault of RUNS) {
    const counts = await counted(line, fault);
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name]; // its own names
  }
  return sum;
}

async function counted(line: Line, fault: (run: Run) => Promise<void>): Promise<Counts> {
  const ends: (() => unknown)[] = [];
  const run = await beginRun({ after: (end) => void ends.push(end as () => unknown) }, line); // ends of worlds take nothing
  try {
    await fault(run);
    return await countsOf(run);
  } finally {
    for (const end of ends) await end();
  }
}
