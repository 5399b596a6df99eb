import type { SpeechProvider } from "../../../lib/contracts/media/speech.js";
import { edgeSpeech } from "./edge.js";
import { elevenLabsSpeech } from "./elevenlabs.js";
import { geminiSpeech } from "./gemini.js";
import { kittenSpeech } from "./kittentts.js";
import { mistralSpeech } from "./mistral.js";
import { neuttsSpeech } from "./neutts.js";
import { openaiSpeech } from "./openai.js";
import { piperSpeech } from "./piper.js";
import { regionalSpeech } from "./regional.js";
import { searchVendorSpeech } from "./search-vendor.js";

/** Everything that is built in and speaks, the one of choice first. */
export const SPEECH_PROVIDERS: readonly SpeechProvider[] = [
  edgeSpeech,
  openaiSpeech,
  searchVendorSpeech,
  regionalSpeech,
  mistralSpeech,
  geminiSpeech,
  elevenLabsSpeech,
  neuttsSpeech,
  kittenSpeech,
  piperSpeech,
];
