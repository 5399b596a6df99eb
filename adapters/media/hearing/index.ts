import type { HearingProvider } from "../../../lib/contracts/media/hearing.js";
import { groqHearing } from "./groq.js";
import { localHearing } from "./local.js";
import { mistralHearing } from "./mistral.js";
import { openaiHearing } from "./openai.js";

/** Everything that is built in and transcribes, the one of choice first. */
export const HEARING_PROVIDERS: readonly HearingProvider[] = [localHearing, openaiHearing, groqHearing, mistralHearing];
