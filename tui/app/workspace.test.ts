import assert from "node:assert/strict";
import test from "node:test";
import { openFixture, type WorkspaceFixture } from "../../fixtures/tui/workspace.js";
import { closingLines } from "./closing.js";

const MOUSE = /\x1b\[\?100[012356]/;

test("W13: what was set is undone in reverse, and nothing else, whichever way it ends", async (t) => {
  const { seen, left, leaving, alternate, settle } = await openFixture(t);
  assert.ok(seen.raw && alternate());
  leaving.abort();
  await left;
  await settle();
  assert.ok(!seen.raw && !alternate());
  const end = seen.bytes.slice(seen.bytes.lastIndexOf("\x1b[?1049l") - 60);
  assert.match(end, /\x1b\[\?25h\x1b\[>4;0m\x1b\[\?1004l\x1b\[\?2004l\x1b\[0 q\x1b\[\?1049l\x1b\[23;2t$/);
});

test("W25: with the mouse off no byte of a mouse mode is ever sent", async (t) => {
  const { seen, left, leaving, type } = await openFixture(t);
  await type("hello");
  leaving.abort();
  await left;
  assert.doesNotMatch(seen.bytes, MOUSE);
});

test("the mouse is taken when it is switched on, and given back at the end", async (t) => {
  const { seen, left, leaving, tell, settle } = await openFixture(t);
  tell("display", "display.changed", { values: { "display.mouse": true }, themes: [] });
  await settle(40);
  assert.match(seen.bytes, /\x1b\[\?1006h/);
  leaving.abort();
  await left;
  assert.match(seen.bytes, /\x1b\[\?1006l\x1b\[\?1002l\x1b\[\?1000l[\s\S]*\x1b\[\?1049l/);
});

test("the kitty keyboard is asked for, and used only by a terminal that answers", async (t) => {
  const { seen, type, left, leaving } = await openFixture(t);
  assert.match(seen.bytes, /\x1b\[\?u\x1b\[c/);
  assert.doesNotMatch(seen.bytes, /\x1b\[>1u/);
  await type("\x1b[?0u\x1b[?62c");
  assert.match(seen.bytes, /\x1b\[>1u/);
  leaving.abort();
  await left;
  assert.match(seen.bytes, /\x1b\[<u[\s\S]*\x1b\[\?1049l/);
});

test("the theme follows the terminal's background, and the first frame does not wait for it", async (t) => {
  const { seen, type, lines } = await openFixture(t, { env: { COLORTERM: "truecolor" } });
  assert.ok(lines().some((line) => line.includes("Enter: send")));
  const from = seen.bytes.length;
  await type("\x1b]11;rgb:ffff/ffff/ffff\x07");
  assert.match(seen.bytes.slice(from), /38;2;7;87;184/);
});

const COLOURS: readonly (readonly [string, WorkspaceFixture, RegExp, RegExp])[] = [
  ["NO_COLOR=1: no colour bytes", { env: { NO_COLOR: "1" } }, /\x1b\[0;1m/, /\x1b\[[\d;]*;(3|4|9|10)\d[\d;]*m/],
  ["TERM=xterm: 16 colours only", { env: { TERM: "xterm" } }, /\x1b\[0;1;94m/, /[34]8;[25]/],
  ["COLORTERM=truecolor: 24 bits", { env: { COLORTERM: "truecolor" } }, /38;2;108;182;255/, /[34]8;5;/],
  [
    "--color none is stronger",
    { env: { COLORTERM: "truecolor" }, color: "none" },
    /\x1b\[0;1m/,
    /\x1b\[[\d;]*;(3|4|9|10)\d[\d;]*m/,
  ],
];
for (const [name, options, has, not] of COLOURS)
  test(`W24: ${name}`, async (t) => {
    const { seen } = await openFixture(t, options);
    assert.match(seen.bytes, has);
    assert.doesNotMatch(seen.bytes, not);
  });

test("W24: LANG=C draws in ASCII", async (t) => {
  const { lines } = await openFixture(t, { env: { LANG: "C" } });
  assert.doesNotMatch(lines().join("\n"), /[^ -~\n]/);
});

test("W32: an idle screen writes nothing for a minute", async (t) => {
  const { seen, settle } = await openFixture(t);
  await settle(5_000);
  const before = seen.bytes.length;
  for (let second = 0; second < 60; second++) await settle(1_000);
  assert.equal(seen.bytes.slice(before), "");
});

test("W28: frames are skipped while the terminal does not read, and the newest state is drawn afterwards", async (t) => {
  const { seen, tell, settle, drained, lines } = await openFixture(t);
  tell("session:s", "turn.started", {});
  await settle(40);
  seen.writable = 100_000;
  const before = seen.bytes.length;
  for (let part = 0; part < 50; part++) {
    tell("session:s", "text.delta", { text: `part ${part} ` });
    await settle(40);
  }
  assert.equal(seen.bytes.length, before);
  seen.writable = 0;
  drained();
  await settle(40);
  assert.match(lines().join("\n"), /part 49/);
});

test("W29: after 100 sizes at random during streaming the screen is that of a fresh one", async (t) => {
  const one = await openFixture(t);
  const other = await openFixture(t);
  for (const screen of [one, other]) screen.tell("session:s", "turn.started", {});
  let seed = 5;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  for (let round = 0; round < 100; round++) {
    one.resize(1 + random(220), 1 + random(70));
    const text = `word ${round} 漢字 `;
    for (const screen of [one, other]) screen.tell("session:s", "text.delta", { text });
    await one.settle(random(40));
  }
  for (const screen of [one, other]) {
    screen.resize(170, 44);
    await screen.settle(200);
    screen.tell("session:s", "turn.ended", {});
    await screen.settle(5_000);
  }
  assert.deepEqual(one.lines(), other.lines());
});

test("a size is taken after a rest of 30 ms, and every 100 ms while it goes on changing", async (t) => {
  const { seen, resize, settle, lines } = await openFixture(t);
  let frames = 0;
  for (let step = 0; step < 12; step++) {
    const before = seen.bytes.length;
    resize(90 - step, 25);
    await settle(20);
    if (seen.bytes.length > before) frames += 1;
  }
  assert.ok(frames >= 1 && frames <= 3, `${frames} frames within 240 ms`);
  await settle(40);
  assert.match(lines().join("\n"), /Enter: send/);
});

test("a program has the terminal whole, and everything is drawn again afterwards", async (t) => {
  let end: () => void = () => undefined;
  const run = () =>
    new Promise<number>((resolve) => {
      end = () => resolve(0);
    });
  const { seen, settle, tell, type, lines, alternate } = await openFixture(t, {
    programs: { run },
    answers: { "command.run": { text: "ok", exit: 0 } },
  });
  await type("hello");
  await type("\x1a"); // the owner here has nothing under way: suspended at once
  assert.deepEqual([seen.raw, seen.suspended, alternate()], [false, 1, false]);
  const before = seen.bytes.length;
  tell("session:s", "turn.started", {});
  await settle(5_000);
  assert.equal(
    seen.bytes.slice(before).replace(/\x1b\]2;[^\x07]*\x07/g, ""),
    "",
    "nothing is written to a terminal that is somebody else's",
  );
  end();
  assert.ok(lines().length > 0);
});

test("Ctrl+Z suspends at once, and what comes back is drawn whole", async (t) => {
  const { seen, type, resume, settle, lines, alternate } = await openFixture(t);
  await type("hello");
  await type("\x1a");
  assert.equal(seen.suspended, 1);
  resume();
  await settle(40);
  assert.ok(seen.raw && alternate() && lines().some((line) => line.startsWith("› hello")));
});

test("a process that someone stopped and let go on sets its modes and draws again", async (t) => {
  const { seen, type, continued, settle, lines } = await openFixture(t);
  await type("hello");
  const before = seen.bytes.length;
  continued();
  await settle(40);
  assert.match(seen.bytes.slice(before), /\x1b\[\?1049h[\s\S]*\x1b\[\?2004h[\s\S]*hello/);
  assert.ok(lines().some((line) => line.startsWith("› hello")));
});

test("the owner of running work wants a second Ctrl+Z, because all of it would be paused", async (t) => {
  const { seen, tell, type, settle, lines } = await openFixture(t);
  tell("session:s", "turn.started", {});
  await settle(40);
  await type("\x1a");
  assert.equal(seen.suspended, 0);
  assert.match(lines().join("\n"), /the turn would be paused; press Ctrl\+Z again to suspend/);
  await type("\x1a");
  assert.equal(seen.suspended, 1);
});

test("W06: Ctrl+C from outside is acknowledged at once while an answer streams", async (t) => {
  const { tell, interrupt, settle, lines } = await openFixture(t);
  tell("session:s", "turn.started", {});
  tell("session:s", "text.delta", { text: "words ".repeat(500) });
  await settle(40);
  interrupt();
  await settle(34);
  assert.match(lines().join("\n"), /interrupting/);
});

test("a lost owner is seen at once, and what is typed stays", async (t) => {
  const { lost, type, settle, lines } = await openFixture(t, { owner: false });
  lost();
  await type("kept");
  await settle(40);
  assert.match(lines().join("\n"), /disconnected/);
  assert.ok(lines().some((line) => line.startsWith("› kept")));
});

test("what is said of the conversation at the end names its title, its length, its messages and its cost", async (t) => {
  const { left, leaving } = await openFixture(t, {
    answers: { "session.page": { messages: [{ id: 1, role: "user", content: "hello" }], older: null, newer: null } },
  });
  leaving.abort();
  const { closing } = await left;
  assert.ok(closing);
  assert.deepEqual(closingLines(closing), ["Fix it · 2m 05s · 4 messages · $0.12", "Resume with: agent --resume s"]);
});
