import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserCommand } from "../contracts/browser/browser.js";
import type { BrowserProvider } from "../contracts/browser/provider.js";
import { type ChoiceParts, chooseBrowser, describeChoice } from "./choose.js";

const GO: BrowserCommand = { do: "navigate", url: "http://a.test/" };
const LOOK: BrowserCommand = { do: "snapshot", full: false };
const provider = (name: string, usable: boolean | string = true): BrowserProvider => ({
  name,
  isAvailable: () => usable,
  open: async () => ({ endpoint: "ws://there" }),
});

const parts = (given: Partial<ChoiceParts> = {}): ChoiceParts => ({
  connected: undefined,
  engine: "auto",
  cdpUrl: "",
  autoLocal: true,
  find: () => ({ program: "/bin/chromium" }),
  providers: [],
  isPrivate: async () => false,
  ...given,
});

const chosen = async (given: Partial<ChoiceParts>, command = GO): Promise<string> => {
  const wish = await chooseBrowser(parts(given), command, undefined);
  return wish.kind === "local" ? wish.program : wish.kind === "attached" ? wish.endpoint : wish.name;
};

test("what a person has connected counts first, then the settings, then a provider, then the local browser", async () => {
  const cloud = { providers: [provider("first"), provider("cloud"), provider("away", "no key")] };
  const all = { ...cloud, cdpUrl: "http://127.0.0.1:1" };
  assert.equal(await chosen({ ...all, connected: "http://127.0.0.1:2" }), "http://127.0.0.1:2");
  assert.equal(await chosen(all), "http://127.0.0.1:1");
  assert.equal(await chosen(cloud), "cloud");
  assert.equal(await chosen({}), "/bin/chromium");
  assert.equal(await chosen({ ...all, engine: "local" }), "/bin/chromium");
  assert.equal(await chosen({ ...all, engine: "first" }), "first");
});

test("an allowed private address is opened in a local browser, and what follows happens there", async () => {
  const given = { providers: [provider("cloud")], isPrivate: async () => true };
  assert.equal(await chosen(given), "/bin/chromium");
  const local = { kind: "local", program: "/bin/chromium" } as const;
  assert.equal((await chooseBrowser(parts(given), LOOK, local)).kind, "local");
  assert.equal((await chooseBrowser(parts(given), LOOK, undefined)).kind, "provider");
  assert.equal(await chosen({ ...given, autoLocal: false }), "cloud");
  assert.equal((await chooseBrowser(parts({ providers: [provider("cloud")] }), GO, local)).kind, "provider");
});

test("where there is no browser the reason says what to do", async () => {
  const none = { find: () => ({ why: "no Chromium or Chrome on the PATH" }) };
  await assert.rejects(chosen(none), /no Chromium or Chrome on the PATH/);
  assert.deepEqual(describeChoice(parts(none)), {
    kind: "none",
    where: null,
    why: "no Chromium or Chrome on the PATH",
  });
  await assert.rejects(
    chosen({ engine: "clowd", providers: [provider("cloud")] }),
    /'clowd'.*known: auto, local, cloud/,
  );
  await assert.rejects(
    chosen({ engine: "away", providers: [provider("away", "no key")] }),
    /browser provider away cannot be used: no key/,
  );
});
