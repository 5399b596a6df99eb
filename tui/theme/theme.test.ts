import assert from "node:assert/strict";
import test from "node:test";
import { DISPLAY, displayFrom } from "../app/display.js";
import { toAscii } from "../draw/ascii.js";
import { FRAMES, GLYPH, SCROLLBAR } from "../draw/glyphs.js";
import { italic, SLOTS, THEME } from "../draw/theme.js";
import { measure } from "../draw/width.js";
import { contrast, nearest256 } from "./colour.js";
import { chooseTheme } from "./own.js";
import { PALETTES } from "./palette.js";
import { depthFrom, hasItalic, sgrTable } from "./sgr.js";

const READABLE = 4.5;

for (const [name, { grounds, inks }] of Object.entries(PALETTES)) {
  test(`every text of the theme ${name} stands out from its background`, () => {
    for (const slot of SLOTS) {
      const { fg, bg } = inks[slot];
      const behind = bg === undefined ? grounds : [bg.rgb];
      if (fg === undefined) continue;
      for (const ground of behind)
        assert.ok(
          contrast(fg.rgb, ground) >= READABLE,
          `${slot} on #${ground.toString(16)}: ${contrast(fg.rgb, ground).toFixed(2)}`,
        );
    }
  });
}

for (const [name, { inks }] of Object.entries(PALETTES))
  test(`who speaks and what is folded stand out from the band of the theme ${name}`, () => {
    const ground = inks.band.bg;
    if (ground === undefined) return;
    for (const slot of ["user", "dim"] as const) {
      const ratio = contrast(inks[slot].fg?.rgb ?? 0, ground.rgb);
      assert.ok(ratio >= READABLE, `${slot}: ${ratio.toFixed(2)}`);
    }
  });

for (const [name, { inks }] of Object.entries(PALETTES))
  test(`what you said is seen on its band in the theme ${name} with sixteen colours`, () => {
    const ground = inks.band.bg?.basic;
    if (ground === undefined) return;
    assert.notEqual(ground, inks.text.bg?.basic);
    for (const slot of ["user", "dim", "band"] as const) assert.notEqual(inks[slot].fg?.basic, ground, slot);
  });

test("italic is underlined where the terminal has none", () => {
  assert.equal(sgrTable("16", PALETTES.dark, true)(italic(THEME.text)), "\x1b[0;3m");
  assert.equal(sgrTable("16", PALETTES.dark, false)(italic(THEME.text)), "\x1b[0;4m");
  assert.deepEqual(
    ["xterm-256color", "tmux-256color", "xterm-kitty", "linux", "screen", "screen-256color", "vt100"].map((TERM) =>
      hasItalic({ TERM }),
    ),
    [true, true, true, false, false, false, false],
  );
});

test("W24: a terminal gets the colours it has", () => {
  assert.equal(sgrTable("truecolor")(THEME.error), "\x1b[0;38;2;255;138;128m");
  assert.equal(sgrTable("256")(THEME.error), `\x1b[0;38;5;${nearest256(0xff8a80)}m`);
  assert.equal(sgrTable("16")(THEME.error), "\x1b[0;91m");
  assert.equal(sgrTable("none")(THEME.error), "\x1b[0;1m");
});

test("what is selected and what has the focus is seen without colour", () => {
  const none = sgrTable("none");
  assert.equal(none(THEME.selection), "\x1b[0;7m");
  assert.notEqual(none(THEME.focus), none(THEME.border));
  assert.doesNotMatch(Object.values(THEME).map(none).join(""), /[34]8;|;[349]\d|;10\d/);
});

const DEPTHS: readonly (readonly [string, string | undefined, Record<string, string>, string])[] = [
  ["NO_COLOR turns colour off", undefined, { NO_COLOR: "1", COLORTERM: "truecolor" }, "none"],
  ["an empty NO_COLOR says nothing", undefined, { NO_COLOR: "", TERM: "xterm-256color" }, "256"],
  ["COLORTERM says truecolor", undefined, { COLORTERM: "24bit", TERM: "xterm" }, "truecolor"],
  ["TERM says 256", undefined, { TERM: "tmux-256color" }, "256"],
  ["a plain TERM has 16", undefined, { TERM: "xterm" }, "16"],
  ["the option is stronger than the environment", "256", { NO_COLOR: "1" }, "256"],
  ["auto asks the environment", "auto", { TERM: "xterm-direct" }, "256"],
  ["FORCE_COLOR is honoured", undefined, { FORCE_COLOR: "3", NO_COLOR: "1" }, "truecolor"],
  ["a FORCE_COLOR of another kind says nothing", undefined, { FORCE_COLOR: "constructor", TERM: "xterm" }, "16"],
  ["FORCE_COLOR=0 is none", undefined, { FORCE_COLOR: "0", TERM: "xterm-256color" }, "none"],
];
for (const [name, option, env, depth] of DEPTHS) test(name, () => assert.equal(depthFrom(option, env), depth));

test("every sign of the screen is one cell wide and has a counterpart in ASCII", () => {
  const signs = [
    ...Object.values(GLYPH),
    ...Object.values(FRAMES.thin),
    ...Object.values(FRAMES.bold),
    ...Object.values(SCROLLBAR),
    ..."◐◓◑◒␛",
  ];
  for (const sign of signs) {
    assert.equal(measure(sign).cells, 1, sign);
    assert.match(toAscii(sign), /^[ -~]$/, sign);
  }
});

test("a theme of the user changes what it names and keeps the rest of its base", () => {
  const file = {
    base: "light",
    tokens: { accent: "#ffb86c", error: { fg: "red", bold: true }, selection: { bg: "bright_yellow" } },
  } as const;
  const { palette, error } = chooseTheme("mine", [{ name: "mine", file }], undefined);
  assert.equal(error, undefined);
  assert.equal(sgrTable("truecolor", palette)(THEME.accent), "\x1b[0;1;38;2;255;184;108m");
  assert.equal(sgrTable("truecolor", palette)(THEME.error), "\x1b[0;1;31m");
  assert.equal(sgrTable("truecolor", palette)(THEME.ok), sgrTable("truecolor", PALETTES.light)(THEME.ok));
});

test("a theme that cannot be had is auto, and says why", () => {
  const own = [{ name: "broken", error: "themes/broken.yaml: tokens.accent: ..." }];
  assert.deepEqual(chooseTheme("broken", own, "light"), {
    palette: PALETTES.light,
    error: "themes/broken.yaml: tokens.accent: ...",
  });
  assert.match(
    chooseTheme("drak", own, undefined).error ?? "",
    /unknown theme drak \(known: auto, dark, light, high-contrast, plain, broken\)/,
  );
});

test("settings of screens become the display, and what an older owner does not know is as it comes", () => {
  assert.deepEqual(displayFrom({ values: {}, themes: [] }, { LANG: "en_US.UTF-8" }), DISPLAY);
  const values = {
    "display.ascii": "true",
    "display.mouse": true,
    "display.layout": { wide: { chat: 60, runs: "x" } },
    "display.escape_time_ms": 20,
  };
  const display = displayFrom({ values, themes: [] }, {});
  assert.deepEqual(
    [display.ascii, display.mouse, display.layout, display.escapeMs],
    [true, true, { wide: { chat: 60 } }, 20],
  );
});
