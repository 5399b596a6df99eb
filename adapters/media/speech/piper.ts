import { PROGRAM_MS, speechProgram } from "./programs.js";

/** Voices of this machine. `tts.piper.model` is the file of one (`.onnx`). */
export const piperSpeech = speechProgram({
  name: "piper",
  maxChars: 5_000,
  model: "piper",
  needs: "piper",
  install: "pipx install piper-tts",
  wants: "model",
  ending: "wav",
  run: ({ text, to, settings }) => {
    const speed = settings.number("speed");
    const scale = speed === undefined || speed <= 0 ? [] : ["--length_scale", String(1 / speed)];
    return {
      file: "piper",
      args: ["--model", settings.text("model", ""), ...scale, "--output_file", to],
      input: text.replace(/\s+/g, " "),
      ms: PROGRAM_MS,
    };
  },
});
