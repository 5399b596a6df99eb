import { withEvents } from "../migrate.js";
import type { Store, StoreSpec } from "../store.js";
import { storeOver } from "./facade.js";
import { inlineLink } from "./inline.js";
import type { OpenOptions } from "./options.js";
import type { Sabotage } from "./sabotage.js";
import { threadLink } from "./thread-link.js";

/** Open a store of the `sqljs` engine. */
export async function openSqljs(given: StoreSpec, options: OpenOptions): Promise<Store> {
  if (options.host === "inline") return openInline(given, options);
  const spec = { ...given, migrations: withEvents(given.migrations) };
  return storeOver(await threadLink(spec, options), options.rehearse === true);
}

/** A store whose engine runs in this thread. `sabotage` is for the crash tests; a product build ignores it. */
export async function openInline(
  given: StoreSpec,
  options: OpenOptions,
  sabotage?: Sabotage,
): Promise<Store & { checkpoint(): Promise<void> }> {
  const spec = { ...given, migrations: withEvents(given.migrations) };
  return storeOver(await inlineLink(spec, options, sabotage), options.rehearse === true);
}
