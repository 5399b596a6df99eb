import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { layOutHome } from "../../base/home.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { Config, ConfigKey } from "../../contracts/config/config.js";
import { mcpLoginFile } from "../../contracts/mcp/logins.js";
import { examineMcp } from "./doctor-mcp.js";

test("doctor names entries that are wrong, programs that are missing, variables that are not set and logins that are needed", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "doctor-mcp-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = layOutHome(dir);
  const program = join(dir, "srv");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  const examine = (servers: unknown) => {
    const config: Pick<Config, "get"> = { get: <T>(_key: ConfigKey<T>) => servers as T }; // the only key that is asked for
    return examineMcp({ config: config as LoadedConfig, home, env: { PATH: dir } }, { list: () => [] }).map(
      ({ status, detail, fix }) => `${status} ${detail}${fix === undefined ? "" : ` | ${fix}`}`,
    );
  };
  assert.deepEqual(examine({}), []);
  assert.deepEqual(examine({ a: { command: "srv" }, b: { command: program }, c: { url: "https://a.example" } }), [
    "ok 3 servers",
  ]);
  const login = { url: "https://a.example", auth: "oauth" };
  assert.deepEqual(
    examine({
      gone: { command: "nowhere" },
      off: { command: "nowhere", enabled: false },
      wrong: {},
      notes: login,
      v: { command: "srv", args: ["${NOPE}"] },
    }),
    [
      "warn gone: no program nowhere | install it, or agent mcp remove gone",
      "warn wrong: give command (a program) or url (an address) | edit mcp_servers in config.yaml",
      "warn notes: not logged in | agent mcp login notes",
      "warn v: the variable NOPE is not set | agent config set NOPE VALUE stores it in .env",
    ],
  );
  mkdirSync(dirname(mcpLoginFile(home, "notes")));
  writeFileSync(mcpLoginFile(home, "notes"), "{}");
  assert.deepEqual(examine({ notes: login }), ["ok 1 server"]);
});
