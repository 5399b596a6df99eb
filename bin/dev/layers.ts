const DOMAINS = [
  "lib/board",
  "lib/chat",
  "lib/models",
  "lib/logins",
  "lib/skills",
  "lib/memory",
  "lib/profiles",
  "lib/web",
  "lib/browser",
  "lib/media",
  "lib/desktop",
];
const SERVICES = [
  "lib/gateway",
  "lib/proxy",
  "lib/dashboard",
  "lib/checkpoints",
  "lib/plugins",
  "lib/mcp",
  "lib/hooks",
  "lib/backplane",
  "lib/http",
];
const FLOOR = ["lib/base", "lib/contracts", "lib/safety"];
const ENTRIES = [...FLOOR, "storage", "lib/help"];
const BELOW_DOMAINS = [...ENTRIES, "lib/commands", "lib/tools"];
const BELOW_SERVICES = [...BELOW_DOMAINS, ...DOMAINS, "lib/http"];
/** The settings of a home, and the language of command lines. */
const BELOW_GATEWAY = [...BELOW_SERVICES, "lib/config", "lib/cli"];
const BELOW_APP = [...BELOW_GATEWAY, ...SERVICES, "adapters", "lib/setup", "lib/runtime", "lib/rpc"];

/** What runs in a browser: it meets the rest over HTTP and in types. */
const PAGE = "lib/dashboard/page";

const each = (layers: readonly string[], below: readonly string[]) =>
  layers.map((layer): [string, readonly string[]] => [layer, below]);

/** Layer -> layers whose files it may import, beside its own. Imports point down only. */
const LAYERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["lib/base", []],
  ["lib/contracts", ["lib/base"]],
  ["lib/safety", ["lib/base", "lib/contracts"]],
  ["lib/help", ["lib/base"]],
  ["storage", ["lib/base", "lib/contracts"]],
  ...each(["lib/commands", "lib/tools"], ENTRIES),
  ...each(DOMAINS, BELOW_DOMAINS),
  ["lib/config", FLOOR],
  ["lib/cli", [...BELOW_DOMAINS, "lib/config", "lib/backplane"]],
  ...each(SERVICES, BELOW_SERVICES),
  ["lib/gateway", BELOW_GATEWAY],
  // Providers are written with the wire protocols, error classes and endpoint table of lib/models.
  // Those of platforms judge what they saw of a call by the one rule of the gateway, and are defined with its settings.
  [
    "adapters",
    [
      ...FLOOR,
      "lib/models",
      "lib/gateway/adapter/send-outcome",
      "lib/gateway/adapter/define-platform",
      "lib/gateway/settings/platform-settings",
      "lib/gateway/text/bubbles",
      "lib/gateway/text/tables",
      // What a browser shows becomes rows, differences and files by rules without a browser.
      "lib/browser/snapshot",
    ],
  ],
  [PAGE, ["lib/contracts", "lib/base/units", "lib/base/text/entities", "lib/base/text/bidi", "lib/base/text/markdown"]],
  ["lib/setup", [...BELOW_GATEWAY, "lib/backplane", "adapters"]],
  // What the owner and its workers build conversations from.
  ["lib/runtime", [...BELOW_SERVICES, "lib/config", "lib/mcp", "lib/backplane/callback", "adapters"]],
  ["lib/rpc", [...BELOW_GATEWAY, ...SERVICES, "lib/setup", "lib/runtime"]],
  [
    "lib/worker",
    [
      ...BELOW_SERVICES,
      "lib/config",
      "lib/runtime",
      "lib/checkpoints",
      "lib/backplane",
      "lib/hooks",
      "lib/plugins",
      "adapters",
    ],
  ],
  ["lib/app", BELOW_APP],
  ["tui", ["lib/base", "lib/contracts", "lib/backplane/client"]],
  ["bin", [...BELOW_APP, "lib/app", "lib/worker", "tui"]],
  ["fixtures", [...BELOW_APP, "lib/app", "lib/worker", "tui"]],
]);

/** Layer of a file, or undefined when it is in none. `bin/dev` is a tool beside the product and may look at all of it. */
export function layerOf(path: string): string | undefined {
  const names = path.split("/");
  if (path.startsWith(`${PAGE}/`)) return PAGE;
  const first = names[0] ?? "";
  const name = first === "lib" ? names.slice(0, 2).join("/") : first;
  return LAYERS.has(name) ? name : undefined;
}

/** A file of layer `from` may import the file `target`. */
export function mayImport(from: string, target: string): boolean {
  const to = layerOf(target);
  if (to === undefined) return false;
  return (
    to === from ||
    (LAYERS.get(from) ?? []).some((below) => below === to || target.startsWith(`${below}/`) || target === `${below}.ts`)
  );
}

/** Where files, processes, clocks, timers and sockets may be touched directly. Everybody else is handed a port. */
const OPEN = ["lib/base", "lib/safety", "storage", "lib/http", "lib/backplane", "bin", "fixtures", PAGE];

export const mayTouchSystem = (layer: string): boolean => OPEN.includes(layer);

/** Modules that only compute. Any layer may use them. */
export const PURE_MODULES: ReadonlySet<string> = new Set([
  "node:assert",
  "node:assert/strict",
  "node:async_hooks",
  "node:buffer",
  "node:crypto",
  "node:events",
  "node:os",
  "node:path",
  "node:querystring",
  "node:stream",
  "node:string_decoder",
  "node:url",
  "node:util",
  "node:zlib",
]);

/** Packages that belong to few layers: package -> folders that may import it. */
export const PACKAGE_PLACES: ReadonlyMap<string, readonly string[]> = new Map([
  ["neo-blessed", ["tui/terminal/screen.ts"]],
  ["sql.js", ["storage/sqljs", "fixtures/sim"]],
  ["node-sqlite3-wasm", ["storage/file"]],
  ["yargs", ["bin", "lib/cli"]],
  ["preact", [PAGE]],
  ["preact/hooks", [PAGE]],
  ["marked", ["lib/base/text/markdown.ts"]],
  ["highlight.js/lib/core", ["bin/grammars.ts"]],
  ["chokidar", ["lib/base/fs/watch.ts"]],
  ["undici", ["lib/safety/net"]],
  ["undici/lib/dispatcher/agent.js", ["lib/safety/net"]],
  ["undici/lib/core/connect.js", ["lib/safety/net"]],
  ["@modelcontextprotocol/client", ["adapters/mcp"]],
  ["@modelcontextprotocol/client/stdio", ["adapters/mcp"]],
  ["@modelcontextprotocol/server", ["adapters/mcp", "adapters/desktop", "fixtures"]],
  ["@modelcontextprotocol/server/stdio", ["adapters/mcp", "adapters/desktop", "fixtures"]],
  ["@agentclientprotocol/sdk", ["adapters/acp", "adapters/runtimes", "fixtures"]],
  ["linkedom", ["lib/web"]],
  ["@mozilla/readability", ["lib/web"]],
  ["turndown", ["lib/web"]],
  ["playwright-core", ["adapters/browser", "fixtures", "bin/dev", "lib/dashboard", "lib/app"]],
  ["sharp", ["lib/base/fs/picture-scale.ts", "fixtures"]],
  ["ws", ["lib/backplane", "lib/http", "fixtures"]],
]);
