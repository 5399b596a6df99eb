import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { DesktopElement } from "../../lib/contracts/desktop/driver.js";
import type { DriverBackend, Picture, WindowRef } from "./driver-backend.js";

const pixel = z.number().min(-100_000).max(100_000);
const target = {
  pid: z.int().optional(),
  window_id: z.int().optional(),
  snapshot_id: z.string().max(100).optional(),
};
const point = { x: pixel.optional(), y: pixel.optional(), element: z.int().min(1).optional(), ...target };
const modifiers = z.array(z.string().max(40)).max(8).default([]);
const side = z.int().min(1).max(20_000).optional();
const clicking = {
  ...point,
  button: z.enum(["left", "right", "middle"]).default("left"),
  count: z.int().min(1).max(3).default(1),
  modifiers,
};

interface Given {
  readonly value: object;
  readonly picture?: Picture | undefined;
}

interface DriverTool<P extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly params: P;
  readonly reads?: true;
  readonly run: (params: z.output<P>, around: Around, signal: AbortSignal) => Promise<Given>;
}

interface Around {
  readonly backend: DriverBackend;
  readonly snapshots: Snapshots;
}

const define = <P extends z.ZodObject>(tool: DriverTool<P>): DriverTool => tool as unknown as DriverTool; // `run` only gets what `params` parsed

const DONE: Given = { value: { ok: true } };

/** The protocol of extensions part, 10.6. */
const DRIVER_TOOLS: readonly DriverTool[] = [
  define({
    name: "list_windows",
    description: "List the visible windows.",
    params: z.object({}),
    reads: true,
    run: async (_, { backend }, signal) => ({ value: { windows: await backend.windows(signal) } }),
  }),
  define({
    name: "get_window_state",
    description: "Show a window, or without one the whole screen, with its elements.",
    params: z.object({ ...target, capture_mode: z.enum(["som", "vision", "ax"]).default("som"), max_side: side }),
    reads: true,
    run: async ({ pid, window_id, capture_mode: mode, max_side: maxSide }, { backend, snapshots }, signal) => {
      const { picture, ...state } = await backend.state({ pid, window_id }, { mode, maxSide }, signal);
      return { value: { ...state, snapshot_id: snapshots.keep(state.elements) }, picture };
    },
  }),
  define({
    name: "screenshot",
    description: "Show the whole screen.",
    params: z.object({ max_side: side }),
    reads: true,
    run: async ({ max_side: maxSide }, { backend }, signal) => {
      const { width, height, picture } = await backend.state({}, { mode: "vision", maxSide }, signal);
      return { value: { width, height }, picture };
    },
  }),
  define({
    name: "click",
    description: "Click at a place or on an element.",
    params: z.object(clicking),
    run: async (given, { backend, snapshots }, signal) => {
      await backend.click({ ...given, ...snapshots.place(given) }, signal);
      return DONE;
    },
  }),
  define({
    name: "double_click",
    description: "Click twice.",
    params: z.object({ ...point, modifiers }),
    run: async (given, { backend, snapshots }, signal) => {
      await backend.click({ ...given, ...snapshots.place(given), button: "left", count: 2 }, signal);
      return DONE;
    },
  }),
  define({
    name: "right_click",
    description: "Click with the right button.",
    params: z.object({ ...point, modifiers }),
    run: async (given, { backend, snapshots }, signal) => {
      await backend.click({ ...given, ...snapshots.place(given), button: "right", count: 1 }, signal);
      return DONE;
    },
  }),
  define({
    name: "drag",
    description: "Drag with the left button from one place to another.",
    params: z.object({ from_x: pixel, from_y: pixel, to_x: pixel, to_y: pixel, modifiers, ...target }),
    run: async (given, { backend }, signal) => {
      await backend.drag(given, signal);
      return DONE;
    },
  }),
  define({
    name: "scroll",
    description: "Turn the wheel at a place, on an element, or in the middle of the window.",
    params: z.object({
      ...point,
      direction: z.enum(["up", "down", "left", "right"]),
      amount: z.int().min(1).max(50).default(3),
    }),
    run: async (given, { backend, snapshots }, signal) => {
      await backend.scroll({ ...given, ...snapshots.place(given) }, signal);
      return DONE;
    },
  }),
  define({
    name: "type_text",
    description: "Type a text.",
    params: z.object({ text: z.string().min(1).max(100_000), ...target }),
    run: async ({ text, ...window }, { backend }, signal) => {
      await backend.type(text, window, signal);
      return DONE;
    },
  }),
  define({
    name: "hotkey",
    description: "Press several keys at once.",
    params: z.object({ keys: z.array(z.string().min(1).max(40)).min(1).max(8), ...target }),
    run: async ({ keys, ...window }, { backend }, signal) => {
      await backend.press(keys, window, signal);
      return DONE;
    },
  }),
  define({
    name: "press_key",
    description: "Press one key.",
    params: z.object({ key: z.string().min(1).max(40), ...target }),
    run: async ({ key, ...window }, { backend }, signal) => {
      await backend.press([key], window, signal);
      return DONE;
    },
  }),
  define({
    name: "list_apps",
    description: "List the programs that have windows.",
    params: z.object({}),
    reads: true,
    run: async (_, { backend }, signal) => {
      const windows = await backend.windows(signal);
      const apps = [...new Set(windows.map(({ app }) => app))].map((name) => ({
        name,
        windows: windows.flatMap(({ app, title }) => (app === name ? [title] : [])),
        focused: windows.some(({ app, focused }) => app === name && focused),
      }));
      return { value: { apps } };
    },
  }),
  define({
    name: "focus_window",
    description: "Give a window the focus.",
    params: z.object({ pid: z.int().optional(), window_id: z.int(), raise: z.boolean().default(false) }),
    run: async ({ raise, ...window }, { backend }, signal) => {
      await backend.focus(window, raise, signal);
      return DONE;
    },
  }),
];

/** Register the tools of a driver. Each call is reported to `called` before it is done. What fails is a result that says so. */
export function addDriverTools(
  server: McpServer,
  backend: DriverBackend,
  called: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<void>,
): void {
  const around: Around = { backend, snapshots: createSnapshots() };
  for (const { name, description, params, reads, run } of DRIVER_TOOLS) {
    const annotations = { readOnlyHint: reads === true, destructiveHint: reads !== true };
    server.registerTool(name, { description, inputSchema: params, annotations }, async (given, ctx) => {
      try {
        await called(name, given);
        return toResult(await run(given, around, ctx.mcpReq.signal));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { ...toResult({ value: { ok: false, error: message } }), isError: true };
      }
    });
  }
}

function toResult({ value, picture }: Given): CallToolResult {
  const text = { type: "text" as const, text: JSON.stringify(value) };
  if (picture === undefined) return { content: [text] };
  const data = Buffer.from(picture.bytes).toString("base64");
  return { content: [text, { type: "image", data, mimeType: picture.mimeType }] };
}

interface Snapshots {
  keep(elements: readonly DesktopElement[]): string;
  /** The place that a call means. @throws Error when it names an element that is not known */
  place(given: WindowRef & Pointed): { readonly x?: number | undefined; readonly y?: number | undefined };
}

interface Pointed {
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly element?: number | undefined;
  readonly snapshot_id?: string | undefined;
}

const SNAPSHOTS_AT_MOST = 64;

/** Elements of the last captures, by the number of the capture. */
function createSnapshots(): Snapshots {
  const kept = new Map<string, readonly DesktopElement[]>();
  let count = 0;
  let newest = "";
  return {
    keep: (elements) => {
      count += 1;
      newest = `s${count}`;
      kept.set(newest, elements);
      const [oldest] = kept.keys();
      if (kept.size > SNAPSHOTS_AT_MOST && oldest !== undefined) kept.delete(oldest);
      return newest;
    },
    place: ({ x, y, element, snapshot_id: id = newest }) => {
      if (element === undefined) return { x, y };
      const found = kept.get(id)?.find((one) => one.index === element);
      if (found === undefined) throw new Error(`no element ${element} in the capture ${id}; capture again`);
      return { x: Math.round(found.x + found.width / 2), y: Math.round(found.y + found.height / 2) };
    },
  };
}
