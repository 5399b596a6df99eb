import type { AppOptions } from "../../config/app-options.js";
import type { Transcriber } from "../../contracts/gateway/transcription.js";
import { MEDIA } from "../settings/media-keys.js";

/** What hears recordings now; undefined where nothing does, or `stt.enabled` is off. */
export function transcriberOf({
  transcriber,
  config,
}: Pick<AppOptions, "transcriber" | "config">): Transcriber | undefined {
  return config.get(MEDIA.transcribe) ? transcriber : undefined;
}
