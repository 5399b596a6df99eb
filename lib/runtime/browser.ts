import { join } from "node:path";
import { once } from "../base/async/lazy.js";
import { AppError } from "../base/errors.js";
import { findBrowser } from "../base/process/find-browser.js";
import { type ChoiceParts, chooseBrowser, describeChoice } from "../browser/choose.js";
import type { BrowserFacts, BrowserPool } from "../browser/pool.js";
import type { BrowserApi, BrowserStatus } from "../contracts/browser/browser.js";
import { BROWSER } from "../contracts/browser/keys.js";
import type { BrowserProvider } from "../contracts/browser/provider.js";
import { ALLOW_PRIVATE, FAKE_IP_RANGES, TRUST_PROXY } from "../safety/config/keys.js";
import { createAddressFilter, type FilterOptions } from "../safety/net/address-filter.js";
import { envProxy } from "../safety/net/env-proxy.js";
import type { OutsideContext, OutsideOptions, OutsidePart } from "./outside-part.js";

/** The browser of a process. Nothing of it is loaded before the first command. */
export const browserPart: OutsidePart = (options, around) => {
  const attached: Attached = { endpoint: undefined };
  const pool = once(() => build(options, () => choice()));
  const closeAll = async (reason: string) => (await pool.peek())?.closeAll(reason);
  const choice = () => choiceOf(options, around, attached);
  const status = async (): Promise<BrowserStatus> => {
    const facts = (await pool.peek())?.facts() ?? NOT_RUNNING;
    const { listLeases } = await import("../../adapters/browser/engine/profiles.js");
    const leases = listLeases({ base: profilesOf(options), spawner: options.spawner });
    return { ...describeChoice(choice()), ...facts, leases };
  };
  const browser: BrowserApi = {
    run: async (place, command, signal) => (await pool()).run(place, command, signal),
    status,
    connect: async (endpoint) => {
      checkEndpoint(endpoint);
      const { probeEndpoint } = await import("../../adapters/browser/engine/attach.js");
      await probeEndpoint(endpoint);
      attached.endpoint = endpoint;
      await closeAll("a person has connected another browser");
      return await status();
    },
    disconnect: async () => {
      if (attached.endpoint !== undefined) await closeAll("the person has disconnected their browser");
      attached.endpoint = undefined;
      return await status();
    },
    release: async (lineage) => (await pool.peek())?.release(lineage),
  };
  return { ports: { browser }, close: () => closeAll("the owner was stopped") };
};

const NOT_RUNNING: BrowserFacts = { running: false, version: null, contexts: 0, note: null };

const profilesOf = ({ home }: Pick<OutsideOptions, "home">): string => join(home.cache, "browser");

/** What a person has connected with `/browser connect`; it counts before every setting, until they disconnect or the owner ends. */
interface Attached {
  endpoint: string | undefined;
}

async function build(options: OutsideOptions, choice: () => ChoiceParts): Promise<BrowserPool> {
  const [{ createBrowserPool }, { createBrowserLauncher: createBrowserDoor }, { siteRefusal }] = await Promise.all([
    import("../browser/pool.js"),
    import("../../adapters/browser/engine/door.js"),
    import("./site-rules.js"),
  ]);
  const { config, clock, ids, spawner } = options;
  const log = options.log.child("browser");
  const door = createBrowserDoor({
    clock,
    ids,
    spawner,
    env: config.env,
    profiles: profilesOf(options),
    self: { pid: process.pid, root: process.getuid?.() === 0 },
    net: { ...rulesOf(options), refuse: siteRefusal(options) },
    dialogs: {
      policy: () => config.get(BROWSER.dialogPolicy),
      timeoutMs: () => config.get(BROWSER.dialogTimeout) * 1000,
    },
  });
  return createBrowserPool({
    door,
    clock,
    log,
    limits: () => ({
      inactivityMs: config.get(BROWSER.inactivity) * 1000,
      commandMs: config.get(BROWSER.command) * 1000,
    }),
    choose: (command, current) => chooseBrowser(choice(), command, current),
  });
}

/** The rules of the address guard, and the switch that is the browser's own. */
const rulesOf = ({ clock, config }: OutsideOptions): Omit<FilterOptions, "refuse"> => ({
  clock,
  allowPrivate: () => config.get(ALLOW_PRIVATE) || config.get(BROWSER.allowPrivate),
  fakeIpRanges: () => config.get(FAKE_IP_RANGES),
  proxyFor: (url) => (config.get(TRUST_PROXY) ? envProxy(config.env, url) : undefined),
  setting: BROWSER.allowPrivate.key,
});

function choiceOf(options: OutsideOptions, around: OutsideContext, { endpoint }: Attached): ChoiceParts {
  const { config } = options;
  const rules = rulesOf(options);
  return {
    connected: endpoint,
    engine: config.get(BROWSER.engine),
    cdpUrl: config.get(BROWSER.cdpUrl),
    autoLocal: config.get(BROWSER.autoLocal),
    find: () => findBrowser(config.get(BROWSER.executable), config.env),
    providers: around.provided("browser").filter(isProvider),
    isPrivate: async (url) => {
      if (!rules.allowPrivate()) return false;
      return (await createAddressFilter({ ...rules, allowPrivate: () => false })(url)) !== undefined;
    },
  };
}

/** The registry has looked at `isAvailable`. */
const isProvider = (provider: object): provider is BrowserProvider =>
  typeof Reflect.get(provider, "open") === "function";

/** @throws E_INVALID for anything but the address of a debugging endpoint */
function checkEndpoint(endpoint: string): void {
  const protocol = URL.canParse(endpoint) ? new URL(endpoint).protocol : "";
  if (["http:", "https:", "ws:", "wss:"].includes(protocol)) return;
  throw new AppError("E_INVALID", `${endpoint} is not the address of a debugging endpoint`, {
    hint: "such as http://127.0.0.1:9222",
  });
}
