import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { openFileStore } from "../../../storage/file/open.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import { createHub } from "../transcript/hub.js";
import { openSessionStores } from "./session-stores.js";

test("an ephemeral session is in no list and never in the kept store", async (t) => {
  const clock = manualClock();
  const spec = { name: "sessions", path: "", kind: "sessions", migrations: sessionMigrations } as const;
  const make = async () => openFileStore(spec, { host: "inline", memory: true, clock, log: silentLog });
  const store = await make();
  t.after(() => store.close());
  const deps = {
    store: async () => store,
    memory: make,
    ports: { clock, ids: randomIds },
    files: { remove: () => undefined, backups: () => [] },
    readonly: false,
  };
  const stores = openSessionStores(
    deps,
    createHub((error) => {
      throw error;
    }),
  );
  t.after(() => stores.close());
  const input = { source: "cli", cwd: "/", profile: "default", model: "m", provider: "p" };
  const hidden = await stores.create({ ...input, ephemeral: true });
  const kept = await stores.create(input);
  assert.notEqual((await stores.of(hidden.id)).store, store);
  assert.equal((await stores.of(kept.id)).store, store);
  assert.equal(await (await stores.kept()).sessions.get(hidden.id), undefined);
  assert.ok(await (await stores.of(hidden.id)).sessions.get(hidden.id));
});
