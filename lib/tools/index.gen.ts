// Written by `make index`. Do not edit.
import type { ToolEntry } from "./entry.js";

export const TOOLS: readonly ToolEntry[] = [
];
