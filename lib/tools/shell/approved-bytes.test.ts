import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import terminal from "./terminal.js";

/** Ends of a command that something on the way might change. */
const ENDS: readonly (readonly [what: string, text: string])[] = [
  ["blanks at its end", ": x  \t "],
  ["a line end", ": x\n"],
  ["Windows line ends", ": x\r\n: y\r"],
  ["composed and decomposed letters", ": \u00e9 e\u0301"],
  ["characters beyond the first plane", ": 👩‍🚀 𝒳"],
  ["characters that turn the direction", ": \u202eabc\u202c"],
  ["quotes and backslashes", ": 'a'\\''b' \"\\$x\" $'\\x41' \\\\"],
  ["a here-document", "cat <<'E' >/dev/null\n$x `y`\nE\n"],
  ["variables and substitutions", ": $HOME $(echo y) `true`"],
  ["marks that look like secrets of nobody", ": «secret:api_key:9»"],
];

for (const [what, end] of ENDS) {
  test(`a command with ${what} runs as it was shown, byte by byte, however often`, async (t) => {
    proves(t, "R5");
    const { project, asked, run } = bench(t);
    const command = `printf %s "$1" > ran; ${end}`; // a shell evaluates its first argument
    for (const round of [0, 1, 2]) {
      await run(terminal, { command });
      assert.deepEqual([asked[round]?.command, readFileSync(join(project, "ran"), "utf8")], [command, command]);
    }
  });
}
