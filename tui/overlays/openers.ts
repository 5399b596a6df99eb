import type { Binding } from "../model/state.js";
import { openCheckpoints } from "./checkpoints/update.js";
import { openModels } from "./models/update.js";
import { openPermissions } from "./permissions/update.js";
import { openThemes } from "./themes/themes.js";
import { openUsage } from "./usage/update.js";

type Row = readonly [id: string, slash: string, label: string, act: Binding["act"]];

const ROWS: readonly Row[] = [
  ["models", "model", "choose a model", openModels],
  ["setup", "setup", "add a provider, a key or a server", openModels],
  ["themes", "theme", "choose a theme", openThemes],
  ["permissions", "permissions", "permissions", openPermissions],
  ["checkpoints", "checkpoints", "checkpoints of this directory", openCheckpoints],
  ["context", "context", "context usage", openUsage("context")],
  ["cost", "cost", "cost", openUsage("cost")],
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
