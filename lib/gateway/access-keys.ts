import { type ConfigKey, configKey } from "../proto/config.js";
import { BEHAVIOURS, type Behaviour } from "./passage.js";

/** Settings of who may talk and what strangers are told; what platforms say of it stands in their own blocks. */
export const ACCESS = {
  strangers: configKey<Behaviour | undefined>({
    key: "unauthorized_dm_behavior",
    kind: { type: "choice", of: BEHAVIOURS },
    default: undefined,
    help: "What somebody unknown gets in a direct chat: a pairing code, or nothing; unset: a code where no list says who may talk.",
  }),
} as const;

export const ACCESS_KEYS: readonly ConfigKey<unknown>[] = Object.values(ACCESS);
