import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { systemClock } from "../base/time/clock.js";
import type { SessionId } from "../base/units.js";
import type { DesktopAction } from "../contracts/desktop/desktop.js";
import { type DesktopDriver, type DriverAnswer, DriverFailure } from "../contracts/desktop/driver.js";
import { createDesktop } from "./desktop.js";
import { createDrivers } from "./drivers.js";
import { createLastCaptures } from "./last-capture.js";

const { signal } = new AbortController();
const ONE = { session: "s_1" as SessionId, env: {} };
const TWO = { session: "s_2" as SessionId, env: {} };

/** The beginning of a PNG of this size: no one decodes the rest. */
function png(width: number, height: number): Uint8Array {
  const head = Buffer.alloc(33);
  head.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  head.write("IHDR", 12, "latin1");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, deflateSync(Buffer.alloc(8))]);
}

const TOOLS: Readonly<Record<string, readonly string[]>> = {
  list_windows: [],
  get_window_state: ["pid", "window_id", "capture_mode"],
  click: ["x", "y", "button", "count", "modifiers", "pid", "window_id", "snapshot_id"],
  drag: ["from_x", "from_y", "to_x", "to_y", "modifiers"],
  scroll: ["x", "y", "direction", "amount"],
  type_text: ["text"],
  hotkey: ["keys"],
  press_key: ["key"],
  list_apps: [],
  focus_window: ["pid", "window_id", "raise"],
};

const WINDOWS = [
  { pid: 7, window_id: 70, app: "Paint", title: "a.png", x: 0, y: 0, width: 800, height: 600, focused: true },
  { pid: 8, window_id: 80, app: "Vault", title: "keys", x: 400, y: 300, width: 400, height: 300, focused: false },
];
const ELEMENTS = [
  { index: 1, role: "button", label: "Fill", x: 100, y: 40, width: 80, height: 20 },
  { index: 2, role: "canvas", label: "line\nbreak", x: 0, y: 100, width: 800, height: 500 },
];

type Answer = (tool: string, args: Readonly<Record<string, unknown>>, starts: number) => DriverAnswer | undefined;

/** A desktop over a driver that answers as `answer` says, else as an ordinary one. */
function make(answer: Answer = () => undefined, tools = TOOLS) {
  const calls: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  let starts = 0;
  const start = async (): Promise<DesktopDriver> => {
    starts += 1;
    return {
      tools: new Map(Object.entries(tools).map(([name, args]) => [name, new Set(args)])),
      required: new Map(),
      over: false,
      close: async () => undefined,
      call: async ({ tool, args }) => {
        calls.push([tool, args]);
        const own = answer(tool, args, starts);
        if (own !== undefined) return own;
        if (tool === "list_windows") return { value: { windows: WINDOWS } };
        if (tool !== "get_window_state") return { value: { ok: true, apps: [{ name: "Paint" }] } };
        const value = { width: 800, height: 600, snapshot_id: "n1", elements: ELEMENTS };
        return args["capture_mode"] === "ax" ? { value } : { value, picture: png(800, 600) };
      },
    };
  };
  const saved: Uint8Array[] = [];
  const desktop = createDesktop({
    clock: systemClock,
    drivers: createDrivers({ key: () => "", start }),
    captures: createLastCaptures(),
    maxSide: () => 400,
    scale: async () => png(400, 300),
    save: async (picture) => {
      saved.push(picture);
      return `/cache/${saved.length}.png`;
    },
  });
  const act = (action: DesktopAction, place = ONE) => desktop.act(place, action, signal);
  return { desktop, calls, act, starts: () => starts, last: () => calls.at(-1) };
}

test("a capture tells mode, size, app, window and a line per element, and its picture is scaled", async () => {
  const { act } = make();
  const { ok, text, value, picture } = await act({ action: "capture", app: "paint" });
  assert.equal(ok, true);
  assert.equal(picture, "/cache/1.png");
  assert.equal(
    text,
    'som capture of Paint, window "a.png": 400x300 px, 2 elements\n#1 button "Fill" @ Paint\n#2 canvas "line break" @ Paint',
  );
  assert.equal(value["snapshot_id"], "n1");
});

test("coordinates of the shown picture are scaled back to the window's, and elements are hit in their middle", async () => {
  const { act, last } = make();
  await act({ action: "capture", app: "Paint" });
  await act({ action: "click", coordinate: [60, 25], button: "right", modifiers: ["alt", "cmd"] });
  const known = { pid: 7, window_id: 70, snapshot_id: "n1" };
  assert.deepEqual(last(), [
    "click",
    { x: 120, y: 50, button: "right", count: 1, modifiers: ["option", "cmd"], ...known },
  ]);
  await act({ action: "double_click", element: 1 });
  assert.deepEqual(last(), ["click", { x: 140, y: 50, button: "left", count: 2, ...known }]);
  await act({ action: "drag", from_element: 1, to_coordinate: [399, 299] });
  assert.deepEqual(last(), ["drag", { from_x: 140, from_y: 50, to_x: 798, to_y: 598, ...known }]);
  await act({ action: "scroll", direction: "down", amount: 500 });
  assert.deepEqual(last(), ["scroll", { direction: "down", amount: 50, ...known }]);
  await act({ action: "key", keys: "Ctrl+Shift+T" });
  assert.deepEqual(last(), ["hotkey", { keys: ["ctrl", "shift", "t"], ...known }]);
});

test("what the last capture does not have is reported, and another conversation has captured nothing", async () => {
  const { act } = make();
  const error = async (action: DesktopAction, place = ONE) => (await act(action, place)).value["error"];
  assert.match(String(await error({ action: "click", element: 1 })), /nothing was captured .* call capture first/);
  await act({ action: "capture", app: "Paint" });
  assert.equal(await error({ action: "click", element: 9 }), "the last capture has no element 9 (it has 2)");
  assert.match(
    String(await error({ action: "click", coordinate: [400, 0] })),
    /outside of the last capture, which is 400x300 px/,
  );
  assert.match(String(await error({ action: "click", element: 1 }, TWO)), /call capture first/);
  assert.match(
    String(await error({ action: "capture", app: "Mail" })),
    /no window of an app named 'Mail'; open: Paint \(a.png\), Vault \(keys\)/,
  );
});

test("mode ax has no picture, and one under 8x8 pixels is left out", async () => {
  const { act } = make((tool) =>
    tool === "get_window_state"
      ? { value: { width: 7, height: 90, elements: ELEMENTS }, picture: png(7, 90) }
      : undefined,
  );
  const small = await act({ action: "capture", app: "Paint", max_elements: 1 });
  assert.deepEqual([small.picture, small.text], [undefined, undefined]);
  assert.deepEqual([small.value["total_elements"], small.value["truncated_elements"]], [2, 1]);
  const ax = await make().act({ action: "capture", app: "Paint", mode: "ax" });
  assert.equal(ax.picture, undefined);
  assert.match(String(ax.value["summary"]), /^ax capture of Paint/);
});

test("an empty capture is an error after one restart, never an empty success", async () => {
  const empty = make((tool) => (tool === "get_window_state" ? { value: { width: 0, height: 0 } } : undefined));
  const { ok, value } = await empty.act({ action: "capture" });
  assert.equal(ok, false);
  assert.match(String(value["error"]), /the capture is empty \(0x0 px\), also after the driver was started again/);
  assert.equal(empty.starts(), 2);
  const once = make((tool, _, starts) =>
    tool === "get_window_state" && starts === 1 ? { value: { width: 0, height: 0 } } : undefined,
  );
  assert.equal((await once.act({ action: "capture" })).ok, true);
});

test("a driver that ends is started again; what may have been done is not repeated", async () => {
  const dying = make((tool, _, starts) => {
    if (starts === 1 && (tool === "list_windows" || tool === "type_text")) throw new DriverFailure("lost", "it ended");
    return undefined;
  });
  assert.equal((await dying.act({ action: "capture", app: "Paint" })).ok, true);
  assert.equal(dying.starts(), 2);
  const typing = make((tool) => {
    if (tool === "type_text") throw new DriverFailure("lost", "it ended");
    return undefined;
  });
  await typing.act({ action: "capture", app: "Paint" });
  const { value } = await typing.act({ action: "type", text: "x" });
  assert.match(String(value["error"]), /it ended; whether it has happened is unknown: look with capture/);
  assert.equal(typing.calls.filter(([tool]) => tool === "type_text").length, 1);
});

test("a driver that cannot do it gives an error, never another button", async () => {
  const { act, calls } = make(undefined, { ...TOOLS, click: ["x", "y"], double_click: ["x", "y"] });
  await act({ action: "capture", app: "Paint" });
  const middle = await act({ action: "middle_click", element: 1 });
  assert.equal(middle.value["error"], "the driver cannot click with the middle button");
  assert.match(
    String((await act({ action: "right_click", element: 1 })).value["error"]),
    /the driver has no right_click/,
  );
  await act({ action: "double_click", element: 1 });
  assert.equal(calls.at(-1)?.[0], "double_click");
});

test("focus_app makes its window the one that keys go to; capture_after shows it", async () => {
  const { act, last } = make();
  await act({ action: "capture", app: "Paint" });
  const { value, picture } = await act({ action: "focus_app", app: "vault", capture_after: true });
  assert.ok(picture);
  assert.match(String(Reflect.get(value["capture"] as object, "text_summary")), /^som capture of Vault/); // an object of this module
  await act({ action: "key", keys: "enter" });
  assert.deepEqual(last(), ["press_key", { key: "enter", pid: 8, window_id: 80, snapshot_id: "n1" }]);
  await act({ action: "focus_app", app: "Paint" });
  assert.match(String((await act({ action: "click", element: 1 })).value["error"]), /call capture first/);
});

test("what an action reaches is known before it: the window, and on the whole screen all windows at the place", async () => {
  const { desktop, act } = make();
  const aim = async (action: DesktopAction) => {
    const aimed = await desktop.aim(ONE, action, signal);
    assert.ok(aimed.ok);
    return aimed.target;
  };
  assert.deepEqual((await aim({ action: "capture" })).apps, ["Paint", "Vault"]);
  await act({ action: "capture" });
  assert.deepEqual(await aim({ action: "click", coordinate: [250, 200] }), {
    apps: ["Paint", "Vault"],
    window: "screen",
    summary: "click at (250, 200) on the screen",
  });
  assert.deepEqual((await aim({ action: "click", coordinate: [10, 10] })).apps, ["Paint"]);
  assert.deepEqual((await aim({ action: "type", text: "a" })).apps, ["Paint"]);
  await act({ action: "capture", app: "Vault" });
  const { window, summary } = await aim({ action: "type", text: 'say "hi"\n' });
  assert.deepEqual([window, summary], ["Vault#80", 'type "say \\"hi\\"\\n" in Vault "keys"']);
});

test("the tools of a conversation are let go with its last capture", async () => {
  const { desktop, act } = make();
  await act({ action: "capture", app: "Paint" });
  await desktop.release(ONE.session);
  assert.equal((await act({ action: "click", element: 1 })).ok, false);
});
