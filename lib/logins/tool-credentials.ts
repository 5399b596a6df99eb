import { AppError, toAppError } from "../base/errors.js";
import type {
  CredentialChoice,
  CredentialKind,
  ToolCredential,
  ToolCredentials,
} from "../contracts/models/tool-credentials.js";
import { isLoopbackAddress, isSafeAddress, sameSite } from "./core/addresses.js";
import { hasSecret } from "./core/credentials.js";
import type { Logins } from "./logins.js";

/** The credentials of one provider as its tools use them (proxy part, 10). */
export function createToolCredentials(
  logins: Pick<Logins, "provider" | "pool" | "source" | "store">,
  provider: string,
): ToolCredentials {
  const descriptor = logins.provider(provider);
  const { id, name, keyVariables = [] } = descriptor;
  const login = `agent auth add ${id}`;
  const hasKind = (kind: CredentialKind): boolean => {
    const own = logins
      .pool(descriptor)
      .entries()
      .filter(({ type }) => type === kind);
    // A login that came to its end is still the one that the user wants: a key may cost another person's money.
    if (kind === "oauth") return own.length > 0 || logins.store.view().authError(id) !== undefined;
    return own.some((entry) => entry.status !== "dead" && hasSecret(entry));
  };
  const chosen = (choice: CredentialChoice): CredentialKind | undefined => {
    const kinds: readonly CredentialKind[] = choice === "auto" ? ["oauth", "api_key"] : [choice];
    return kinds.find(hasKind);
  };
  const none = (choice: CredentialChoice): AppError => {
    const key = keyVariables.length === 0 ? "" : `${keyVariables[0] ?? ""} in .env`;
    const remedy = { oauth: login, api_key: `set ${key}`, auto: `${login}, or set ${key}` }[choice];
    const missing = {
      oauth: `not logged in to ${name}`,
      api_key: `no API key of ${name}`,
      auto: `no login to ${name} and no API key`,
    };
    return new AppError("E_AUTH", `${missing[choice]}: ${remedy}`, { provider: id, hint: remedy });
  };
  /** Whatever is wrong with a login, the words say how to make another one. */
  const naming = (kind: CredentialKind, error: unknown): AppError => {
    const { code, message, hint, data } = toAppError(error);
    const said =
      kind === "api_key" || message.includes(login) ? message : `${message} (${hint.includes(login) ? hint : login})`;
    return new AppError(code, said, data, error);
  };
  return {
    exists: async (choice) => chosen(choice) !== undefined,
    get: async (choice, baseUrl, signal) => {
      const kind = chosen(choice);
      if (kind === undefined) throw none(choice);
      try {
        return at({ ...(await logins.source(id, kind).get(signal)), kind }, baseUrl);
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof AppError && error.code === "E_USAGE" ? error : naming(kind, error);
      }
    },
    renew: async (refused, signal): Promise<ToolCredential | undefined> => {
      if (refused.kind === "api_key") return undefined;
      const source = logins.source(id, "oauth");
      try {
        const next = await source.retry(refused, 401, {}, signal);
        return { ...(next ?? (await source.get(signal))), kind: "oauth", baseUrl: refused.baseUrl };
      } catch (error) {
        signal.throwIfAborted();
        throw naming("oauth", error);
      }
    },
    worked: async (used) => logins.source(id, used.kind).succeeded?.(used),
  };
}

/** A key goes wherever its user says, in private; a login to its own vendor and to this machine alone. */
function at(credential: ToolCredential, baseUrl: string): ToolCredential {
  if (baseUrl === "") return credential;
  const safe = isSafeAddress(baseUrl);
  if (safe && (credential.kind === "api_key" || isLoopbackAddress(baseUrl) || sameSite(baseUrl, credential.baseUrl)))
    return { ...credential, baseUrl };
  const why = safe ? "a login is sent to its own vendor only" : "credentials are only sent to https:// addresses";
  throw new AppError("E_USAGE", `${baseUrl}: ${why}`, { hint: "remove base_url from the settings of the tool" });
}
