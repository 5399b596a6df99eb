import { clock } from "../bars/clock.js";
import type { Field } from "../bars/field.js";
import { THEME } from "../draw/theme.js";
import type { State } from "../model/state.js";

const METER_CELLS = 8;

/** Voice in the status line: what it does, or that it is on. */
export function voiceField({ voice, display }: State): readonly Field[] {
  const { mode } = display.voice;
  switch (voice.doing) {
    case "recording": {
      const full = Math.min(METER_CELLS, Math.ceil(voice.level * METER_CELLS));
      const meter = `[${"#".repeat(full)}${" ".repeat(METER_CELLS - full)}]`;
      return [{ spans: [[THEME.error, `rec ${clock(voice.ms)} ${meter}`]], kept: true }];
    }
    case "transcribing":
    case "speaking":
      return [{ spans: [[THEME.accent, voice.doing]], kept: true }];
    default:
      return mode === "off" ? [] : [{ spans: [[THEME.status, mode === "tts" ? "voice tts" : "voice"]] }];
  }
}
