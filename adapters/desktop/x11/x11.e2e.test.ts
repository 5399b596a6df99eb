import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Display, startDisplay, startWindow, type TestWindow } from "../../../fixtures/e2e/display.js";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { pictureSize } from "../../../lib/base/fs/picture-facts.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import { type Clock, systemClock } from "../../../lib/base/time/clock.js";
import type { DesktopWindow } from "../../../lib/contracts/desktop/driver.js";
import type { DriverBackend } from "../driver-backend.js";
import { createX11 } from "./x11.js";

const { signal } = new AbortController();
const NONE = { modifiers: [] };

const driverOf = (display: Display, clock: Clock = systemClock): DriverBackend =>
  createX11({ spawner: systemSpawner, clock, env: display.env });

/** A pause of the driver, in which programs read what was typed, lasts until the window has read it: it reads its keys in order. */
function clockOf(display: Display, window: TestWindow): Clock {
  let pauses = 0;
  return {
    ...systemClock,
    sleep: async () => {
      const key = `F${6 + pauses}`;
      pauses += 1;
      await display.start("xdotool", ["key", key]).ended;
      await window.event(({ kind, keysym }) => kind === "key" && keysym === key);
    },
  };
}

/** The window with this title, once it is there. */
async function find(driver: DriverBackend, title: string): Promise<DesktopWindow> {
  let found: DesktopWindow | undefined;
  await eventually(async () => {
    found = (await driver.windows(signal)).find((one) => one.title === title);
    return found !== undefined;
  });
  assert.ok(found);
  return found;
}

const isWhole = (bytes: Uint8Array | undefined, width: number, height: number): void =>
  assert.deepEqual(bytes && pictureSize(bytes), { width, height });

for (const manager of [false, true]) {
  const how = manager ? "with a window manager" : "without a window manager";
  test(`every action changes what it should in a real window, ${how}`, async (t: TestContext) => {
    const display = await startDisplay(t, { manager });
    const window = await startWindow(display);
    const driver = driverOf(display, clockOf(display, window));
    const { pid, window_id, ...facts } = await find(driver, "Desk test");
    const target = { pid, window_id };
    assert.deepEqual({ width: facts.width, height: facts.height }, { width: 400, height: 300 });

    await t.test("captures have the right size, and number what is there", async () => {
      const whole = await driver.state({}, { mode: "som" }, signal);
      assert.deepEqual([whole.width, whole.height], [1000, 700]);
      isWhole(whole.picture?.bytes, 1000, 700);
      assert.ok(whole.elements.some((one) => one.role === "window" && one.label === "Desk test"));
      const plain = await driver.state(target, { mode: "vision" }, signal);
      isWhole(plain.picture?.bytes, 400, 300);
      const numbered = await driver.state(target, { mode: "som" }, signal);
      isWhole(numbered.picture?.bytes, 400, 300);
      assert.notDeepEqual(numbered.picture?.bytes, plain.picture?.bytes);
      assert.equal((await driver.state(target, { mode: "ax" }, signal)).picture, undefined);
      const small = await driver.state({}, { mode: "vision", maxSide: 500 }, signal);
      assert.deepEqual([small.width, small.height], [1000, 700]);
      isWhole(small.picture?.bytes, 500, 350);
    });

    await t.test("clicks: left, double, middle, right, with keys held", async () => {
      const click = { ...target, ...NONE, count: 1 } as const;
      await driver.click({ ...click, x: 31, y: 41, button: "left" }, signal);
      await window.event((one) => one.kind === "press" && one.button === 1 && one.x === 31 && one.y === 41);
      await driver.click({ ...click, x: 150, y: 90, button: "left", count: 2 }, signal);
      await window.event((one) => one.kind === "double" && one.x === 150 && one.y === 90);
      await driver.click({ ...click, x: 72, y: 42, button: "middle" }, signal);
      await window.event((one) => one.kind === "press" && one.button === 2 && one.x === 72);
      await driver.click({ ...click, x: 113, y: 43, button: "right" }, signal);
      await window.event((one) => one.kind === "press" && one.button === 3 && one.x === 113);
      await driver.click({ ...click, x: 194, y: 44, button: "left", modifiers: ["shift", "ctrl"] }, signal);
      const held = await window.event((one) => one.kind === "press" && one.x === 194);
      assert.equal((held.state ?? 0) & 5, 5);
      await driver.click({ ...click, x: 255, y: 45, button: "left" }, signal);
      const free = await window.event((one) => one.kind === "press" && one.x === 255);
      assert.equal((free.state ?? 0) & 5, 0);
    });

    await t.test("a drag presses, moves and lets go", async () => {
      await driver.drag({ ...target, ...NONE, from_x: 60, from_y: 60, to_x: 220, to_y: 130 }, signal);
      await window.event((one) => one.kind === "press" && one.x === 60 && one.y === 60);
      await window.event((one) => one.kind === "drag" && one.x === 220 && one.y === 130);
      await window.event((one) => one.kind === "release" && one.x === 220 && one.y === 130);
    });

    await t.test("the wheel turns up and down", async () => {
      await driver.scroll({ ...target, x: 70, y: 71, direction: "up", amount: 2 }, signal);
      await window.event((one) => one.kind === "press" && one.button === 4 && one.x === 70);
      await driver.scroll({ ...target, x: 72, y: 73, direction: "down", amount: 1 }, signal);
      await window.event((one) => one.kind === "press" && one.button === 5 && one.x === 72);
    });

    await t.test("text arrives whole, also beyond ASCII, and keys with others held", async () => {
      const click = { ...target, ...NONE, count: 1, button: "left" } as const;
      await driver.click({ ...click, x: 100, y: 250 }, signal);
      await window.event((one) => one.kind === "entry");
      await driver.type('-n Grüße, 東京 "$HOME" é', target, signal);
      await window.event((one) => one.text === '-n Grüße, 東京 "$HOME" é');
      await driver.press(["backspace"], target, signal);
      await window.event((one) => one.text === '-n Grüße, 東京 "$HOME" ');
      await driver.press(["ctrl", "a"], target, signal); // the start of the line, as Tk has it
      await driver.press(["ctrl", "k"], target, signal);
      const many = "Съешь ещё этих мягких французских булок, да выпей чаю";
      await driver.type(many, target, signal);
      await window.event((one) => one.text === many);
      await driver.press(["ctrl", "shift", "f5"], target, signal);
      const pressed = await window.event((one) => one.kind === "key" && one.keysym === "F5");
      assert.equal((pressed.state ?? 0) & 5, 5);
      await assert.rejects(driver.press(["frobnicate"], target, signal), /unknown key 'frobnicate'/);
    });

    await t.test("the focus goes to the window that is named, and text with it", async () => {
      const other = await startWindow(display, "Other", "500+300");
      const second = await find(driver, "Other");
      await driver.focus(second, true, signal);
      await driver.type("q", second, signal);
      await other.event((one) => one.kind === "key" && one.keysym === "q");
      await driver.type("w", target, signal);
      await window.event((one) => one.kind === "key" && one.keysym === "w");
      assert.equal((await driver.windows(signal)).find((one) => one.focused)?.title, "Desk test");
      await other.end();
      await eventually(async () => !(await driver.windows(signal)).some(({ title }) => title === "Other"));
      await assert.rejects(driver.state(second, { mode: "som" }, signal), /the window is gone/);
    });
  });
}

test("MD5: under Xvfb with a terminal window: capture gives a picture of the right size, type and key change it", async (t) => {
  const display = await startDisplay(t);
  const driver = driverOf(display);
  display.start("xterm", ["-u8", "-T", "Term", "-geometry", "60x10+20+20", "-e", "cat"]);
  const found = await find(driver, "Term");
  assert.equal(found.app, "xterm");
  const seen = async (): Promise<Uint8Array> => {
    const { picture, width, height } = await driver.state(found, { mode: "vision" }, signal);
    assert.deepEqual([width, height], [found.width, found.height]);
    isWhole(picture?.bytes, width, height);
    return picture?.bytes ?? new Uint8Array();
  };
  const changes = async (before: Uint8Array): Promise<Uint8Array> => {
    let now = before;
    await eventually(async () => {
      now = await seen();
      return !Buffer.from(now).equals(before);
    });
    return now;
  };
  await driver.focus(found, false, signal);
  const empty = await seen();
  await driver.type("hello", found, signal);
  const typed = await changes(empty);
  await driver.press(["enter"], found, signal);
  await changes(typed);
});

test("the wheel turns left and right in a terminal that hears the mouse", async (t) => {
  const display = await startDisplay(t);
  const driver = driverOf(display);
  const script = "printf '\\033[?1000h\\033[?1006h'; stty raw -echo; : > $1; printf ready > $0; cat > $1";
  const { mkdtempSync, readFileSync, existsSync, rmSync } = await import("node:fs");
  const dir = mkdtempSync("/tmp/agent-wheel-");
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  display.start("xterm", ["-T", "Wheel", "-e", "sh", "-c", script, `${dir}/ready`, `${dir}/heard`]);
  const found = await find(driver, "Wheel");
  await eventually(() => existsSync(`${dir}/ready`));
  for (const [direction, code] of [
    ["left", 66],
    ["right", 67],
  ] as const) {
    const heard = (): boolean => readFileSync(`${dir}/heard`, "utf8").includes(`\u001b[<${code};`);
    await eventually(async () => {
      await driver.scroll({ ...found, x: 50, y: 50, direction, amount: 1 }, signal);
      return heard();
    });
  }
});

test("a display that is gone, and a huge one, are reported and scaled", async (t) => {
  const huge = await startDisplay(t, { size: "3840x2160" });
  const driver = driverOf(huge);
  const { width, height, picture } = await driver.state({}, { mode: "som", maxSide: 1600 }, signal);
  assert.deepEqual([width, height], [3840, 2160]);
  isWhole(picture?.bytes, 1600, 900);
  await huge.server.end("SIGKILL");
  await assert.rejects(driver.state({}, { mode: "som" }, signal), /the display :\d+ cannot be opened/);
  await assert.rejects(driver.windows(signal), /the display :\d+ cannot be opened/);
});

test("an interrupt ends what types", async (t) => {
  const display = await startDisplay(t);
  const driver = driverOf(display);
  const window = await startWindow(display);
  const found = await find(driver, "Desk test");
  const stop = new AbortController();
  const typing = driver.type("x".repeat(20_000), found, stop.signal);
  await window.event((one) => one.keysym === "x");
  stop.abort(new Error("enough"));
  await assert.rejects(typing, /enough/);
});
