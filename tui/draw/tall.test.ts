import assert from "node:assert/strict";
import { test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";
import { type Block, blockHeight, blockRows, blocksOf, grow, OPENING } from "./markdown.js";
import { type Anchor, type Entry, findVisibleRows, firstRow, type Part, scrolled, scrollToEntry } from "./viewport.js";

const line = (n: number) => `  const value${n} = await compute("text ${n}", { a: ${n} }); // ${"x".repeat(n % 90)}`;
const fence = (lines: number) => `\`\`\`ts\n${Array.from({ length: lines }, (_, n) => line(n)).join("\n")}\n\`\`\`\n`;

/** An entry of a hundred parts, and which of them were laid out. */
function tall(): { readonly entry: Entry; readonly laid: Set<number> } {
  const laid = new Set<number>();
  const parts = Array.from({ length: 100 }, (_, at): Part => {
    const rows = () => {
      laid.add(at);
      return Array.from({ length: 50 }, (_row, row) => [[0, `${at}.${row}`] as const]);
    };
    return { rows };
  });
  return { laid, entry: { key: "tall", size: parts.length, part: (at) => parts[at] ?? { rows: () => [] } } };
}

test("going to an entry that is much taller than the screen lays out what is seen of it alone", () => {
  const { entry, laid } = tall();
  const room = { width: 40, height: 20 };
  const anchor = scrollToEntry([entry], undefined, "tall", room);
  assert.equal(findVisibleRows([entry], anchor, room).rows[0]?.row[0]?.[1], "0.0");
  assert.ok(laid.size <= 4, `${laid.size} of 100 parts`);
});

test("parts that are taller than what is kept are not laid out again with every frame", () => {
  let made = 0;
  const part = (name: string): Part => ({
    rows: () => {
      made += 1;
      return Array.from({ length: 5_000 }, (_, row) => [[0, `${name}${row}`] as const]);
    },
  });
  const a = part("a");
  const b = part("b");
  const entry: Entry = { key: "e", size: 2, part: (at) => (at === 0 ? a : b) };
  const room = { width: 40, height: 20 };
  const anchor = scrolled([entry], undefined, -4_990, room); // both are seen
  findVisibleRows([entry], anchor, room);
  const before = made;
  for (let frame = 0; frame < 5; frame++) findVisibleRows([entry], anchor, room);
  assert.equal(made, before);
});

for (const width of [20, 80, 137])
  test(`how tall code is, is known at ${width} columns without its colours`, () => {
    const inside = blocksOf(grow(OPENING, fence(1_000))).filter((block: Block) => block.inside !== undefined);
    assert.ok(inside.length >= 4);
    for (const block of inside) {
      const told = blockHeight(block, width);
      assert.ok(told === undefined || told === blockRows(block, width).length, block.text.slice(0, 60));
    }
    assert.ok(inside.some((block) => blockHeight(block, width) !== undefined));
  });

const said = (id: number, role: "user" | "assistant", content: string): Message => ({
  type: "chat",
  event: "message.added",
  data: { id, role, content, session_id: "s", ordinal: id },
});

test("keys beside 5,000 lines of code lay out what is seen, and not all of it", () => {
  let laid = 0;
  const parts = blocksOf(grow(OPENING, fence(5_000))).map(
    (block): Part => ({
      rows: (width) => {
        laid += 1;
        return blockRows(block, width);
      },
      height: (width) => blockHeight(block, width),
    }),
  );
  assert.ok(parts.length > 20, `${parts.length} parts`);
  const entries = [{ key: "tall", size: parts.length, part: (at: number) => parts[at] ?? { rows: () => [] } }];
  const room = { width: 118, height: 36 };
  const keys: Readonly<Record<string, (anchor: Anchor | undefined) => Anchor | undefined>> = {
    k: (anchor) => scrolled(entries, anchor, -1, room),
    j: (anchor) => scrolled(entries, anchor, 1, room),
    g: () => firstRow(entries),
    G: () => undefined,
    "its beginning": (anchor) => scrollToEntry(entries, anchor, "tall", room),
  };
  let anchor: Anchor | undefined;
  for (const key of ["k", "j", "g", "j", "G", "k", "g", "G", "k", "its beginning"]) {
    laid = 0;
    anchor = keys[key]?.(anchor);
    assert.equal(findVisibleRows(entries, anchor, room).rows.length, room.height);
    assert.ok(laid <= 4, `${key}: ${laid} of ${parts.length} parts`);
  }
});

test("a message of 5,000 lines is folded to its ends, and unfolded it can be read from its beginning", async (t) => {
  const screen = await openScreen(120, 40);
  t.after(() => screen.close());
  const text = Array.from({ length: 5_000 }, (_, n) => `line ${n}.`).join("\n");
  const folded = await screen.send(
    { type: "session", id: "s", title: "t", model: "m", items: [] },
    said(1, "user", text),
    key("f2"),
  );
  const shown = folded.join("\n");
  assert.match(shown, / line 1\. *\n +… 4,996 more lines \(Space\) *\n line 4998\. *\n line 4999\./);
  const whole = (await screen.send({ type: "text", text: " " }, { type: "text", text: "g" })).join("\n");
  assert.match(whole, / line 0\. *\n line 1\. *\n line 2\. *\n line 3\./);
  assert.match((await screen.send({ type: "text", text: "G" })).join("\n"), /line 4999\./);
});

test("code in a message keeps its indentation and its columns", async (t) => {
  const screen = await openScreen(80, 24);
  t.after(() => screen.close());
  const text = "if (a) {\n    b();\n}\na    = 1";
  const shown = (
    await screen.send({ type: "session", id: "s", title: "t", model: "m", items: [] }, said(1, "user", text))
  ).join("\n");
  assert.match(shown, / if \(a\) \{ *\n {5}b\(\); *\n \} *\n a {4}= 1/);
});
