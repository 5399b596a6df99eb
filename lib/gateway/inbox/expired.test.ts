import assert from "node:assert/strict";
import { test } from "node:test";
import { PLATFORMS } from "../../../adapters/platforms/index.gen.js";
import { startMsgt } from "../../../fixtures/servers/msgt/server.js";
import { ACCOUNT, refused, startMsgx } from "../../../fixtures/servers/msgx/server.js";
import { lifeWorld } from "../../../fixtures/sim/gateway-life.js";
import { TOKEN as MSGT_TOKEN } from "../../../fixtures/worlds/msgt-world.js";
import { TOKEN as MSGX_TOKEN } from "../../../fixtures/worlds/msgx-world.js";

test("GW-123: when the platform ends a login, one notice goes to the home channel of another platform, over both real adapters", async (t) => {
  const msgt = await startMsgt({ token: MSGT_TOKEN });
  const msgx = await startMsgx({ token: MSGX_TOKEN });
  const env = {
    MSGT_BOT_TOKEN: MSGT_TOKEN,
    MSGT_API_BASE: msgt.url,
    MSGT_HOME_CHANNEL: "42",
    MSGT_GATEWAY_RESTART_NOTIFICATION: "no",
    MSGX_ACCOUNT_ID: ACCOUNT,
    MSGX_TOKEN,
    MSGX_BASE_URL: msgx.url,
    MSGX_HOME_CHANNEL: "u@im.wechat",
  };
  const entries = PLATFORMS.filter(({ tag }) => tag === "msgt" || tag === "msgx");
  const world = await lifeWorld(t, { script: [], env, real: { entries } });
  t.after(() => Promise.all([msgt.close(), msgx.close()]));
  await world.host().begin();
  await Promise.all([
    msgt.until(() => msgt.of("getUpdates").length > 0),
    msgx.until(() => msgx.of("getupdates").length > 0),
  ]);
  msgx.always("getupdates", refused(-14, "session timeout"));
  msgx.say(); // the poll that waits is answered; the next one meets the end of the login
  await msgt.until(() => msgt.shown.length > 0);
  const told =
    "⚠️ msgx is not connected (login_expired): the login of MSGX has ended: log in again with agent gateway login msgx";
  assert.deepEqual(
    msgt.shown.map(({ text, params }) => [text, params["chat_id"]]),
    [[told, "42"]],
  );
  const { platforms } = await world.api().status();
  assert.deepEqual(
    [platforms["msgx"]?.state, platforms["msgx"]?.error_code, platforms["msgt"]?.state],
    ["fatal", "login_expired", "connected"],
  );
  await world.host().stop();
  assert.deepEqual(
    [msgt.shown.length, msgx.state.shown.length],
    [1, 0],
    "it is told once, and not to people of the platform that is gone",
  );
});
