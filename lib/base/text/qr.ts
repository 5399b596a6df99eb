/** Text as a QR code: bytes, the lowest error correction, versions 1 to 20, which hold up to 858 bytes. */

/** Rows of modules; true is dark. */
export type QrCode = readonly (readonly boolean[])[];

const CHECK_BYTES = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];

/** Undefined: it is too long. */
export function qrOf(text: string): QrCode | undefined {
  const bytes = Buffer.from(text, "utf8");
  const version = CHECK_BYTES.findIndex((_, at) => fits(bytes.length, at + 1)) + 1;
  return version === 0 ? undefined : drawn(version, interleaved(version, dataOf(version, bytes)));
}

/** Two rows of modules are one line of text, with a quiet zone around; dark modules are spaces of a dark terminal. */
export function qrText(code: QrCode): string {
  const dark = (x: number, y: number) => code[y]?.[x] === true;
  const lines: string[] = [];
  for (let y = -2; y < code.length + 2; y += 2) {
    let line = "";
    for (let x = -2; x < code.length + 2; x++)
      line += dark(x, y) ? (dark(x, y + 1) ? " " : "▄") : dark(x, y + 1) ? "▀" : "█";
    lines.push(line);
  }
  return lines.join("\n");
}

const alignments = (version: number): number => (version === 1 ? 0 : Math.floor(version / 7) + 2);

/** Bytes of a version, data and checks together. */
function capacity(version: number): number {
  const count = alignments(version);
  const bits =
    (16 * version + 128) * version + 64 - (count === 0 ? 0 : (25 * count - 10) * count - 55) - (version >= 7 ? 36 : 0);
  return Math.floor(bits / 8);
}

const dataBytes = (version: number): number =>
  capacity(version) - (CHECK_BYTES[version - 1] ?? 0) * (BLOCKS[version - 1] ?? 0);
const countBits = (version: number): number => (version < 10 ? 8 : 16);
const fits = (length: number, version: number): boolean =>
  4 + countBits(version) + 8 * length <= 8 * dataBytes(version);

function dataOf(version: number, bytes: Uint8Array): readonly number[] {
  const bits: number[] = [];
  const put = (value: number, width: number) => {
    for (let bit = width - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1);
  };
  const room = 8 * dataBytes(version);
  put(0b0100, 4);
  put(bytes.length, countBits(version));
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, room - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) put(pad, 8);
  return Array.from({ length: room / 8 }, (_, at) =>
    bits.slice(8 * at, 8 * at + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  );
}

/** Product in the field of 256 elements that the checks are made in. */
export function fieldProduct(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

function checksOf(data: readonly number[], degree: number): readonly number[] {
  const divisor: number[] = Array.from({ length: degree }, (_, at) => (at === degree - 1 ? 1 : 0));
  let root = 1;
  for (let step = 0; step < degree; step++) {
    for (let at = 0; at < degree; at++) divisor[at] = fieldProduct(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0);
    root = fieldProduct(root, 2);
  }
  const rest = new Array<number>(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [at, one] of divisor.entries()) rest[at] = (rest[at] ?? 0) ^ fieldProduct(one, factor);
  }
  return rest;
}

function interleaved(version: number, data: readonly number[]): readonly number[] {
  const blocks = BLOCKS[version - 1] ?? 1;
  const checks = CHECK_BYTES[version - 1] ?? 0;
  const short = Math.floor(capacity(version) / blocks) - checks;
  const longOnes = capacity(version) % blocks;
  let from = 0;
  const parts = Array.from({ length: blocks }, (_, at) => {
    const length = short + (at < blocks - longOnes ? 0 : 1);
    const part = data.slice(from, from + length);
    from += length;
    return { part, check: checksOf(part, checks) };
  });
  const out: number[] = [];
  for (let at = 0; at <= short; at++) for (const { part } of parts) if (at < part.length) out.push(part[at] ?? 0);
  for (let at = 0; at < checks; at++) for (const { check } of parts) out.push(check[at] ?? 0);
  return out;
}

function drawn(version: number, bytes: readonly number[]): QrCode {
  const size = 17 + 4 * version;
  const dark: boolean[][] = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const fixed: boolean[][] = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const set = (x: number, y: number, on: boolean) => {
    const row = dark[y];
    const mark = fixed[y];
    if (row === undefined || mark === undefined || x < 0 || x >= size) return;
    row[x] = on;
    mark[x] = true;
  };
  patterns(version, size, set);
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (fixed[y]?.[x] === true) continue;
        const on = ((bytes[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1;
        const row = dark[y];
        // The mask of number 0: it turns every second module.
        if (row !== undefined) row[x] = (on === 1) !== ((x + y) % 2 === 0);
        bit += 1;
      }
    }
  }
  return dark;
}

type Setter = (x: number, y: number, on: boolean) => void;

function patterns(version: number, size: number, set: Setter): void {
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square([cx, cy], [true, true, false, true, false], set);
  const places = placesOf(version, size);
  const last = places.length - 1;
  for (const [i, x] of places.entries()) {
    for (const [j, y] of places.entries()) {
      const corner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!corner) square([x, y], [true, false, true], set);
    }
  }
  formats(size, set);
  if (version >= 7) versions(version, size, set);
}

/** Rings around a middle, from the inside out. */
function square([cx, cy]: readonly [number, number], rings: readonly boolean[], set: Setter): void {
  const radius = rings.length - 1;
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++)
      set(cx + dx, cy + dy, rings[Math.max(Math.abs(dx), Math.abs(dy))] === true);
}

function placesOf(version: number, size: number): readonly number[] {
  const count = alignments(version);
  if (count === 0) return [];
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - at * step).reverse()];
}

/** Level L and mask 0, with their checks. */
function formats(size: number, set: Setter): void {
  const data = 0b01 << 3;
  let rest = data;
  for (let step = 0; step < 10; step++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  const bit = (at: number) => ((bits >>> at) & 1) === 1;
  for (let at = 0; at <= 5; at++) set(8, at, bit(at));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let at = 9; at < 15; at++) set(14 - at, 8, bit(at));
  for (let at = 0; at < 8; at++) set(size - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at++) set(8, size - 15 + at, bit(at));
  set(8, size - 8, true);
}

function versions(version: number, size: number, set: Setter): void {
  let rest = version;
  for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let at = 0; at < 18; at++) {
    const on = ((bits >>> at) & 1) === 1;
    const a = size - 11 + (at % 3);
    const b = Math.floor(at / 3);
    set(a, b, on);
    set(b, a, on);
  }
}
