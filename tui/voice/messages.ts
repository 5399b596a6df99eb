import type { VoiceState } from "./state.js";

export type VoiceMessage =
  | { readonly type: "voice"; readonly now: VoiceState }
  /** What was said into the microphone. */
  | { readonly type: "heard"; readonly text: string };

export type VoiceEffect =
  /** Record until the key, silence or the limit ends it, then transcribe. */
  | { readonly do: "record"; readonly limits: RecordingLimits }
  /** End the recording; it is transcribed. */
  | { readonly do: "endRecording" }
  | { readonly do: "speak"; readonly text: string }
  /** Discard the recording, or stop speaking. */
  | { readonly do: "hush" };

/** When a recording ends by itself. */
export interface RecordingLimits {
  readonly maxSeconds: number;
  /** Root mean square of 16-bit samples below which sound is silence; 0: recordings end by key only. */
  readonly silenceThreshold: number;
  readonly silenceSeconds: number;
}
