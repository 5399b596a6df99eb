import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config, ConfigKey } from "../contracts/config/config.js";
import { isKnownProvider, type ModelSelection, resolveTarget } from "./targets.js";

type Settings = Readonly<Record<string, unknown>>;

const OWN = "https://api.openai.com/v1";
const VENDOR = { provider: "vendor" };
const ENV = { VENDOR_API_KEY: "of-vendor", OPENAI_API_KEY: "of-openai" };
const ON = { vendor_runtime: "vendor_app_server" };

interface Row {
  readonly name: string;
  readonly settings: Settings;
  readonly env?: Readonly<Record<string, string>>;
  readonly wanted?: ModelSelection;
  /** `provider model address keys`. */
  readonly is: string;
}

const ROWS: readonly Row[] = [
  { name: "no entry and no key", settings: { model: VENDOR }, is: `vendor gpt-5.2 ${OWN}` },
  { name: "the key of choice alone", settings: { model: VENDOR }, env: ENV, is: `vendor gpt-5.2 ${OWN} of-vendor` },
  {
    name: "the other name of the key",
    settings: { model: VENDOR },
    env: { VENDOR_API_KEY: " ", OPENAI_API_KEY: "of-openai" },
    is: `vendor gpt-5.2 ${OWN} of-openai`,
  },
  {
    name: "the model of the settings",
    settings: { model: { ...VENDOR, default: "big" } },
    is: `vendor big ${OWN}`,
  },
  {
    name: "an entry without an address completes it",
    settings: { model: VENDOR, providers: { vendor: { models: { small: {} }, api_key: "written" } } },
    env: ENV,
    is: `vendor small ${OWN} written`,
  },
  {
    name: "another address by its variable",
    settings: { model: VENDOR },
    env: { ...ENV, VENDOR_BASE_URL: "https://proxy.test/v1" },
    is: "vendor gpt-5.2 https://proxy.test/v1 of-vendor",
  },
  {
    name: "an address of the settings never gets the key of the variables",
    settings: { model: { ...VENDOR, default: "m" }, providers: { vendor: { base_url: "https://other.test/v1" } } },
    env: ENV,
    is: "vendor m https://other.test/v1",
  },
  {
    name: "an address that is asked for never gets it either",
    settings: { model: VENDOR },
    env: ENV,
    wanted: { provider: "vendor", baseUrl: "https://other.test/v1" },
    is: "vendor gpt-5.2 https://other.test/v1",
  },
  { name: "by its prefix", settings: {}, wanted: { model: "vendor:big" }, is: `vendor big ${OWN}` },
  { name: "auto without the app-server", settings: {}, env: ENV, is: "search" },
  { name: "auto with the app-server", settings: { model: ON }, env: ENV, is: `vendor gpt-5.2 ${OWN} of-vendor` },
  { name: "auto with the app-server and no key", settings: { model: ON }, is: "search" },
];

/** Settings as a file has them. */
function configOf(settings: Settings): Config {
  const raw = (path: string): unknown =>
    path.split(".").reduce<unknown>((at, name) => (Object(at) as Record<string, unknown>)[name], settings);
  return {
    get: <T>(key: ConfigKey<T>) => (raw(key.key) ?? key.default) as T,
    raw,
    source: () => "file",
    hasVariable: () => false,
    onChange: () => () => undefined,
  };
}

for (const { name, settings, env = {}, wanted = {}, is } of ROWS) {
  test(`the provider vendor: ${name}`, () => {
    const places = { env: (variable: string) => (env as Record<string, string | undefined>)[variable] };
    const found = resolveTarget(configOf(settings), places, wanted);
    const text =
      found.kind === "endpoint"
        ? [found.target.id, found.target.model, found.target.baseUrl, ...found.target.keys].join(" ")
        : found.kind;
    assert.equal(text, is);
  });
}

test("the provider vendor can be chosen by name", () => {
  assert.equal(isKnownProvider(configOf({}), "vendor"), true);
  assert.equal(isKnownProvider(configOf({}), "router"), false);
});
