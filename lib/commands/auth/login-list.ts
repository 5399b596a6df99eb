import { systemClock } from "../../base/time/clock.js";
import type { AuthApi } from "../../contracts/models/auth.js";
import type { CommandResult } from "../define.js";
import { entryData, providerLines } from "./text.js";

/** Logins and keys of one provider, or of all that have some. */
export async function listCredentials(auth: AuthApi, provider: string | undefined): Promise<CommandResult> {
  const { providers, problems } = await auth.list(provider);
  const now = systemClock.now();
  const none = provider === undefined ? "No logins or keys." : `No login or key for ${provider}.`;
  const lines = providers.flatMap((one) =>
    one.entries.length === 0 && one.error === null ? [] : providerLines(one, now),
  );
  return {
    text: lines.length === 0 ? `${none} agent auth add ${provider ?? "PROVIDER"} adds one.` : lines.join("\n"),
    data: { providers: providers.map((one) => ({ ...one, entries: one.entries.map(entryData) })), problems },
    warnings: problems,
  };
}
