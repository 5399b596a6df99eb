import type { Client } from "../../lib/backplane/client.js";
import { linkSignals } from "../../lib/base/async/abort-any.js";
import {
  type AudioTool,
  findAudioTool,
  NO_PLAYER,
  NO_RECORDER,
  PLAYERS,
  RECORDERS,
} from "../../lib/contracts/media/audio-programs.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { callKey } from "../effects/effect.js";
import type { Effect, Message } from "../model/messages.js";
import type { Programs } from "../outside/programs.js";
import type { RecordingLimits } from "./messages.js";
import { createRecording, type Recording } from "./recording.js";
import { SILENT_VOICE } from "./state.js";

export interface SoundParts {
  readonly programs: Pick<Programs, "has" | "run" | "listen" | "hold">;
  readonly client: Pick<Client, "call">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the screen is left: nothing records or plays then. */
  readonly left: AbortSignal;
  readonly send: (message: Message) => void;
  readonly failed: (what: string) => (error: unknown) => void;
}

const REMOTE =
  "cannot record over SSH: the microphone is on your machine. Set PULSE_SERVER if sound is forwarded, or type the message";

/** The microphone and the speaker of this terminal. One thing at a time: what begins ends what was there before. */
export function createSound(parts: SoundParts): { perform(effect: Effect): void } {
  let stop: AbortController | undefined;
  let endRecording: () => void = () => undefined;
  const begin = (what: string, work: (signal: AbortSignal) => Promise<void>) => {
    stop?.abort();
    const mine = new AbortController();
    stop = mine;
    const link = linkSignals(parts.left, mine.signal);
    work(link.signal)
      .catch((error: unknown) => {
        if (!link.signal.aborted) parts.failed(what)(error);
      })
      .finally(() => {
        link.dispose();
        if (stop !== mine) return; // something else has begun
        stop = undefined;
        parts.send({ type: "voice", now: SILENT_VOICE });
      });
  };
  return {
    perform: (effect) => {
      if (effect.do === "record")
        begin("failed to record", (signal) => {
          const full = new AbortController();
          endRecording = () => full.abort();
          return record(parts, effect.limits, { signal, full });
        });
      if (effect.do === "endRecording") endRecording();
      if (effect.do === "speak") begin("failed to speak the answer", (signal) => speak(parts, effect.text, signal));
      if (effect.do === "hush") stop?.abort();
    },
  };
}

interface Recorded {
  readonly signal: AbortSignal;
  /** The recording is whole. */
  readonly full: AbortController;
}

async function record(parts: SoundParts, limits: RecordingLimits, { signal, full }: Recorded): Promise<void> {
  const { programs, env, send } = parts;
  const say = (text: string) => send({ type: "say", text, error: true });
  if ((env["SSH_CONNECTION"] || env["SSH_TTY"]) && !env["PULSE_SERVER"]) return say(REMOTE);
  const tool = findAudioTool(RECORDERS, programs.has, process.platform);
  if (tool === undefined) return say(NO_RECORDER);
  const recording = createRecording(limits);
  const problem = await listen(parts, tool, { recording, signal, full });
  signal.throwIfAborted();
  if (problem !== undefined) return say(problem);
  if (!recording.hasSpeech)
    return say(
      "no speech heard: check the microphone, or lower voice.silence_threshold; /voice status shows the setup",
    );
  send({ type: "voice", now: { doing: "transcribing" } });
  const text = await transcribe(parts, recording, signal);
  if (text === "") return say("no words recognized in the recording");
  send({ type: "heard", text });
}

/** Record until it is whole. @returns why nothing was recorded */
async function listen(
  { programs, send }: SoundParts,
  tool: AudioTool,
  { recording, signal, full }: Recorded & { readonly recording: Recording },
): Promise<string | undefined> {
  const link = linkSignals(signal, full.signal);
  try {
    const { status, said } = await programs.listen([tool.program, ...tool.args], {
      signal: link.signal,
      on: (bytes) => {
        recording.push(bytes);
        const { ms, level, end } = recording;
        if (end !== undefined) full.abort();
        else if (!link.signal.aborted) send({ type: "voice", now: { doing: "recording", ms, level } });
      },
    });
    if (recording.ms > 0) return undefined;
    if (full.signal.aborted) return "the recording is too short";
    const why = sanitizeLine(said.trim().split("\n").at(-1) ?? "") || `exit ${status}`;
    return `${tool.program} cannot record: ${why}; check that a microphone is connected and that you may use it`;
  } finally {
    link.dispose();
  }
}

async function transcribe(
  { programs, client }: SoundParts,
  recording: Recording,
  signal: AbortSignal,
): Promise<string> {
  let text = "";
  await programs.hold(recording.wave(), ".wav", async (path) => {
    const heard = await client.call<{ text: string }>("voice.transcribe", { path }, { signal, key: callKey() });
    text = heard.text.trim();
  });
  return text;
}

async function speak({ programs, client, send }: SoundParts, text: string, signal: AbortSignal): Promise<void> {
  const tool = findAudioTool(PLAYERS, programs.has, process.platform);
  if (tool === undefined) return send({ type: "say", text: NO_PLAYER, error: true });
  const { path } = await client.call<{ path: string | null }>("voice.speak", { text }, { signal, key: callKey() });
  signal.throwIfAborted();
  if (path === null) return;
  const status = await programs.run([tool.program, ...tool.args, path], { terminal: false, signal });
  if (status !== 0 && !signal.aborted)
    send({
      type: "say",
      text: `${tool.program} cannot play the answer (exit ${status}); check the audio output`,
      error: true,
    });
}
