import type { Dispatcher } from "../board/dispatcher.js";
import type { Chat } from "../chat/chat.js";
import type { Models } from "../models/select.js";
import type { AppOptions } from "./options.js";
import type { Stores } from "./stores.js";

/** What the owner looks at when it tells about itself. */
export interface OwnerParts {
  readonly options: AppOptions;
  readonly stores: Stores;
  readonly chat: Chat;
  readonly dispatcher: Dispatcher;
  readonly models: Models;
  readonly hooks: { readonly clients: () => number; readonly requestStop: () => void };
}
