import type { AuthDeps } from "./auth-deps.js";
import { addressesOf } from "./core/addresses.js";
import type { Descriptor } from "./core/descriptors.js";
import type { LoginEntry } from "./core/entry.js";
import { netFor } from "./core/trust.js";
import { flowOf } from "./flows/flows.js";
import { madeAt } from "./refresh.js";

/** Forget every login to a provider, and tell it so where it takes that. Keys stay. */
export async function logout(
  deps: AuthDeps,
  descriptor: Descriptor,
): Promise<{ readonly removed: number; readonly revoked: number }> {
  const { store } = deps.logins;
  const record = store.view().provider(descriptor.id);
  const entries = await store.update((document): readonly LoginEntry[] => {
    const own = document.entries(descriptor.id).filter((entry) => entry.type === "oauth");
    for (const entry of own) document.drop(descriptor.id, entry.id);
    document.dropProvider(descriptor.id);
    return own;
  });
  const flow = flowOf(descriptor);
  let revoked = 0;
  for (const entry of entries) {
    const token = entry.refreshToken ?? entry.accessToken;
    // Forgotten first: a provider that does not answer must not keep a user logged in here.
    if (token === undefined || flow?.revoke === undefined) continue;
    const net = await netFor(deps.net, entry).catch(() => undefined); // its certificates are gone: the provider cannot be notified
    if (
      net !== undefined &&
      (await flow.revoke({ ...deps, net }, addressesOf(deps.config, descriptor, madeAt(entry, record)), token))
    )
      revoked += 1;
  }
  return { removed: entries.length, revoked };
}
