import { type ConfigKey, configKey } from "../../contracts/config/config.js";

export const MEDIA = {
  strict: configKey<boolean>({
    key: "media.delivery_strict",
    kind: { type: "boolean" },
    default: false,
    env: "AGENT_MEDIA_DELIVERY_STRICT",
    help: "Send only files of output folders, of media.allow_dirs, and those changed in the last 10 minutes.",
  }),
  allowDirs: configKey<string>({
    key: "media.allow_dirs",
    kind: { type: "string" },
    default: "",
    env: "AGENT_MEDIA_ALLOW_DIRS",
    help: "Directories that files may be sent from besides, separated by colons or commas.",
  }),
  transcribe: configKey<boolean>({
    key: "stt.enabled",
    kind: { type: "boolean" },
    default: true,
    help: "Transcribe voice and audio messages of chats where a transcriber is set up; without one the model gets the path.",
  }),
} as const;

export const MEDIA_KEYS: readonly ConfigKey<unknown>[] = Object.values(MEDIA);
