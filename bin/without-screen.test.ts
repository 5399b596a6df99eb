import assert from "node:assert/strict";
import test from "node:test";
import type { UnderWay } from "../lib/contracts/owner/owner.js";
import type { LocalOwner } from "./local-owner.js";
import { afterTerminal, renderContinuing } from "./without-screen.js";

const NOTHING: UnderWay = { turns: [], children: [], processes: [], workers: [] };

/** An owner with these settings and this work. */
function ownerWith(after: string, work: UnderWay, clients = 0): LocalOwner {
  const settings: Readonly<Record<string, unknown>> = { "owner.after_terminal": after, "owner.linger_seconds": 0 };
  const host = {
    config: { get: ({ key }: { key: string }) => settings[key] },
    app: {
      owner: { underWay: async () => work, status: async () => ({ clients }) },
      options: { log: { warning: () => undefined } },
    },
  };
  return { host, stop: async () => 0 } as unknown as LocalOwner; // what is looked at of an owner
}

const CASES: readonly (readonly [name: string, after: string, work: UnderWay, clients: number, ends: boolean])[] = [
  ["stop ends at once, whatever is under way", "stop", { ...NOTHING, turns: ["t"] }, 1, true],
  ["finish ends when nothing is left", "finish", NOTHING, 0, true],
  ["finish goes on while a turn runs", "finish", { ...NOTHING, turns: ["t"] }, 0, false],
  ["finish goes on while a board worker runs", "finish", { ...NOTHING, workers: ["t_1"] }, 0, false],
  ["finish goes on while a front end is attached", "finish", NOTHING, 1, false],
  ["stay goes on with nothing left", "stay", NOTHING, 0, false],
];

for (const [name, after, work, clients, ends] of CASES)
  test(`W14: a lost terminal: ${name}`, async () => {
    const stop = new AbortController();
    let ended = false;
    const waiting = afterTerminal(ownerWith(after, work, clients), stop.signal).then(() => {
      ended = true;
    });
    for (let round = 0; round < 20; round++) await new Promise<void>((resolve) => setImmediate(resolve));
    assert.equal(ended, ends);
    stop.abort();
    await waiting;
  });

const WORK: readonly (readonly [Partial<UnderWay>, RegExp])[] = [
  [{ turns: ["a"] }, /^1 turn continues in process \d+\. /],
  [{ turns: ["a", "b"], workers: ["t_1"] }, /^2 turns, 1 run continue in /],
  [{ children: ["a", "b"] }, /^2 children continue in /],
  [{ processes: ["a", "b"] }, /^2 background processes continue in /],
  [{}, /^Nothing is running in /],
];
for (const [work, text] of WORK)
  test(`going on without a screen says what goes on: ${text.source}`, () => {
    const told = renderContinuing({ ...NOTHING, ...work });
    assert.match(told, text);
    assert.match(told, /`agent` in another terminal shows it; Ctrl\+C here stops it gracefully\.$/);
  });
