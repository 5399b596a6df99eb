import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { bundleProgram } from "../fixtures/worlds/program.js";

/**
 * A process of its own: what the engine keeps for new objects never becomes smaller, and other tests may have made it grow to its end. The objects
 * outlive a collection or two.
 */
const CODE = `
import { getHeapSpaceStatistics } from "node:v8";
import { youngMemory } from "./bin/young-memory.ts";

function work() {
  const held = [];
  for (let made = 0; made < 400_000; made++) held[made % 20_000] = { made, pair: [made, made] };
  return getHeapSpaceStatistics().find((one) => one.space_name === "new_space").space_size;
}

youngMemory(false);
const [first, second] = [work(), work()];
youngMemory(true);
process.stdout.write([first, second, work()].join(" "));
`;

test("memory for new objects stays as it is in a front end, and grows in an owner", async (t) => {
  const program = await bundleProgram({ code: CODE });
  t.after(program.remove);
  const [first = 0, second = 0, grown = 0] = execFileSync(process.execPath, [program.file], { encoding: "utf8" })
    .split(" ")
    .map(Number);
  assert.ok(first > 0 && second <= first, `${first} bytes before, ${second} now`);
  assert.ok(grown > first, `${first} bytes as before`);
});
