import { PROGRAM_MS, speechProgram } from "./programs.js";

const SCRIPT = `
import sys
try:
    from neutts import NeuTTS
    import soundfile
except ImportError as error:
    sys.exit(f"{error}; pip install neutts soundfile")
model, audio, words, to = sys.argv[1:5]
speaker = NeuTTS(backbone_repo=model, codec_repo="neuphonic/neucodec")
soundfile.write(to, speaker.infer(sys.stdin.read(), speaker.encode_reference(audio), words), 24000)
`;

/** A voice cloned from a recording, on this machine: the Python package `neutts`. */
export const neuttsSpeech = speechProgram({
  name: "neutts",
  maxChars: 2_000,
  model: "neuphonic/neutts-air-q4-gguf",
  needs: "python3",
  install: "install python3 and the package neutts",
  wants: "reference_audio",
  onlyNamed: true,
  ending: "wav",
  run: ({ text, to, settings }) => ({
    file: "python3",
    args: [
      "-c",
      SCRIPT,
      settings.text("model", "neuphonic/neutts-air-q4-gguf"),
      settings.text("reference_audio", ""),
      settings.text("reference_text", ""),
      to,
    ],
    input: text,
    ms: PROGRAM_MS,
  }),
});
