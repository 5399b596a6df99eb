import { defineProvider } from "../../lib/models/core/define.js";
import { chatProvider } from "../../lib/models/wire/chat.js";

export default defineProvider({
  id: "chat_completions",
  summary: "Endpoints with the public chat-completions protocol, local servers included.",
  create: chatProvider,
});
