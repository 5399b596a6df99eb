import * as z from "zod";
import { hookShape } from "../shapes/hooks.js";
import { pluginShape } from "../shapes/plugins.js";
import type { Results } from "./define.js";

/** Answers of the methods about plugins and hooks. */
export const PLUGIN_RESULTS: Results = {
  "hooks.list": z.array(hookShape),
  "plugins.list": z.array(pluginShape),
};
