import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecording } from "./recording.js";

const LIMITS = { maxSeconds: 120, silenceThreshold: 200, silenceSeconds: 3 };
const RATE = 16_000;

/** So much sound of one loudness. */
function sound(seconds: number, loudness: number): Buffer {
  const samples = Buffer.alloc(seconds * RATE * 2);
  for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(at % 4 === 0 ? loudness : -loudness, at);
  return samples;
}

test("a recording ends three seconds after the last words, not while they are spoken", () => {
  const recording = createRecording(LIMITS);
  recording.push(sound(2, 50));
  recording.push(sound(1, 3_000));
  recording.push(sound(2.5, 50));
  recording.push(sound(1, 3_000));
  recording.push(sound(2.9, 50));
  assert.equal(recording.end, undefined);
  recording.push(sound(0.1, 50));
  assert.deepEqual([recording.end, recording.ms, recording.hasSpeech], ["silence", 9_500, true]);
  recording.push(sound(5, 3_000));
  assert.equal(recording.ms, 9_500, "what comes after the end is dropped");
});

test("a recording without speech ends by itself, and one that is too long", () => {
  const silent = createRecording(LIMITS);
  silent.push(sound(15, 199));
  assert.deepEqual([silent.end, silent.hasSpeech], ["nothing", false]);
  const long = createRecording({ ...LIMITS, maxSeconds: 2 });
  long.push(sound(3, 5_000));
  assert.deepEqual([long.end, long.ms], ["limit", 2_000]);
});

test("with threshold 0 silence does not end a recording", () => {
  const recording = createRecording({ ...LIMITS, silenceThreshold: 0 });
  recording.push(sound(60, 0));
  assert.deepEqual([recording.end, recording.hasSpeech], [undefined, true]);
});

test("the level follows the sound, however the pieces are cut", () => {
  const recording = createRecording(LIMITS);
  const bytes = sound(0.3, 3_000);
  for (let at = 0; at < bytes.length; at += 777) recording.push(bytes.subarray(at, at + 777));
  assert.deepEqual([recording.ms, recording.level], [300, 0.5]);
  recording.push(sound(0.1, 32_000));
  assert.equal(recording.level, 1);
});

test("the file is a WAV of what was recorded", () => {
  const recording = createRecording(LIMITS);
  const samples = sound(0.5, 1_000);
  recording.push(samples);
  const wave = Buffer.from(recording.wave());
  assert.equal(wave.toString("latin1", 0, 16), `RIFF${wave.toString("latin1", 4, 8)}WAVEfmt `);
  assert.deepEqual([wave.readUInt32LE(24), wave.readUInt32LE(40)], [RATE, samples.length]);
  assert.ok(wave.subarray(44).equals(samples));
});
