import { AppError } from "../base/errors.js";
import type { BrowserCommand, BrowserStatus } from "../contracts/browser/browser.js";
import type { BrowserSource } from "../contracts/browser/engine.js";
import type { BrowserProvider } from "../contracts/browser/provider.js";

/** What the choice of a browser depends on, as it is now. */
export interface ChoiceParts {
  /** Endpoint that a person has connected with `/browser connect`. */
  readonly connected: string | undefined;
  /** `browser.engine`. */
  readonly engine: string;
  /** `browser.cdp_url`. */
  readonly cdpUrl: string;
  /** `browser.auto_local_for_private_urls`. */
  readonly autoLocal: boolean;
  readonly find: () => { readonly program: string } | { readonly why: string };
  readonly providers: readonly BrowserProvider[];
  /** An address that only this machine or its network reaches, and that the settings allow. */
  readonly isPrivate: (url: string) => Promise<boolean>;
}

/**
 * The browser for a command: the one that a person has connected, else that of `browser.engine`; `auto` takes `browser.cdp_url`, a provider that can be
 * used, then a local one.
 *
 * @param current the browser that the conversation is in
 * @throws AppError E_STATE saying why it is missing, and what to do
 */
export async function chooseBrowser(
  parts: ChoiceParts,
  command: BrowserCommand,
  current: BrowserSource | undefined,
): Promise<BrowserSource> {
  const main = mainBrowser(parts);
  if (main.kind !== "provider" || !parts.autoLocal) return main;
  if (command.do !== "navigate") return current?.kind === "local" ? current : main;
  return (await parts.isPrivate(command.url)) ? localBrowser(parts) : main;
}

function mainBrowser(parts: ChoiceParts): BrowserSource {
  const { connected, engine, cdpUrl, providers } = parts;
  if (connected !== undefined) return { kind: "attached", endpoint: connected };
  if (engine === "local") return localBrowser(parts);
  if (engine !== "auto") return namedProvider(parts);
  if (cdpUrl !== "") return { kind: "attached", endpoint: cdpUrl };
  const provider = providers.findLast((one) => one.isAvailable() === true);
  return provider === undefined ? localBrowser(parts) : toWish(provider);
}

function localBrowser({ find }: ChoiceParts): BrowserSource {
  const found = find();
  if ("program" in found) return { kind: "local", program: found.program };
  throw new AppError("E_STATE", found.why, { hint: "agent help browser explains which browser is used" });
}

function namedProvider({ engine, providers }: ChoiceParts): BrowserSource {
  const provider = providers.findLast(({ name }) => name === engine);
  if (provider === undefined) {
    const names = ["auto", "local", ...providers.map(({ name }) => name)].join(", ");
    throw new AppError("E_STATE", `browser.engine names '${engine}', which is unknown (known: ${names})`, {
      hint: "change it with agent config set browser.engine, or enable the plugin that provides it",
    });
  }
  const usable = provider.isAvailable();
  if (usable === true) return toWish(provider);
  const why = usable === false ? "it is not available" : usable;
  throw new AppError("E_STATE", `the browser provider ${engine} cannot be used: ${why}`, {
    hint: "agent plugins list shows its plugin",
  });
}

const toWish = (provider: BrowserProvider): BrowserSource => ({
  kind: "provider",
  name: provider.name,
  open: () => provider.open({ signal: AbortSignal.timeout(PROVIDER_MS) }),
});

/** A provider starts a browser within this time. */
const PROVIDER_MS = 60_000;

/** What `/browser status` says of the choice: the kind, and where. */
export function describeChoice(parts: ChoiceParts): Pick<BrowserStatus, "kind" | "where" | "why"> {
  try {
    const wish = mainBrowser(parts);
    const where = wish.kind === "local" ? wish.program : wish.kind === "attached" ? wish.endpoint : wish.name;
    return { kind: wish.kind, where, why: null };
  } catch (error) {
    return { kind: "none", where: null, why: error instanceof Error ? error.message : String(error) };
  }
}
