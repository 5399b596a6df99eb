import { deflateSync } from "node:zlib";
import { appendText } from "../../../lib/base/fs/files.js";
import type { DesktopElement, DesktopWindow } from "../../../lib/contracts/desktop/driver.js";
import type { DriverBackend } from "../driver-backend.js";

const WINDOW: DesktopWindow = {
  pid: 1,
  window_id: 1,
  app: "Noop",
  title: "Noop window",
  x: 0,
  y: 0,
  width: 640,
  height: 480,
  focused: true,
};

const ELEMENTS: readonly DesktopElement[] = [
  { index: 1, role: "button", label: "OK", x: 40, y: 400, width: 120, height: 40, app: "Noop" },
  { index: 2, role: "textfield", label: "Name", x: 40, y: 40, width: 560, height: 40, app: "Noop" },
  { index: 3, role: "list", label: "Items", x: 40, y: 120, width: 560, height: 240, app: "Noop" },
];

const done = async (): Promise<void> => undefined;

/** A desktop that does nothing: for trying and testing `computer_use` without a display. */
export function createNoop(): DriverBackend {
  let picture: Uint8Array | undefined;
  return {
    name: "noop",
    windows: async () => [WINDOW],
    state: async ({ window_id }, { mode }) => {
      if (window_id !== undefined && window_id !== WINDOW.window_id) throw new Error(`no window ${window_id}`);
      const { width, height } = WINDOW;
      if (mode === "ax") return { width, height, elements: ELEMENTS };
      picture ??= draw();
      return { width, height, elements: ELEMENTS, picture: { bytes: picture, mimeType: "image/png" } };
    },
    click: done,
    drag: done,
    scroll: done,
    type: done,
    press: done,
    focus: done,
  };
}

/** Append every call to a file, a JSON line each (`AGENT_NOOP_DRIVER_LOG`). */
export const logCalls =
  (path: string) =>
  async (tool: string, args: Readonly<Record<string, unknown>>): Promise<void> =>
    appendText(path, `${JSON.stringify({ tool, ...args })}\n`, 0o600);

/** The window as a PNG: its elements are darker. */
function draw(): Uint8Array {
  const { width, height } = WINDOW;
  const rows = Buffer.alloc((width + 1) * height, 0xe8);
  for (let y = 0; y < height; y += 1) rows[y * (width + 1)] = 0;
  for (const one of ELEMENTS)
    for (let y = one.y; y < one.y + one.height; y += 1)
      rows.fill(0xb0, y * (width + 1) + 1 + one.x, y * (width + 1) + 1 + one.x + one.width);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8); // 8 bits, grey
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** The checksum of PNG. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
