import type { ChatApi } from "../../contracts/chat/chat.js";
import type { FrontEnd } from "../../contracts/chat/front-end.js";

/** Conversations as commands of one client open and leave them: they are left when its connection closes. */
export function chatOfClient(chat: ChatApi, client: FrontEnd): ChatApi {
  return {
    ...chat,
    create: (input) => chat.create(input, client),
    resume: (id, options) => chat.resume(id, options, client),
    visit: (id, options) => chat.visit(id, options, client),
    leave: (id, reason) => chat.leave(id, reason, client),
  };
}
