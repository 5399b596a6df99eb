import assert from "node:assert/strict";
import { test } from "node:test";
import { PLATFORMS } from "../../../adapters/platforms/index.gen.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { silentLog } from "../../base/log/log.js";
import type { AppOptions } from "../../config/app-options.js";
import type { BuiltGateway } from "../../gateway/lifecycle/gateway-lifecycle.js";
import { followSettings } from "./follow-settings.js";

/** What is done when settings change from one state to the next. */
function following(env: Record<string, string>, file: Record<string, unknown> = {}) {
  let changed: () => void = () => undefined;
  const done: string[] = [];
  const config = {
    env,
    raw: (path: string) =>
      path
        .split(".")
        .reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), file),
    onChange: (listener: () => void) => {
      changed = listener;
      return () => undefined;
    },
  };
  const options = { config, log: silentLog } as unknown as AppOptions; // all that is looked at
  const built = {
    change: async (tag: string, entry: unknown) => {
      done.push(entry === undefined ? `-${tag}` : `+${tag}`);
    },
  } as unknown as BuiltGateway; // all that is called
  const first = PLATFORMS.filter(({ tag }) => env[`${tag.toUpperCase()}_BOT_TOKEN`] !== undefined);
  followSettings(options, built, first);
  return {
    env,
    file,
    settled: async () => {
      done.length = 0;
      changed();
      await quiet();
      return [...done];
    },
  };
}

test("changed credentials connect that adapter again, and what is read late leaves it alone", async () => {
  const { env, file, settled } = following({ MSGT_BOT_TOKEN: "1:a", MSGT_ALLOWED_USERS: "1" });
  assert.deepEqual(await settled(), []);
  env["MSGT_ALLOWED_USERS"] = "1,2";
  env["MSGT_HOME_CHANNEL"] = "42";
  env["OTHER"] = "x";
  assert.deepEqual(await settled(), []);
  env["MSGT_BOT_TOKEN"] = "1:b";
  assert.deepEqual(await settled(), ["+msgt"]);
  assert.deepEqual(await settled(), []);
  Object.assign(file, { platforms: { msgt: { base_url: "https://other.example" } } });
  assert.deepEqual(await settled(), ["+msgt"]);
  Object.assign(file, { platforms: { msgt: { base_url: "https://other.example", home_channel: { chat_id: "1" } } } });
  assert.deepEqual(await settled(), []);
});

test("a platform is connected when its credentials come, and let go when they go", async () => {
  const { env, settled } = following({});
  env["MSGT_BOT_TOKEN"] = "1:a";
  assert.deepEqual(await settled(), ["+msgt"]);
  env["MSGT_ENABLED"] = "no";
  assert.deepEqual(await settled(), ["-msgt"]);
});
