import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { PLATFORMS } from "../../../adapters/platforms/index.gen.js";
import { FAKES } from "../../../fixtures/servers/fakes.gen.js";
import { randomIds } from "../../base/ids.js";
import { systemClock } from "../../base/time/clock.js";
import type { CredentialCheck } from "../../gateway/adapter/define-platform.js";
import { platformSettings } from "../../gateway/settings/platform-settings.js";
import { createNet } from "../../safety/net/net.js";

async function platform(t: TestContext, tag: string) {
  const start = await FAKES[tag]?.();
  const definition = await PLATFORMS.find((one) => one.tag === tag)?.load();
  assert.ok(start !== undefined && definition !== undefined);
  const server = await start({ port: 0, args: [] });
  const net = createNet({ clock: systemClock, allowPrivate: () => true });
  const home = mkdtempSync(join(tmpdir(), "agent-check-"));
  t.after(async () => {
    await server.close();
    await net.close();
    rmSync(home, { recursive: true });
  });
  const check = async (changed: Readonly<Record<string, string>>): Promise<CredentialCheck | undefined> => {
    const source = { env: { ...server.env, ...changed }, raw: () => undefined };
    const others = (prefix: string) => platformSettings(prefix, source);
    const { signal } = new AbortController();
    return definition.check?.({
      settings: platformSettings(tag, source),
      others,
      net,
      clock: systemClock,
      ids: randomIds,
      home,
      signal,
    });
  };
  const source = { env: server.env, raw: () => undefined };
  const settings = (prefix: string) => platformSettings(prefix, source);
  const addresses = () => definition.addresses?.({ settings: settings(tag), others: settings }) ?? {};
  return { server, check, addresses, isChecked: definition.check !== undefined };
}

for (const { tag } of PLATFORMS) {
  test(`${tag}: the platform says whose the credentials are, and refuses wrong ones, at the address that status shows; nothing is received meanwhile`, async (t) => {
    const { server, check, addresses, isChecked } = await platform(t, tag);
    const shown = Object.values(addresses());
    assert.ok(shown.length > 0 && shown.every((address) => address.includes("127.0.0.1")), JSON.stringify(shown));
    assert.equal(
      server.refuses !== undefined,
      isChecked,
      "its fake refuses a credential where it can be asked about one",
    );
    if (!isChecked) return; // only receiving shows whether its credential is good
    const good = await check({});
    assert.ok(good !== undefined && "account" in good && good.account !== "", JSON.stringify(good));
    const bad = await check(server.refuses?.() ?? {});
    assert.equal(bad !== undefined && "code" in bad && bad.code, "auth_failed", JSON.stringify(bad));
    assert.doesNotMatch(JSON.stringify(server.ledger()), /getUpdates|deleteWebhook|StreamingPull|callback\/ws/);
  });
}

test("a platform that cannot be reached, and settings that cannot be meant, are told apart from a wrong credential", async (t) => {
  const { server, check } = await platform(t, "msgt");
  assert.match(JSON.stringify(await check({ MSGT_API_BASE: "http://127.0.0.1:1" })), /"code":"network"/);
  assert.match(JSON.stringify(await check({ MSGT_BOT_TOKEN: "nonsense" })), /"code":"config_invalid"/);
  assert.ok(server.ledger());
});
