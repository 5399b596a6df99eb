import type { Store } from "../../../storage/store.js";
import { dropValue, getValue, setValue } from "../../../storage/tables/state/state-values.js";
import { AppError } from "../../base/errors.js";
import { openToRead, readHead } from "../../base/fs/files.js";
import { MEDIUM_HEAD_BYTES, mediumType } from "../../base/fs/medium-type.js";
import type { Clock } from "../../base/time/clock.js";
import type { ChatPlace } from "../../contracts/board/notify.js";
import type { Transcriber } from "../../contracts/gateway/transcription.js";
import type { SpeechApi } from "../../contracts/media/speech.js";
import { VOICE_MODES, type VoiceApi, type VoicePart } from "../../contracts/media/voice.js";
import { toSpokenText } from "./spoken-text.js";

export interface VoiceDeps {
  readonly clock: Pick<Clock, "now">;
  readonly speech: SpeechApi;
  /** What transcribes now; undefined: nothing does. */
  readonly transcriber: () => Transcriber | undefined;
  /** The store that keeps the modes of chats. */
  readonly state: () => Promise<Store>;
}

const NO_TRANSCRIBER =
  "nothing is set up that transcribes: install whisper, or agent config set stt.provider openai (or groq, mistral)";

/** Spoken messages and answers for the terminal and for chats. */
export function createVoice({ clock, speech, transcriber, state }: VoiceDeps): VoiceApi {
  return {
    parts: async () => {
      const hears = transcriber();
      return {
        hears: hears === undefined ? { why: NO_TRANSCRIBER } : partOf(hears),
        speaks: await speech.speaker(),
      };
    },
    transcribe: async (path, signal) => {
      if (!(await isWave(path))) throw new AppError("E_INVALID", `${path} is not a WAV recording`);
      const found = transcriber();
      if (found === undefined) throw new AppError("E_CONFIG", NO_TRANSCRIBER, { hint: "agent help voice" });
      return (await found.transcribe(path, signal)).trim();
    },
    speak: async (answer, form, signal) => {
      const text = toSpokenText(answer);
      if (text === "") return undefined;
      const request = { text, voice: false, ...(form === undefined ? {} : { form }) };
      const made = await speech.speak(request, () => undefined, signal);
      if (!made.success) throw new AppError("E_STATE", String(made["error"]), { hint: "agent help voice" });
      return { path: String(made["file_path"]), voice: made["voice_compatible"] === true };
    },
    chatMode: async (place) => {
      const value = await (await state()).read((q) => getValue(q, keyOf(place)));
      return VOICE_MODES.find((mode) => mode === value) ?? "off";
    },
    setChatMode: async (place, mode) => {
      const store = await state();
      const now = clock.now();
      await store.write("gateway.voice", (tx) =>
        mode === "off" ? dropValue(tx, keyOf(place)) : setValue(tx, keyOf(place), mode, now),
      );
    },
  };
}

function partOf({ name, billed, lacks }: Transcriber): VoicePart {
  const why = lacks?.();
  return why === undefined ? { name, billed: billed === true } : { why };
}

/** Whatever a client names, nothing but a recording is read and sent to a service. */
async function isWave(path: string): Promise<boolean> {
  const file = await openToRead(path).catch(() => undefined); // a file that cannot be read is not a recording
  if (file === undefined) return false;
  try {
    return mediumType(await readHead(file, MEDIUM_HEAD_BYTES))?.ending === "wav";
  } finally {
    await file.close();
  }
}

const keyOf = ({ platform, chat_id, thread_id = "" }: ChatPlace): string =>
  `gateway.voice:${JSON.stringify([platform, chat_id, thread_id])}`;
