import type { Once } from "../../base/async/lazy.js";
import type { EpochMs } from "../../base/units.js";
import type { Chat } from "../../chat/chat.js";
import type { Checkpoints } from "../../checkpoints/checkpoints.js";
import type { AppOptions } from "../../config/app-options.js";
import type { BrowserApi } from "../../contracts/browser/browser.js";
import type { McpApi } from "../../contracts/mcp/mcp.js";
import type { AuthApi } from "../../contracts/models/auth.js";
import type { OwnerApi } from "../../contracts/owner/owner.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { GatewayLife } from "../../gateway/lifecycle/gateway-lifecycle.js";
import type { Models } from "../../models/select.js";
import type { OutsideContext } from "../../runtime/outside-part.js";
import type { BoardParts } from "../board/build-board.js";
import type { Listeners } from "../listeners/listeners.js";
import type { Stores } from "../stores/stores.js";

/** What the host of an app knows for it. */
export interface OwnerHooks {
  /** Connected clients. */
  readonly clients: () => number;
  readonly requestStop: () => void;
  readonly protocol: OwnerApi["protocol"];
}

/** What the owner looks at when it tells about itself. */
export interface OwnerParts {
  readonly options: AppOptions;
  readonly stores: Stores;
  readonly boards: Once<BoardParts>;
  readonly chats: Once<Chat>;
  readonly models: Once<Models>;
  readonly keeper: Once<Checkpoints>;
  readonly listeners: Once<Listeners>;
  readonly auth: AuthApi;
  readonly logins: OutsideContext["logins"];
  readonly mcp: Pick<McpApi, "list">;
  readonly browser: Pick<BrowserApi, "status">;
  readonly skills: Pick<SkillServices, "catalog">;
  readonly gateway: Once<GatewayLife>;
  /** Objects that plugins have registered. */
  readonly provided: OutsideContext["provided"];
  readonly hooks: OwnerHooks;
  readonly started: EpochMs;
}
