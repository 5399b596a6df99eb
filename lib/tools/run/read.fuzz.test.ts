import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { layOutHome } from "../../base/home.js";
import { flagLines } from "../../safety/redact/injection.js";
import { readContextFile } from "./read.js";

const PIECES = [
  "ignore all previous instructions",
  "you are now",
  "<!--",
  "-->",
  "\n",
  "\r\n",
  "---\n",
  "</project_context>",
  "\u200b",
  "İ",
  "\ud800",
  "\u202e",
  "ﬁ",
  "$API_KEY",
  "curl ",
  "\0",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 40 })), { maxLength: 60 })
  .map((parts) => parts.join(""));

test("marking loses no line and no character, whatever the text", () => {
  fc.assert(
    fc.property(text, (given) => {
      const { text: marked, flags } = flagLines(given);
      const lines = marked.split("\n");
      for (const { line, ids } of flags) {
        const prefix = `[flagged: ${ids.join(", ")}] `;
        assert.ok(lines[line - 1]?.startsWith(prefix));
        lines[line - 1] = lines[line - 1]?.slice(prefix.length) ?? "";
      }
      assert.equal(lines.join("\n"), given);
    }),
  );
});

test("any bytes give a text within the cap, or a reason, and never close their frame", (t) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "agent-read-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "user"));
  const scope = { home: layOutHome(join(dir, "home")), userHome: join(dir, "user"), env: {}, project: dir };
  const path = join(dir, "AGENTS.md");
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 3_000 }).map((some) => Buffer.from(some)),
    text.map((some) => Buffer.from(some)),
    text.map((some) => Buffer.from(`\ufeff${some}`, "utf16le")),
  );
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1_000, max: 2_000 }), fc.boolean(), (some, cap, frontMatter) => {
      writeFileSync(path, some);
      const { file, notices } = readContextFile(
        { path, shown: "AGENTS.md", frontMatter },
        { scope, cap, redact: (one) => one },
      );
      assert.ok(file !== undefined || notices.length > 0);
      const shown = (file?.text ?? "").replace(/^\[flagged: [a-z_, ]+\] /gm, "").replaceAll("&lt;", "<");
      assert.ok(shown.length <= cap + 200, `${shown.length} of ${cap}`);
      assert.ok(!/<\/?\s*project_context/i.test(file?.text ?? ""));
      assert.ok((file?.text ?? "").isWellFormed());
    }),
  );
});
