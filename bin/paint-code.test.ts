import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../fixtures/ports/clock.js";
import { THEME } from "../tui/draw/theme.js";
import { createCodePainter } from "./paint-code.js";

test("the thread of the build colours code by its grammar", async () => {
  const painted = await createCodePainter(manualClock())({ lang: "ts", lines: ["// x", "const a = 1;"] });
  assert.deepEqual(painted?.[0], [[THEME.codeComment, "// x"]]);
  assert.deepEqual(painted?.[1]?.[0], [THEME.codeKeyword, "const"]);
});

/** A grammar needs many seconds for it. */
const HARD = { lang: "java", lines: ["$".repeat(20_000)] };

test("code on which a grammar works without end is given up after two seconds, and the next piece gets its colours", async () => {
  const clock = manualClock();
  const paint = createCodePainter(clock);
  const hard = paint(HARD);
  await clock.waitsFor(2_000);
  clock.advance(2_000);
  assert.equal(await hard, undefined);
  assert.deepEqual(await paint({ lang: "py", lines: ["# x"] }), [[[THEME.codeComment, "# x"]]]);
});
