import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Migration, Store } from "../store.js";
import { bodyCases } from "./bodies.js";
import { type ContractCase, type ContractWorld, migrationsTo } from "./case.js";
import { durabilityCases } from "./durability.js";
import { eventCases } from "./events.js";
import { scriptCases } from "./scripts.js";
import { statementCases } from "./statements.js";
import { valueCases } from "./values.js";

/** How the suite opens stores of one engine. */
export interface ContractEngine {
  readonly name: string;
  /** Open the store whose main file is `path`. The directory exists. The suite closes it. */
  open(how: { path: string; migrations: readonly Migration[]; readonly: boolean; rehearse: boolean }): Promise<Store>;
  /** Cases that the engine cannot do, with the reason. One that passes anyway fails the suite. */
  readonly skip?: readonly { readonly case: string; readonly reason: string }[];
}

/** What every engine has to do alike, as tests of the running file. */
const CONTRACT_CASES: readonly ContractCase[] = [
  ...valueCases,
  ...statementCases,
  ...bodyCases,
  ...scriptCases,
  ...eventCases,
  ...durabilityCases,
];

/** Run the whole suite on an engine. */
export function storeContract(engine: ContractEngine): void {
  for (const one of CONTRACT_CASES) {
    const skipped = engine.skip?.find((entry) => entry.case === one.name);
    test(`${engine.name}: ${one.name}${skipped ? ` (not here: ${skipped.reason})` : ""}`, async (t) => {
      const world = createWorld(t, engine);
      if (!skipped) await one.run(world);
      else await assert.rejects(async () => one.run(world), `${one.name} is skipped, and works`);
    });
  }
}

/** Real files in memory where the system has that: the suite asks what engines answer, not what the disk keeps. */
const QUICK = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

function createWorld(t: TestContext, engine: ContractEngine): ContractWorld {
  const dir = mkdtempSync(join(QUICK, "contract-"));
  const opened: Store[] = [];
  t.after(async () => {
    for (const store of opened) await store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const open: ContractWorld["open"] = async (how = {}) => {
    const { schema = 1, readonly = false, rehearse = false, name = "store.db" } = how;
    const store = await engine.open({ path: join(dir, name), migrations: migrationsTo(schema), readonly, rehearse });
    opened.push(store);
    return store;
  };
  return { dir, open };
}
