import { insertText } from "../composer/update.js";
import { type Data, text } from "../model/data.js";
import { focusOn } from "../model/focus.js";
import { type Reducer, type State, showMessage, type Updated } from "../model/state.js";
import { SILENT_VOICE } from "./state.js";

/** Voice: what the microphone and the speaker do. It stands before the session, which forgets at the end of a turn that one was running. */
export const voiceReducer: Reducer = (state, message) => {
  switch (message.type) {
    case "voice":
      return [{ ...state, voice: message.now }, []];
    case "heard":
      return heard(state, message.text);
    case "display":
      return message.display.voice.mode === "off" ? hushed(state) : undefined;
    case "session":
      return message.id === state.session.id ? undefined : hushed(state);
    case "chat":
      if (message.event === "turn.started") return state.voice.doing === "speaking" ? hushed(state) : undefined;
      return message.event === "turn.ended" ? spoken(state, message.data) : undefined;
    default:
      return undefined;
  }
};

/** The record key: begin a recording, or end the one that runs. */
export function pressRecord(state: State): Updated {
  const { mode: _mode, recordKey: _key, ...limits } = state.display.voice;
  switch (state.voice.doing) {
    case "recording":
      return [state, [{ do: "endRecording" }]];
    case "transcribing":
      return [showMessage(state, "transcribing the last recording; Esc discards it"), []];
    default:
      return [{ ...state, voice: { doing: "recording", ms: 0, level: 0 } }, [{ do: "record", limits }]];
  }
}

/** Discard the recording, or stop speaking. */
export function stopVoice(state: State): Updated {
  const next = { ...state, voice: SILENT_VOICE };
  return [state.voice.doing === "speaking" ? next : showMessage(next, "recording discarded"), [{ do: "hush" }]];
}

export const isVoiceBusy = ({ voice }: State): boolean => voice.doing !== "idle";

const hushed = (state: State): Updated | undefined =>
  isVoiceBusy(state) ? [{ ...state, voice: SILENT_VOICE }, [{ do: "hush" }]] : undefined;

/** It is read before it is sent: a recording may be misheard. */
function heard(state: State, words: string): Updated {
  const { editor } = state.composer;
  const before = editor.text.slice(0, editor.cursor);
  const gap = before === "" || /\s$/.test(before) ? "" : " ";
  const [next, effects] = insertText(focusOn(state, "composer"), `${gap}${words}`);
  return [showMessage(next, "Enter sends what was heard"), effects];
}

/** The answer of a turn that was seen to run, where answers are spoken. */
function spoken(state: State, data: Data): Updated | undefined {
  const answer = text(data, "final_response");
  const { voice, session, display } = state;
  const fails = data["failed"] === true || data["interrupted"] === true;
  if (display.voice.mode !== "tts" || session.turnSince === undefined || fails || answer.trim() === "")
    return undefined;
  if (voice.doing === "recording" || voice.doing === "transcribing") return undefined; // the microphone would hear it
  return [{ ...state, voice: { doing: "speaking" } }, [{ do: "speak", text: answer }]];
}
