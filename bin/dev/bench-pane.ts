import { manyCards } from "../../fixtures/tui/many-cards.js";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { sanitizeLine } from "../../tui/draw/sanitize.js";
import type { Row } from "./measure.js";

const RUNS = 60;

/** Milliseconds of the middle one of several runs, the emulator's own work included. */
async function middle(runs: number, run: (at: number) => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let at = 0; at < runs; at++) {
    const began = performance.now();
    await run(at);
    took.push(performance.now() - began);
  }
  return took.toSorted((a, b) => a - b)[runs >> 1] ?? 0;
}

const row = (what: string, value: number, of: number): Row => ({
  name: `board pane of 10,000 tasks: ${what}`,
  value,
  unit: "ms",
  bound: { is: "<=", of },
});

/** The board of 10,000 tasks on the screen (workspace part, 19): state, drawing and the bytes to an emulated terminal of 160 x 40. */
export async function benchPane(): Promise<Row[]> {
  const screen = await openScreen(160, 40);
  try {
    const { read, change } = manyCards(10_000);
    await screen.send(key("f3"), key("f8"));
    const drawn = await middle(5, () => screen.send(read));
    const moved = await middle(RUNS, (at) => screen.send(key(at % 3 === 0 ? "pagedown" : "down")));
    const changed = await middle(RUNS, (at) => screen.send(change(at * 97, sanitizeLine(`changed ${at}`))));
    await screen.send({ type: "text", text: "V" });
    const listed = await middle(RUNS, () => screen.send(key("down")));
    return [
      row("first drawing", drawn, 200),
      row("cursor, columns", moved, 20),
      row("cursor, list", listed, 20),
      row("one change", changed, 20),
    ];
  } finally {
    screen.close();
  }
}
