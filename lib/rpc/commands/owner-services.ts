import type { FileStore } from "../../../storage/file/open.js";
import type { Store } from "../../../storage/store.js";
import type { Bus } from "../../backplane/bus.js";
import type { Once } from "../../base/async/lazy.js";
import type { Board } from "../../board/board.js";
import type { Chat } from "../../chat/chat.js";
import type { EditorDesk } from "../../chat/editor/editor-desk.js";
import type { Checkpoints } from "../../checkpoints/checkpoints.js";
import type { CommandServices } from "../../commands/define.js";
import type { AppOptions } from "../../config/app-options.js";
import type { BringServers } from "../../contracts/mcp/brought.js";
import type { ModelsApi } from "../../contracts/models/models-api.js";
import type { Models } from "../../models/select.js";
import type { ToolRegistry } from "../../tools/registry/tool-registry.js";
import type { RunWatch } from "../runs/run-watch.js";

type OfCommands =
  | "auth"
  | "board"
  | "chat"
  | "settings"
  | "owner"
  | "profiles"
  | "checkpoints"
  | "languageServers"
  | "mcp"
  | "dashboard"
  | "proxy"
  | "cron"
  | "gateway"
  | "plugins"
  | "skills"
  | "memory"
  | "browser"
  | "voice"
  | "runtimes"
  | "runtime";

/** What the methods of an owner work with. The app has all of it. */
export interface OwnerServices extends Pick<CommandServices, OfCommands> {
  readonly options: AppOptions;
  readonly bus: Bus;
  /** Editors whose files the file tools read and write. */
  readonly editors: EditorDesk;
  /** MCP servers that front ends bring for their sessions. */
  readonly broughtServers: BringServers;
  readonly stores: OwnerStores;
  /** The session store, with the turns closed that an earlier owner left open. */
  readonly sessions: Once<Store>;
  readonly boards: Once<{ readonly board: Board }>;
  readonly chats: Once<Chat>;
  readonly models: Once<Models>;
  readonly modelsApi: ModelsApi;
  readonly tools: Once<ToolRegistry>;
  readonly keeper: Once<Checkpoints>;
  readonly runs: RunWatch;
}

interface OwnerStores {
  state(): Promise<Store>;
  sessions(): Promise<FileStore>;
  /** What is wrong with stores, in one sentence each. */
  problems(): readonly string[];
}
