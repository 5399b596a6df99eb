import { SAMPLE_BYTES, SAMPLE_RATE } from "../../lib/contracts/media/audio-programs.js";
import type { RecordingLimits } from "./messages.js";

/** Loudness is measured over so much sound. */
const BLOCK_MS = 100;
const BLOCK_BYTES = (SAMPLE_RATE * SAMPLE_BYTES * BLOCK_MS) / 1_000;
/** Silence at the beginning that ends a recording. */
const UNHEARD_MS = 15_000;
/** Root mean square of loud speech: the level is full there. */
const LOUD = 6_000;
const WAVE_HEADER_BYTES = 44;

/** `silence`: speech, then a pause. `limit`: the longest recording. `nothing`: no speech at all. */
export type RecordingEnd = "silence" | "limit" | "nothing";

export interface Recording {
  /** Sound as it comes. What comes after the end is dropped. */
  push(bytes: Uint8Array): void;
  readonly ms: number;
  /** 0 to 1. */
  readonly level: number;
  /** Something louder than silence was heard. */
  readonly hasSpeech: boolean;
  /** Why it ends by itself; undefined: it goes on. */
  readonly end: RecordingEnd | undefined;
  /** All of it as a WAV file. */
  wave(): Uint8Array;
}

/** A recording that grows. Time is counted in samples: it does not matter how fast they come. */
export function createRecording({ maxSeconds, silenceThreshold, silenceSeconds }: RecordingLimits): Recording {
  const blocks: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let level = 0;
  let quietMs = 0;
  let hasSpeech = false;
  let end: RecordingEnd | undefined;
  const add = (block: Buffer) => {
    blocks.push(block);
    const loudness = rootMeanSquare(block);
    level = Math.min(1, loudness / LOUD);
    const isQuiet = loudness < silenceThreshold;
    hasSpeech ||= !isQuiet;
    quietMs = isQuiet ? quietMs + BLOCK_MS : 0;
    if (hasSpeech && quietMs >= silenceSeconds * 1_000) end = "silence";
    else if (!hasSpeech && quietMs >= UNHEARD_MS) end = "nothing";
    else if (blocks.length * BLOCK_MS >= maxSeconds * 1_000) end = "limit";
  };
  return {
    push: (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= BLOCK_BYTES && end === undefined) {
        add(rest.subarray(0, BLOCK_BYTES));
        rest = rest.subarray(BLOCK_BYTES);
      }
    },
    get ms() {
      return blocks.length * BLOCK_MS;
    },
    get level() {
      return level;
    },
    get hasSpeech() {
      return hasSpeech;
    },
    get end() {
      return end;
    },
    wave: () => toWave(Buffer.concat(blocks)),
  };
}

function rootMeanSquare(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at + SAMPLE_BYTES <= block.length; at += SAMPLE_BYTES) sum += block.readInt16LE(at) ** 2;
  return Math.sqrt(sum / (block.length / SAMPLE_BYTES));
}

/** Samples with the header of a WAV file: 16-bit PCM, one channel. */
function toWave(samples: Buffer): Uint8Array {
  const header = Buffer.alloc(WAVE_HEADER_BYTES);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(WAVE_HEADER_BYTES - 8 + samples.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
