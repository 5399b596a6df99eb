import { keyLabel, parseKey } from "../../lib/contracts/ui/screen-keys.js";
import type { Binding, Context, State } from "../model/state.js";
import { isVoiceBusy, pressRecord, stopVoice } from "./update.js";

const RECORD = "voice.record";
const DEFAULT_KEY = "ctrl+b";

const recordKey = (context: Context, label: string, hint: string): Binding => ({
  id: RECORD,
  context,
  keys: [DEFAULT_KEY],
  label,
  hint,
  when: ({ display }) => display.voice.mode !== "off",
  act: pressRecord,
});

/** Keys of voice. The one that records stands before the keys of the composer, where it means something else while voice is off. */
export const VOICE_KEYS: readonly Binding[] = [
  recordKey("composer", "record a message (voice)", "^B record"),
  recordKey("voice", "end the recording", "^B end recording"),
  {
    id: "voice.stop",
    context: "voice",
    keys: ["escape"],
    label: "discard the recording, stop speaking",
    hint: "Esc stop",
    when: isVoiceBusy,
    act: stopVoice,
  },
];

/** The key table with the record key of the settings. A key of keys.yaml comes before it. */
export function withRecordKey(table: readonly Binding[], { display, changedKeys }: State): readonly Binding[] {
  const key = parseKey(display.voice.recordKey);
  const usable = key !== undefined && key !== "ctrl+c" && [...key].length > 1 ? key : DEFAULT_KEY;
  if (changedKeys.has(RECORD)) return table;
  return table.map((row) =>
    row.id === RECORD && row.keys[0] !== usable
      ? { ...row, keys: [usable], hint: `${keyLabel(usable)} ${row.hint?.split(" ").slice(1).join(" ") ?? ""}` }
      : row,
  );
}
