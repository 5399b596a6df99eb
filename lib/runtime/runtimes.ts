import { RUNTIMES } from "../../adapters/runtimes/index.js";
import type { ConversationDeps, OpenRuntime } from "../chat/conversation/conversation-types.js";
import type { CallbackTools } from "../contracts/runtimes/callback.js";
import { APP_SERVER_TURN_TIMEOUT, VENDOR_RUNTIME } from "../contracts/runtimes/keys.js";
import type { RuntimeParts, RuntimePlace, VendorRoute } from "../contracts/runtimes/runtime.js";
import { VENDOR_PROVIDER } from "../contracts/runtimes/switch.js";
import type { Models } from "../models/select.js";

/** What is opened: the id of a runtime, and where its program runs. */
export interface RuntimeOpening {
  readonly id: string;
  readonly place: Omit<RuntimePlace, "callback">;
  readonly tools: CallbackTools;
}

/**
 * Open the program of one conversation, with the door to our tools. Nothing of it is started before its first turn.
 *
 * @returns undefined when no runtime has this id
 * @throws E_OWNER when no private directory for the socket can be made
 */
export async function openRuntime(
  parts: RuntimeParts,
  { id, place, tools }: RuntimeOpening,
): Promise<OpenRuntime | undefined> {
  const load = RUNTIMES.get(id);
  if (load === undefined) return undefined;
  const [definition, { openCallback }] = await Promise.all([load(), import("./callback/open-callback.js")]);
  const { home, log } = parts;
  const { door, entry } = await openCallback({ home, log, tools, env: place.env });
  const program = definition.open(parts, { ...place, callback: entry });
  return {
    id,
    program,
    timeoutMs: parts.config.get(APP_SERVER_TURN_TIMEOUT) * 1_000,
    close: async () => {
      try {
        await program.close();
      } finally {
        await door.close();
      }
    },
  };
}

/** The app-server for conversations that the provider `vendor` serves, where it is opted in to (extensions part, 8.1). */
export function vendorRuntime(
  parts: RuntimeParts,
  models: () => Promise<Pick<Models, "route">>,
): NonNullable<ConversationDeps["runtimeFor"]> {
  return async ({ provider, cwd, env, tools }) => {
    if (provider !== VENDOR_PROVIDER || parts.config.get(VENDOR_RUNTIME) === undefined) return undefined;
    const vendor = await vendorRoute(await models());
    return openRuntime(parts, { id: "app-server", place: { cwd, env, ...vendor }, tools });
  };
}

/** The key of the settings, the environment, `.env` of the home or `agent auth add`, as the app-server gets it. @throws E_CONFIG */
export async function vendorRoute(models: Pick<Models, "route">): Promise<{ readonly vendor?: VendorRoute }> {
  const { baseUrl, key } = await models.route(VENDOR_PROVIDER);
  return key === undefined ? {} : { vendor: { baseUrl, key } };
}
