// Written by `make index`. Do not edit.
import type { PlatformEntry } from "../../lib/gateway/define.js";

export const PLATFORMS: readonly PlatformEntry[] = [];
