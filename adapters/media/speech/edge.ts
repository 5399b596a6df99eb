import { PROGRAM_MS, speechProgram } from "./programs.js";

/** The voices of a browser, without a key, through the program `edge-tts`. */
export const edgeSpeech = speechProgram({
  name: "edge",
  maxChars: 5_000,
  model: "edge-tts",
  needs: "edge-tts",
  install: "pipx install edge-tts, or set tts.provider",
  ending: "mp3",
  run: ({ text, to, settings }) => {
    const speed = settings.number("speed");
    const rate = speed === undefined ? [] : [`--rate=${speed >= 1 ? "+" : ""}${Math.round((speed - 1) * 100)}%`];
    const voice = settings.text("voice", "en-US-AriaNeural");
    // A text may begin with a dash: it is read from standard input.
    return {
      file: "edge-tts",
      args: ["--voice", voice, ...rate, "--file", "/dev/stdin", "--write-media", to],
      input: text,
      ms: PROGRAM_MS,
    };
  },
});
