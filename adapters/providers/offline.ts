import { defineProvider } from "../../lib/models/core/define.js";
import { offlineProvider } from "../../lib/models/offline/provider.js";

export default defineProvider({
  id: "offline",
  summary: "The built-in rule-based assistant, when no model is set up.",
  create: (ports) => offlineProvider(ports.clock),
});
