import { PROGRAM_MS, speechProgram } from "./programs.js";

const SCRIPT = `
import sys
try:
    from kittentts import KittenTTS
    import soundfile
except ImportError as error:
    sys.exit(f"{error}; pip install kittentts soundfile")
model, voice, to = sys.argv[1:4]
soundfile.write(to, KittenTTS(model).generate(sys.stdin.read(), voice=voice), 24000)
`;

/** A small model of this machine: the Python package `kittentts`. */
export const kittenSpeech = speechProgram({
  name: "kittentts",
  maxChars: 2_000,
  model: "KittenML/kitten-tts-nano-0.2",
  needs: "python3",
  install: "install python3 and the package kittentts",
  onlyNamed: true,
  ending: "wav",
  run: ({ text, to, settings }) => ({
    file: "python3",
    args: [
      "-c",
      SCRIPT,
      settings.text("model", "KittenML/kitten-tts-nano-0.2"),
      settings.text("voice", "expr-voice-2-f"),
      to,
    ],
    input: text,
    ms: PROGRAM_MS,
  }),
});
