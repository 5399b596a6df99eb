import assert from "node:assert/strict";
import test from "node:test";
import unicode11 from "@xterm/addon-unicode11";
import xterm from "@xterm/headless";
import { paint } from "../app/paint.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Message } from "../model/messages.js";
import { update } from "../model/update.js";
import { titleSequence } from "../outside/notify.js";
import { createCellScreen } from "../terminal/screen.js";
import { PALETTES } from "../theme/palette.js";
import { sgrTable } from "../theme/sgr.js";
import { putRow } from "./canvas.js";
import { type Cell, drawLine, frame } from "./draw.js";
import { THEME } from "./theme.js";
import { measure } from "./width.js";

const COLUMNS = 40;
const ROWS = 6;
const KINDS = [
  "a",
  "Z",
  "~",
  "é",
  "ß",
  "ж",
  "ا",
  "א",
  "漢",
  "字",
  "ｱ",
  "한",
  "e\u0301",
  "क्ष",
  "😀",
  "👍🏽",
  "👨‍👩‍👧‍👦",
  "🇯🇵",
  "❤️",
  "☎",
  "⚠️",
  "✓",
  "│",
  "─",
  " ",
  "🏳️‍🌈",
];
const STYLES = Object.values(THEME);

function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

const blank = (): Cell[][] =>
  Array.from({ length: ROWS }, () => Array.from({ length: COLUMNS }, (): Cell => [THEME.text, " "]));

for (const version of ["11", "6"]) {
  test(`1,000 random frames of ${KINDS.length} kinds of clusters leave no wrong cell where widths are those of Unicode ${version}`, async () => {
    const next = chance(Number(version));
    const pick = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T; // never empty
    const term = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
    term.loadAddon(new unicode11.Unicode11Addon());
    term.unicode.activeVersion = version;
    const sgr = sgrTable("256");
    const now = blank();
    const was = blank();
    for (const line of was) for (const cell of line) [cell[0], cell[1]] = [-1, ""];
    for (let round = 0; round < 1_000; round++) {
      const y = Math.floor(next() * ROWS);
      const text = Array.from({ length: Math.floor(next() * 12) }, () => pick(KINDS)).join("");
      putRow(
        now,
        { x: Math.floor(next() * COLUMNS), y, width: 1 + Math.floor(next() * 20) },
        [[pick(STYLES), text]],
        THEME.text,
      );
      const body = now.map((line, at) => drawLine(at, line, was[at] ?? [], { sgr, links: false })).join("");
      await new Promise<void>((resolve) => term.write(frame(body, ""), resolve));
      for (let at = 0; at < ROWS; at++) compare(term, now, at, round);
    }
  });
}

/**
 * What every terminal agrees on stands in its place; what they do not agree on stands in none that is another's. The second half of a wide
 * cluster shows nothing, or a part of it where a terminal shows more of it than there is.
 */
function compare(term: InstanceType<typeof xterm.Terminal>, now: Cell[][], y: number, round: number): void {
  const line = term.buffer.active.getLine(y);
  for (const [x, [, cluster]] of (now[y] ?? []).entries()) {
    const shown = line?.getCell(x)?.getChars() || " ";
    if (cluster === "\0")
      assert.ok(
        shown === " " || now[y]?.[x - 1]?.[1].includes(shown),
        `frame ${round}, row ${y}, column ${x}: ${shown}`,
      );
    if (cluster === "\0" || measure(cluster).disputed) continue;
    assert.equal(shown, cluster, `frame ${round}, row ${y}, column ${x}`);
  }
}

const OWN = /\x1b\[[\d;?]*[ ]?[A-Za-z]|\x1b\]8;;[^\x1b]*\x1b\\/g;

test("W12: whatever bytes a text holds, no control byte of it reaches the terminal", async () => {
  const next = chance(3);
  const cells = await createCellScreen(80, 24, { depth: "256", palette: PALETTES.dark, ascii: false, links: true });
  const nasty = [
    "\x1b]52;c;aGk=\x07",
    "\x1b]0;t\x07",
    "\x1b[2J",
    "\x9b2J",
    "\x9d0;x\x9c",
    "\x1bP+q\x1b\\",
    "\x07",
    "\x0e",
    "\x1b[?1000h",
    "\r\n",
    "\x1bc",
  ];
  for (let round = 0; round < 300; round++) {
    const junk = () =>
      Array.from({ length: 20 }, () =>
        next() < 0.4 ? nasty[Math.floor(next() * nasty.length)] : String.fromCharCode(Math.floor(next() * 400)),
      ).join("");
    const messages: readonly Message[] = [
      { type: "session", id: "s", title: junk(), model: junk(), items: [] },
      { type: "chat", event: "turn.started", data: {} },
      { type: "chat", event: "message.added", data: { id: round, role: "user", content: junk() } },
      { type: "chat", event: "tool.started", data: { call_id: "c", name: junk(), preview: junk() } },
      { type: "chat", event: "text.delta", data: { text: junk() } },
      { type: "text", text: junk() },
      { type: "paste", text: junk() },
      { type: "say", text: junk(), error: true },
    ];
    let state = initialState(80, 24, { owner: true, keymap: BINDINGS });
    for (const message of messages) [state] = update(state, message);
    const { body } = paint(cells, state, (error) => {
      throw error;
    });
    assert.doesNotMatch(body.replace(OWN, ""), /[\x00-\x1f\x7f-\x9f]/, `round ${round}`);
    assert.doesNotMatch(titleSequence(state.session.title).slice(4, -1), /[\x00-\x1f\x7f-\x9f]/);
  }
  cells.close();
});
