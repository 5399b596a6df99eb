import { defineProvider } from "../../lib/models/define.js";
import { offlineProvider } from "../../lib/models/offline/provider.js";

export default defineProvider({
  id: "offline",
  summary: "The built-in rule-based stand-in, when no model is there.",
  keys: [],
  create: (ports) => offlineProvider(ports.clock),
});
