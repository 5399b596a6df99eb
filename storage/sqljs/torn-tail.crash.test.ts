import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded } from "../../fixtures/ports/random.js";
import { decodeFrame, encodeFrame, MAGIC_BYTES, type Scan, scan } from "./frame.js";

const SALT = 0x5eed5a17;
const FRAMES = 6;

/** A segment of frames 1 to 6, of sizes around the sector size. */
function segment(salt = SALT): { bytes: Buffer; ends: number[] } {
  const random = seeded(salt);
  const frames = Array.from({ length: FRAMES }, (_, at) => {
    const payload = Buffer.alloc(200 + random.below(900));
    for (let byte = 0; byte < payload.length; byte++) payload[byte] = random.below(256);
    return encodeFrame(at + 1, payload, salt);
  });
  const ends = frames.map((_, at) => frames.slice(0, at + 1).reduce((sum, frame) => sum + frame.length, 0));
  return { bytes: Buffer.concat(frames), ends };
}

function look(bytes: Buffer): { scan: Scan; applied: number[] } {
  const applied: number[] = [];
  const found = scan(bytes, { from: 0, first: 1, salt: SALT }, (frame) => applied.push(frame.seq));
  return { scan: found, applied };
}

test("a whole segment is clean", () => {
  const { scan: found, applied } = look(segment().bytes);
  assert.deepEqual([found.kind, applied], ["clean", [1, 2, 3, 4, 5, 6]]);
});

test("every cut inside the last two frames is a torn tail and keeps the frames before", () => {
  const { bytes, ends } = segment();
  for (let size = ends[3] ?? 0; size < bytes.length; size++) {
    const { scan: found, applied } = look(bytes.subarray(0, size));
    const whole = ends.filter((end) => end <= size).length;
    assert.equal(applied.length, whole);
    assert.equal(found.kind, ends.includes(size) ? "clean" : "torn", `cut at ${size}`);
  }
});

test("three flips of every byte of the last frame are a torn tail", () => {
  const { bytes, ends } = segment();
  for (let at = ends[4] ?? 0; at < bytes.length; at++) {
    for (const bit of [0, 3, 7]) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
      const { scan: found, applied } = look(flipped);
      assert.deepEqual([found.kind, applied.length], ["torn", FRAMES - 1], `byte ${at}, bit ${bit}`);
    }
  }
});

test("three flips of every byte of a middle frame are damage, never a torn tail", () => {
  const { bytes, ends } = segment();
  for (let at = ends[1] ?? 0; at < (ends[2] ?? 0); at++) {
    for (const bit of [0, 3, 7]) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
      const { scan: found, applied } = look(flipped);
      assert.deepEqual([found.kind, applied.length], ["damaged", 2], `byte ${at}, bit ${bit}`);
    }
  }
});

test("garbage and magic numbers behind the last frame are a torn tail, zeros before or behind them or not", () => {
  const { bytes } = segment();
  const random = seeded(3);
  const noise = Buffer.from(Array.from({ length: 5_000 }, () => random.below(256)));
  const magic = Buffer.concat(Array.from({ length: 300 }, () => MAGIC_BYTES));
  for (const tail of [noise, magic, Buffer.from([0x41]), MAGIC_BYTES]) {
    for (const zeros of [0, 1, 19, 20, 511, 512, 70_000, 300_000]) {
      for (const behind of [0, 1, 600, 70_000]) {
        const { scan: found, applied } = look(Buffer.concat([bytes, Buffer.alloc(zeros), tail, Buffer.alloc(behind)]));
        assert.deepEqual(
          [found.kind, applied.length],
          ["torn", FRAMES],
          `${zeros} zeros, ${tail.length} bytes, ${behind} zeros`,
        );
      }
    }
  }
});

test("zeros alone behind the last frame, however many, are clean: they were allocated ahead", () => {
  const { bytes } = segment();
  for (const zeros of [1, 3, 4, 19, 20, 21, 511, 512, 4_096, 65_535, 65_536, 65_537, 131_072, 300_000, 1 << 20]) {
    const { scan: found, applied } = look(Buffer.concat([bytes, Buffer.alloc(zeros)]));
    assert.deepEqual(
      [found, applied.length],
      [{ kind: "clean", at: bytes.length, next: FRAMES + 1 }, FRAMES],
      `${zeros} zeros`,
    );
  }
});

test("a single bit anywhere in the zeros behind the last frame is a torn tail", () => {
  const { bytes } = segment();
  const zeros = 200_000;
  const random = seeded(8);
  const some = Array.from({ length: 300 }, () => random.below(zeros));
  for (const at of [0, 1, 3, 4, 19, 20, 65_535, 65_536, zeros - 65_536, zeros - 2, zeros - 1, ...some]) {
    const tail = Buffer.alloc(zeros);
    tail[at] = 1 << random.below(8);
    const { scan: found, applied } = look(Buffer.concat([bytes, tail]));
    assert.deepEqual([found.kind, applied.length], ["torn", FRAMES], `byte ${at}`);
  }
});

/** The last frame stands in a file that was allocated ahead, or `shape` of it. */
function overZeros(shape: (frame: Buffer) => Buffer, zeros: number): Buffer {
  const { bytes, ends } = segment();
  return Buffer.concat([bytes.subarray(0, ends[4]), shape(Buffer.from(bytes.subarray(ends[4]))), Buffer.alloc(zeros)]);
}

for (const zeros of [1, 600, 70_000]) {
  test(`every cut of a last frame before ${zeros} zeros is a torn tail, and none of it at all is clean`, () => {
    const frame = segment().bytes.subarray(segment().ends[4]);
    for (let size = 0; size < frame.length; size++) {
      const found = look(overZeros((whole) => whole.fill(0, size), zeros));
      const nothing = frame.subarray(0, size).every((byte) => byte === 0);
      const all = frame.subarray(size).every((byte) => byte === 0);
      assert.deepEqual(
        [found.scan.kind, found.applied.length],
        [nothing || all ? "clean" : "torn", all ? FRAMES : FRAMES - 1],
        `cut at ${size}`,
      );
    }
  });

  test(`three flips of every byte of a last frame before ${zeros} zeros are a torn tail`, () => {
    const { bytes, ends } = segment();
    for (let at = 0; at < bytes.length - (ends[4] ?? 0); at++) {
      for (const bit of [0, 3, 7]) {
        const flip = (frame: Buffer) => {
          frame[at] = (frame[at] ?? 0) ^ (1 << bit);
          return frame;
        };
        const { scan: found, applied } = look(overZeros(flip, zeros));
        assert.deepEqual([found.kind, applied.length], ["torn", FRAMES - 1], `byte ${at}, bit ${bit}`);
      }
    }
  });
}

test("a last frame over zeros of which any sectors came is torn when any came, never damage, never clean with a rest of it behind", () => {
  const random = seeded(12);
  const start = segment().ends[4] ?? 0;
  let late = 0;
  for (let round = 0; round < 2_000; round++) {
    const arrived = overZeros(
      (frame) => {
        for (let at = 0, to = 512 - (start % 512); at < frame.length; at = to, to += 512)
          if (random.chance(0.5)) frame.fill(0, at, Math.min(to, frame.length));
        return frame;
      },
      random.pick([0, 100, 5_000]),
    );
    const rest = arrived.subarray(start);
    const { scan: found, applied } = look(arrived);
    const whole = applied.length === FRAMES;
    assert.equal(found.kind, whole || rest.every((byte) => byte === 0) ? "clean" : "torn");
    if (!whole && found.kind === "torn" && rest[0] === 0) late += 1;
  }
  assert.ok(late > 100, "the beginning was lost, and later sectors came");
});

test("a valid frame behind zeros is damage", () => {
  const { bytes, ends } = segment();
  const next = encodeFrame(FRAMES + 1, Buffer.from("seven"), SALT);
  for (const zeros of [1, 20, 512, 70_000]) {
    assert.equal(look(Buffer.concat([bytes, Buffer.alloc(zeros), next])).scan.kind, "damaged", `${zeros} zeros`);
    assert.equal(
      look(Buffer.concat([bytes, Buffer.alloc(zeros), next, Buffer.alloc(900)])).scan.kind,
      "damaged",
      `${zeros} zeros`,
    );
  }
  const lost = Buffer.from(bytes).fill(0, ends[3], ends[4]);
  assert.deepEqual(
    [look(lost).scan.kind, look(lost).applied.length],
    ["damaged", 4],
    "a whole frame in the middle became zeros",
  );
});

test("frames of another segment behind the last frame are a torn tail", () => {
  const { bytes } = segment();
  const { scan: found, applied } = look(Buffer.concat([bytes, segment(77).bytes]));
  assert.deepEqual([found.kind, applied.length], ["torn", FRAMES]);
});

test("a missing frame in the middle is damage", () => {
  const { bytes, ends } = segment();
  const gap = Buffer.concat([bytes.subarray(0, ends[1]), bytes.subarray(ends[2])]);
  const { scan: found, applied } = look(gap);
  assert.deepEqual([found.kind, applied], ["damaged", [1, 2]]);
});

test("a frame that is there twice is damage", () => {
  const { bytes, ends } = segment();
  const twice = Buffer.concat([bytes.subarray(0, ends[2]), bytes.subarray(ends[1])]);
  assert.equal(look(twice).scan.kind, "damaged");
});

test("a last frame of which any sectors arrived is never damage", () => {
  const { bytes, ends } = segment();
  const random = seeded(11);
  const start = ends[4] ?? 0;
  for (let round = 0; round < 2_000; round++) {
    const arrived = Buffer.from(bytes);
    for (let sector = start - (start % 512); sector < bytes.length; sector += 512) {
      if (random.chance(0.5))
        arrived.fill(random.chance(0.5) ? 0 : 0xa5, Math.max(start, sector), Math.min(bytes.length, sector + 512));
    }
    const { scan: found, applied } = look(arrived);
    assert.notEqual(found.kind, "damaged");
    assert.ok(applied.length >= FRAMES - 1);
  }
});

test("frames longer than any read buffer are found whole, wherever they begin", () => {
  const frames = Array.from({ length: 12 }, (_, at) =>
    encodeFrame(at + 1, Buffer.alloc(65_536 - 30 + at * 7, at), SALT),
  );
  const { scan: found, applied } = look(Buffer.concat(frames));
  assert.deepEqual([found.kind, applied.length], ["clean", 12]);
});

test("a length that reaches beyond the file or the largest payload is no frame", () => {
  const frame = encodeFrame(1, Buffer.from("payload"), SALT);
  for (const length of [8, 0xffffffff, (64 << 20) + 1]) {
    const wrong = Buffer.from(frame);
    wrong.writeUInt32LE(length, 4);
    assert.equal(decodeFrame(wrong, 0, SALT), undefined);
  }
});
