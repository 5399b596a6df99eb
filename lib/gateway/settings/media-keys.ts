import { type ConfigKey, configKey } from "../../contracts/config/config.js";

export const MEDIA = {
  strict: configKey<boolean>({
    key: "media.delivery_strict",
    kind: { type: "boolean" },
    default: false,
    env: "AGENT_MEDIA_DELIVERY_STRICT",
    help: "Only send files from output directories, media.allow_dirs, and files changed in the last 10 minutes.",
  }),
  allowDirs: configKey<string>({
    key: "media.allow_dirs",
    kind: { type: "string" },
    default: "",
    env: "AGENT_MEDIA_ALLOW_DIRS",
    help: "Additional directories to send files from, separated by colons or commas.",
  }),
  transcribe: configKey<boolean>({
    key: "stt.enabled",
    kind: { type: "boolean" },
    default: true,
    help: "Transcribe voice messages of chats if a transcriber is configured; otherwise the model gets the path.",
  }),
} as const;

export const MEDIA_KEYS: readonly ConfigKey<unknown>[] = Object.values(MEDIA);
