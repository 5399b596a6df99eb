/** What the microphone and the speaker do at this moment. */
export type VoiceState =
  | { readonly doing: "idle" }
  /** `ms`: length so far. `level`: loudness of the last sound, 0 to 1. */
  | { readonly doing: "recording"; readonly ms: number; readonly level: number }
  | { readonly doing: "transcribing" }
  | { readonly doing: "speaking" };

export const SILENT_VOICE: VoiceState = { doing: "idle" };
