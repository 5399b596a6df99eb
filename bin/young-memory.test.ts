import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { getHeapSpaceStatistics } from "node:v8";
import { youngMemory } from "./young-memory.js";

const size = (): number => getHeapSpaceStatistics().find((one) => one.space_name === "new_space")?.space_size ?? Number.NaN;

/** Objects that outlive a collection or two. */
function work(): void {
  const held: object[] = [];
  for (let made = 0; made < 400_000; made++) held[made % 20_000] = { made, pair: [made, made] };
}

describe("memory for new objects", () => {
  it("stays as it is in a front end, and grows in an owner", () => {
    youngMemory(false);
    work();
    const first = size();
    work();
    assert.ok(size() <= first, `${first} bytes before, ${size()} now`);
    youngMemory(true);
    work();
    assert.ok(size() > first, `${first} bytes as before`);
  });
});
