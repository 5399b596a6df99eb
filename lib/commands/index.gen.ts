// Written by `make index`. Do not edit.
import type { CommandEntry } from "./entry.js";

export const COMMANDS: readonly CommandEntry[] = [
];
