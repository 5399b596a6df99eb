import { defineProvider } from "../../lib/models/core/define.js";
import { anthropicProvider } from "../../lib/models/wire/anthropic.js";

export default defineProvider({
  id: "anthropic_messages",
  summary: "Endpoints with the public Anthropic messages protocol.",
  create: anthropicProvider,
});
