import type { Binding } from "../state.js";
import { openCheckpoints } from "./checkpoints/update.js";
import { openModels } from "./models/update.js";
import { openPermissions } from "./permissions/update.js";
import { openThemes } from "./themes/themes.js";
import { openUsage } from "./usage/update.js";

type Row = readonly [id: string, slash: string, label: string, act: Binding["act"]];

const ROWS: readonly Row[] = [
  ["models", "model", "choose a model", openModels],
  ["themes", "theme", "choose a theme", openThemes],
  ["permissions", "permissions", "rules and grants", openPermissions],
  ["checkpoints", "checkpoints", "checkpoints of this directory", openCheckpoints],
  ["context", "context", "what fills the window", openUsage("context")],
  ["cost", "cost", "what it has cost", openUsage("cost")],
];

/** What has no key of its own: it opens by its command, or from the palette. */
export const OPENERS: readonly Binding[] = ROWS.map(([id, slash, label, act]) => ({
  id,
  context: "everywhere",
  keys: [],
  label,
  slash,
  act,
}));
