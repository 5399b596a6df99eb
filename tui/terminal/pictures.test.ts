import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { noisyPng, plainPng } from "../../fixtures/sim/made-pictures.js";
import { type Display, displayAtFirst, displayFrom } from "../app/display.js";
import { putRow } from "../draw/canvas.js";
import { areaFor, markOf } from "../draw/pictures.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { State } from "../model/state.js";
import { PALETTES } from "../theme/palette.js";
import { type PictureProtocol, pictureBytes, toSixel } from "./picture-bytes.js";
import { createPictureLayer } from "./picture-layer.js";
import { createCellScreen } from "./screen.js";
import { terminalReducer } from "./terminal-reducer.js";

const LOOK = { depth: "256", palette: PALETTES.dark, ascii: false, links: false } as const;
let files = 0;

/** A screen of 20 by 10 with one picture of 4 by 2 cells, whose bytes are `<PICTURE>`. */
async function screenWith(protocol: PictureProtocol | undefined) {
  let ready: () => void = () => undefined;
  const changed = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const layer = createPictureLayer(
    () => ready(),
    async () => "<PICTURE>",
  );
  const look = protocol === undefined ? LOOK : { ...LOOK, pictures: protocol };
  const screen = await createCellScreen(20, 10, look, layer);
  const mark = markOf({ path: `/picture-${files++}.png`, columns: 4, rows: 2 }) ?? assert.fail("no mark");
  /** The picture's upper left corner; outside of the screen it is cut. */
  const show = (x: number, y: number, over?: number) =>
    screen.compose((lines) => {
      for (let row = 0; row < 10; row++) putRow(lines, { x: 0, y: row, width: 20 }, [], 0);
      for (let row = 0; row < 2; row++) putRow(lines, { x, y: y + row, width: 20 }, [[0, mark.repeat(4)]], 0);
      if (over !== undefined) putRow(lines, { x: 0, y: over, width: 20 }, [[0, "a dialog over everything"]], 0);
    });
  return { screen, layer, show, changed };
}

const KITTY_PUT = /<PICTURE>\x1b\[4;3H\x1b_Ga=p,i=(\d+),p=1,c=4,r=2,C=1,q=2\x1b\\$/;

test("a mark in someone's text reaches no terminal, also before there is any picture", async () => {
  const screen = await createCellScreen(
    20,
    10,
    { ...LOOK, pictures: "kitty" },
    createPictureLayer(() => undefined),
  );
  const bytes = screen.compose((lines) => putRow(lines, { x: 0, y: 0, width: 20 }, [[0, "a\u{100000}b"]], 0));
  assert.match(bytes, /a b/);
  assert.doesNotMatch(bytes, /\u{100000}/u);
  screen.close();
});

test("kitty: a picture is sent once, moves by its number when it scrolls, and goes when it is cut, covered or left", async () => {
  const { show, changed, screen, layer } = await screenWith("kitty");
  assert.doesNotMatch(show(2, 3), /PICTURE|\x1b_G/, "its bytes are on their way");
  await changed;
  const id = KITTY_PUT.exec(show(2, 3))?.[1];
  assert.ok(id !== undefined);
  assert.equal(show(2, 3), "", "nothing has changed");
  assert.match(show(2, 1), new RegExp(`\\x1b\\[2;3H\\x1b_Ga=p,i=${id},p=1,c=4,r=2,C=1,q=2\\x1b\\\\$`));
  assert.match(show(2, -1), new RegExp(`\\x1b_Ga=d,d=i,i=${id},p=1,q=2\\x1b\\\\$`), "half of it is above the edge");
  assert.doesNotMatch(show(2, 5), /PICTURE/, "the terminal still has it");
  assert.match(show(2, 5, 6), new RegExp(`\\x1b_Ga=d,d=i,i=${id},p=1`), "a dialog covers it");
  show(2, 5);
  screen.forget();
  assert.match(show(2, 5), /\x1b_Ga=d,d=A,q=2\x1b\\<PICTURE>\x1b\[6;3H/, "another program had the terminal");
  assert.equal(layer.clear(), "\x1b_Ga=d,d=A,q=2\x1b\\");
  assert.equal(layer.clear(), "");
  screen.close();
});

test("through tmux: a picture is passed on once, its cells stand for it, and they are written again where it was", async () => {
  const { show, changed, screen, layer } = await screenWith("placeholders");
  show(2, 3);
  await changed;
  const cells =
    /^(<PICTURE>)?\x1b\[0;38;5;(\d+)m\x1b\[4;3H(?:\u{10eeee}\u0305){4}\x1b\[5;3H(?:\u{10eeee}\u030d){4}\x1b\[0m$/u;
  const [, sent, colour] = cells.exec(show(2, 3)) ?? [];
  assert.equal(sent, "<PICTURE>");
  assert.ok(Number(colour) >= 40 && Number(colour) < 240);
  assert.equal(show(2, 3), "");
  const moved = show(2, 5);
  assert.doesNotMatch(moved, /PICTURE/);
  assert.match(moved, /\x1b\[4;3H.* {4}.*\x1b\[6;3H(?:\u{10eeee}\u0305){4}/su);
  assert.equal(layer.clear(), "\x1bPtmux;\x1b\x1b_Ga=d,d=A,q=2\x1b\x1b\\\x1b\\");
  screen.close();
});

for (const protocol of ["iterm", "sixel"] as const)
  test(`${protocol}: a picture is drawn behind its cells, and they are written again where it was`, async () => {
    const { show, changed, screen, layer } = await screenWith(protocol);
    show(2, 3);
    await changed;
    assert.match(show(2, 3), /\x1b\[4;3H<PICTURE>$/);
    assert.equal(show(2, 3), "");
    const moved = show(2, 5);
    assert.match(moved, /\x1b\[4;3H.* {4}.*\x1b\[5;3H.* {4}.*\x1b\[6;3H<PICTURE>$/s);
    assert.doesNotMatch(show(2, 9), /PICTURE/, "its lower half is below the edge");
    assert.equal(layer.clear(), "");
    screen.close();
  });

test("without a protocol, no byte of a picture or of its marks reaches the terminal", async () => {
  const { show, screen } = await screenWith(undefined);
  assert.doesNotMatch(show(2, 3), /[\u{100000}-\u{10ffff}]|PICTURE|\x1b_G/u);
  screen.close();
});

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "agent-pictures-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("the bytes of each protocol are as it wants them", async (t) => {
  const path = join(folder(t), "red.png");
  writeFileSync(path, await plainPng({ width: 400, height: 300 }, "#ff0000"));
  const area = { path, columns: 8, rows: 3 };
  const kitty = (await pictureBytes("kitty", area, 7)) ?? "";
  assert.match(kitty, /^\x1b_Ga=t,f=100,i=7,q=2,m=0;iVBORw0KGgo[\w+/=]+\x1b\\$/);
  const passed = (await pictureBytes("placeholders", area, 7)) ?? "";
  assert.match(passed, /^\x1bPtmux;\x1b\x1b_Ga=T,U=1,f=100,i=47,c=8,r=3,q=2,m=0;iVBORw0KGgo[\w+/=]+\x1b\x1b\\\x1b\\$/);
  const iterm = (await pictureBytes("iterm", area, 7)) ?? "";
  assert.match(
    iterm,
    /^\x1b\]1337;File=inline=1;size=\d+;width=8;height=3;preserveAspectRatio=1;doNotMoveCursor=1:iVBORw0KGgo[\w+/=]+\x07$/,
  );
  const sixel = (await pictureBytes("sixel", area, 7)) ?? "";
  assert.match(sixel, /^\x1bPq"1;1;64;48#180;2;100;0;0(?:#180!64~-){7}#180!64~\x1b\\$/);
  assert.equal(await pictureBytes("kitty", { ...area, path: `${path}.gone` }, 7), undefined);
});

test("a large picture goes to kitty in pieces of 4096 characters", async (t) => {
  const path = join(folder(t), "noise.png");

  writeFileSync(path, await noisyPng({ width: 200, height: 100 }));
  const pieces = ((await pictureBytes("kitty", { path, columns: 20, rows: 5 }, 7)) ?? "").split("\x1b\\").slice(0, -1);
  assert.ok(pieces.length > 2);
  assert.match(pieces[0] ?? "", /^\x1b_Ga=t,f=100,i=7,q=2,m=1;.{4096}$/);
  assert.match(pieces[1] ?? "", /^\x1b_Gm=1;.{4096}$/);
  assert.match(pieces.at(-1) ?? "", /^\x1b_Gm=0;/);
});

test("sixels of two colours in one band are written one after the other", () => {
  const data = Uint8Array.from([255, 0, 0, 0, 0, 255]);
  assert.equal(toSixel({ width: 2, height: 1, data }), '\x1bPq"1;1;2;1#180;2;100;0;0#5;2;0;0;100#180@?$#5?@\x1b\\');
});

test("a picture takes room in its proportions, within the free columns", () => {
  const { columns, rows } = areaFor({ path: "/a", width: 1600, height: 900 }, 40);
  assert.deepEqual([columns, rows], [39, 11]);
  assert.deepEqual(areaFor({ path: "/a", width: 1, height: 9_000 }, 40), { path: "/a", columns: 1, rows: 14 });
});

const ANSWERS: readonly (readonly [string, readonly string[], string])[] = [
  ["kitty by its name", ["?62;c", ">|kitty(0.36.4)"], "kitty"],
  ["ghostty", [">|ghostty 1.2.0"], "kitty"],
  ["iTerm2, which knows sixels as well", [">|iTerm2 3.5.10", "?62;4c"], "iterm"],
  ["WezTerm, whose abilities come first", ["?65;4;6;18;22c", ">|WezTerm 20240203-110809"], "iterm"],
  ["xterm with sixels", [">|XTerm(390)", "?64;1;2;4;6;9;15c"], "sixel"],
  ["one without", [">|XTerm(390)", "?64;1;2;6;9;15c"], "off"],
  ["one of level 4 without sixels", ["?4;6c"], "off"],
  ["one that answers nothing", [], "off"],
];

for (const [name, texts, expected] of ANSWERS)
  test(`a terminal is found by what it answers: ${name}`, () => {
    const shown = (display: Display) => {
      const first: State = { ...initialState(80, 24, { owner: false, keymap: BINDINGS }), display };
      const last = texts.reduce((state, text) => terminalReducer(state, { type: "reply", text })?.[0] ?? state, first);
      // The settings of the owner come later than the answers.
      return terminalReducer(last, { type: "display", display })?.[0].display.pictures;
    };
    assert.equal(shown(displayAtFirst({ TERM: "xterm-256color" })), expected);
    assert.equal(shown(displayAtFirst({ TERM: "xterm-256color", TMUX: "/tmp/tmux" })), "off", "not through tmux");
    const off = displayFrom({ values: { "display.pictures": "off" }, themes: [] }, { TERM: "xterm-256color" });
    assert.equal(shown(off), "off", "the setting is stronger");
  });

test("tmux that passes pictures on decides inside tmux, unless the setting is off or another protocol", () => {
  const shown = (wanted: string, env: Readonly<Record<string, string>>) => {
    const display = displayFrom({ values: { "display.pictures": wanted }, themes: [] }, env);
    const first: State = { ...initialState(80, 24, { owner: false, keymap: BINDINGS }), display };
    return terminalReducer(first, { type: "tmux.pictures" })?.[0].display.pictures;
  };
  const TMUX = { TERM: "tmux-256color", TMUX: "/tmp/tmux" };
  assert.equal(shown("auto", TMUX), "placeholders");
  assert.equal(shown("kitty", TMUX), "placeholders");
  for (const wanted of ["off", "iterm", "sixel"]) assert.equal(shown(wanted, TMUX), "off");
  assert.equal(shown("auto", { ...TMUX, STY: "1.screen" }), "off");
  assert.equal(shown("auto", { TERM: "xterm-kitty" }), "kitty");
});

test("the terminal is found by its environment, a setting comes first, and inside tmux there are no pictures", () => {
  const found = (env: Readonly<Record<string, string>>, wanted = "auto") =>
    displayFrom({ values: { "display.pictures": wanted }, themes: [] }, env).pictures;
  assert.equal(found({ TERM: "xterm-kitty" }), "kitty");
  assert.equal(found({ TERM_PROGRAM: "ghostty" }), "kitty");
  assert.equal(found({ TERM_PROGRAM: "iTerm.app" }), "iterm");
  assert.equal(found({ TERM_PROGRAM: "WezTerm" }), "iterm");
  assert.equal(found({ TERM: "foot" }), "sixel");
  assert.equal(found({ TERM: "xterm-256color" }), "off");
  assert.equal(found({ TERM: "xterm-256color" }, "sixel"), "sixel");
  assert.equal(found({ TERM: "xterm-kitty" }, "off"), "off");
  assert.equal(found({ TERM: "xterm-kitty", TMUX: "/tmp/tmux" }, "kitty"), "off");
  assert.equal(displayAtFirst({ TERM: "xterm-kitty" }).pictures, "kitty");
});
