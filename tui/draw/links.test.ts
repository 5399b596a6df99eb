import assert from "node:assert/strict";
import { test } from "node:test";
import xterm from "@xterm/headless";
import { displayAtFirst } from "../app/display.js";
import { paint } from "../app/paint.js";
import { rowBytes } from "../inline/bytes.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Message } from "../model/messages.js";
import { update } from "../model/update.js";
import { createCellScreen } from "../terminal/screen.js";
import { PALETTES } from "../theme/palette.js";
import { sgrTable } from "../theme/sgr.js";
import { frame } from "./draw.js";
import { linkOf, linkSequence, linkTo } from "./links.js";
import { rowsOfMarkdown } from "./markdown.js";
import { italic, onBand, onto, THEME } from "./theme.js";

const SITE = "https://example.org/a";
const LINKS = /\x1b\]8;;([^\x1b]*)\x1b\\/g;
const sequence = (address: string): string => `\x1b]8;;${address}\x1b\\`;

/** Bytes of a screen that shows a question and its answer, and its lines on an emulated terminal. */
async function shown(text: string, links: boolean, columns = 80) {
  const messages: readonly Message[] = [
    { type: "session", id: "s", title: "", model: "m", items: [] },
    { type: "chat", event: "message.added", data: { id: 1, role: "user", content: "where?" } },
    { type: "chat", event: "message.added", data: { id: 2, role: "assistant", content: text } },
  ];
  let state = initialState(columns, 24, { owner: true, keymap: BINDINGS });
  for (const message of messages) [state] = update(state, message);
  const screen = await createCellScreen(columns, 24, { depth: "256", palette: PALETTES.dark, ascii: false, links });
  const { body } = paint(screen, state, (error) => assert.fail(String(error)));
  screen.close();
  const term = new xterm.Terminal({ cols: columns, rows: 24, allowProposedApi: true });
  await new Promise<void>((resolve) => term.write(frame(body, ""), resolve));
  const lines = Array.from({ length: 24 }, (_, y) => term.buffer.active.getLine(y)?.translateToString(true) ?? "");
  return { body, lines, addresses: [...body.matchAll(LINKS)].map(([, address = ""]) => address) };
}

/** Addresses that Markdown leads to, in order. */
const linksIn = (text: string): readonly string[] =>
  rowsOfMarkdown(text, 200)
    .flat()
    .filter(([style]) => linkOf(style) > 0)
    .map(([style, part]) => `${part.trim()} -> ${linkSequence(style).slice(5, -2)}`);

test("links of an answer can be clicked where the terminal knows links, and nothing moves for it", async () => {
  const text = `See [the docs](${SITE}), <https://example.org/b> or https://example.org/c.`;
  const on = await shown(text, true);
  const off = await shown(text, false);
  assert.deepEqual(on.addresses.filter(Boolean), [SITE, "https://example.org/b", "https://example.org/c"]);
  assert.deepEqual(on.lines, off.lines);
  assert.match(on.lines.join("\n"), /See the docs \(https:\/\/example\.org\/a\), https:\/\/example\.org\/b or/);
  assert.equal(on.body.replace(LINKS, ""), off.body);
  assert.deepEqual(off.addresses, []);
});

test("a link that is wrapped leads to its whole address from each of its rows, and ends with each", async () => {
  const long = `https://example.org/${"x".repeat(100)}`;
  const { addresses } = await shown(long, true, 60);
  assert.deepEqual(addresses, [long, "", long, "", long, ""]);
});

test("where a link leads stands beside it, also when its text names another address", () => {
  assert.deepEqual(linksIn(`[https://good.example](${SITE})`), [
    `https://good.example -> ${SITE}`,
    `(${SITE}) -> ${SITE}`,
  ]);
  assert.deepEqual(linksIn(`<a href="${SITE}">here</a>`), [`here -> ${SITE}`, `(${SITE}) -> ${SITE}`]);
});

for (const [name, address] of [
  ["a script", "javascript:alert(1)"],
  ["data", "data:text/html,x"],
  ["a program's own scheme", "vscode://open?x"],
  ["a path", "../README.md"],
  ["an address with an escape", "https://example.org/\x1b]0;x\x07"],
  ["an address with other letters than ASCII", "https://example.org/ä"],
  ["an address of more than 2,000 characters", `https://example.org/${"x".repeat(2_000)}`],
] as const)
  test(`${name} is shown and is not a link`, () => {
    assert.equal(linkTo(THEME.link, address), THEME.link);
    assert.deepEqual(linksIn(`[x](${address})`), []);
  });

test("a link stays one in a heading, and whatever colours a style gets", () => {
  assert.deepEqual(linksIn(`# [docs](${SITE})`), [`docs (${SITE}) -> ${SITE}`]);
  const style = linkTo(THEME.link, SITE);
  for (const changed of [italic(style), onBand(style), onto(style, THEME.selection)])
    assert.equal(linkSequence(changed), sequence(SITE));
});

test("a thousand addresses later a row still leads to its own", () => {
  const first = linkTo(THEME.link, "https://example.org/first");
  for (let at = 0; at < 1_000; at++) linkTo(THEME.link, `https://example.org/${at}`);
  assert.equal(linkSequence(first), sequence("https://example.org/first"));
  assert.equal(linkOf(THEME.link), 0);
});

test("links are made on terminals that announce them, and never on a dumb one or behind a multiplexer", () => {
  const made = (env: Readonly<Record<string, string>>): boolean => displayAtFirst(env).hyperlinks;
  const known = { TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" };
  assert.deepEqual(
    [made(known), made({ TERM: "xterm-kitty" }), made({ TERM: "xterm", VTE_VERSION: "7200" })],
    [true, true, true],
  );
  assert.deepEqual(
    [made({ TERM: "xterm" }), made({ ...known, TERM: "dumb" }), made({ ...known, TMUX: "x" })],
    [false, false, false],
  );
});

test("line mode writes links where the terminal knows them, and none into a pipe", () => {
  const [row = []] = rowsOfMarkdown(`[docs](${SITE}) end`, 80);
  const sgr = sgrTable("none");
  const bytes = rowBytes(row, { sgr, links: true });
  assert.equal(bytes.replace(LINKS, ""), rowBytes(row, { sgr, links: false }));
  assert.deepEqual(
    [...bytes.matchAll(LINKS)].map(([, address]) => address),
    [SITE, ""],
  );
});
