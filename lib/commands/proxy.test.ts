import assert from "node:assert/strict";
import { test } from "node:test";
import { runLine } from "../../fixtures/sim/run-line.js";
import type { HeldListener } from "../contracts/owner/listeners.js";
import type { ProxyApi, ProxyHeld, ProxyStatus, ProxyWanted } from "../contracts/owner/proxy.js";

const ADAPTER = { name: "subscription", display_name: "Portal", authenticated: true, expires_at: null, error: null };
const LISTENER = {
  url: "http://127.0.0.1:8645/v1",
  provider: "subscription",
  host: "127.0.0.1",
  port: 8645,
  since: new Date(2026, 0, 31, 9, 5).toISOString(),
  active: 1,
  total: 22,
  errors: 3,
};

const STATES: readonly {
  readonly what: string;
  readonly status: ProxyStatus;
  readonly says: string;
  readonly checked: number;
}[] = [
  {
    what: "nobody is logged in",
    status: { listeners: [], adapters: [{ ...ADAPTER, authenticated: false }] },
    says: "subscription  not logged in\nno listener is open; agent proxy start opens one\n",
    checked: 1,
  },
  {
    what: "all is well",
    status: {
      listeners: [LISTENER],
      adapters: [{ ...ADAPTER, expires_at: new Date(2031, 11, 1, 23, 59).toISOString() }],
    },
    says: `subscription  ready, token valid until 2031-12-01 23:59\n${LISTENER.url}  subscription  since 2026-01-31 09:05  active 1  total 22  errors 3\n`,
    checked: 0,
  },
  {
    what: "the token has no known end",
    status: { listeners: [LISTENER], adapters: [ADAPTER] },
    says: `subscription  ready\n${LISTENER.url}  subscription  since 2026-01-31 09:05  active 1  total 22  errors 3\n`,
    checked: 0,
  },
  {
    what: "the login has trouble and the listener could not be opened",
    status: { listeners: [], adapters: [{ ...ADAPTER, error: "refused" }], autostart_error: "port taken" },
    says: "subscription  needs attention: refused\nno listener is open; agent proxy start opens one\nthe owner failed to open it: port taken\n",
    checked: 1,
  },
  {
    what: "somebody else's words do not move the cursor",
    status: { listeners: [], adapters: [{ ...ADAPTER, error: "no\u001b[2J" }] },
    says: "subscription  needs attention: no [2J\nno listener is open; agent proxy start opens one\n",
    checked: 1,
  },
];

for (const { what, status, says, checked } of STATES) {
  test(`proxy status says that ${what}, and --check answers by its exit code`, async () => {
    assert.deepEqual(await run(["proxy", "status"], { status: async () => status }), { out: says, err: "", code: 0 });
    assert.equal((await run(["proxy", "status", "--check"], { status: async () => status })).code, checked);
    assert.deepEqual(
      JSON.parse((await run(["proxy", "status", "--json"], { status: async () => status })).out),
      status,
    );
  });
}

test("proxy providers shows names and sorted paths, also as proxy list", async () => {
  const providers = async () => [
    { name: "subscription", aliases: ["nous"], displayName: "Portal", allowedPaths: ["/v1/b", "/v1/a"] },
  ];
  for (const word of ["providers", "list"])
    assert.equal((await run(["proxy", word], { providers })).out, "subscription  Portal  /v1/a /v1/b\n");
  const shown = JSON.parse((await run(["proxy", "providers", "--json"], { providers })).out);
  assert.deepEqual(shown, [
    { name: "subscription", aliases: ["nous"], display_name: "Portal", allowed_paths: ["/v1/b", "/v1/a"] },
  ]);
});

test("proxy stop says how many it closed, and that there was none with exit 1", async () => {
  const stop = async (port: number | undefined) => (port === undefined ? 2 : port === 8645 ? 1 : 0);
  assert.deepEqual(await run(["proxy", "stop"], { stop }), { out: "closed 2 listeners\n", err: "", code: 0 });
  assert.equal((await run(["proxy", "stop", "--port", "8645"], { stop })).out, "closed 1 listener on port 8645\n");
  assert.deepEqual(await run(["proxy", "stop", "--port", "1"], { stop }), {
    out: "no proxy is open on port 1\n",
    err: "",
    code: 1,
  });
});

const TOKENS = [
  { token: undefined, already: false, says: /clients may use any bearer token\nagent: Ctrl\+C stops it\n/ },
  { token: undefined, already: true, says: /it is already open; agent proxy stop --port 8645 closes it/ },
  {
    token: { made: "abc" },
    already: false,
    says: /Bearer abc \(shown only now\)\nagent: warning: .*not encrypted; put a TLS proxy in front/,
  },
  { token: { made: undefined }, already: false, says: /Bearer with AGENT_PROXY_TOKEN/ },
  { token: { made: undefined }, already: true, says: /Bearer with the token it was started with/ },
] as const;

for (const { token, already, says } of TOKENS) {
  test(`proxy start tells one line on standard output and ${says.source.slice(0, 30)} beside it`, async () => {
    const asked: ProxyWanted[] = [];
    const start = async (wanted: ProxyWanted) => {
      asked.push(wanted);
      return heldAs(token, already);
    };
    const { out, err, code } = await run(["proxy", "start", "--port", "8645", "--provider", "nous"], { start });
    assert.deepEqual([out, code], ["PROXY_READY url=http://127.0.0.1:8645/v1\n", 0]);
    assert.match(err, says);
    assert.deepEqual([asked[0]?.provider, asked[0]?.port, asked[0]?.host], ["nous", 8645, undefined]);
    const shown = JSON.parse((await run(["proxy", "start", "--json"], { start })).out);
    assert.deepEqual(shown, { url: LISTENER.url, provider: "subscription", host: "127.0.0.1", port: 8645, already });
  });
}

const WRONG = [["--port", "x"], ["--port", "70000"], ["--port", "-1"], ["--bogus"], ["--host", ""], ["extra"]];
for (const words of WRONG)
  test(`proxy start ${words.join(" ")} is refused with exit 2`, async () => {
    assert.equal((await run(["proxy", "start", ...words], {})).code, 2);
  });

/** A listener that someone has closed already. */
function heldAs(token: ProxyHeld["token"], already: boolean): ProxyHeld {
  const { url, host, port } = LISTENER;
  const listener: HeldListener["listener"] = {
    kind: "proxy",
    serves: "subscription",
    url,
    host,
    port,
    since: 0,
    heldBy: "command",
  };
  const adapter = { name: "subscription", displayName: "Portal" };
  return { listener, already, closed: Promise.resolve("closed"), close: async () => undefined, adapter, token };
}

const run = (argv: readonly string[], proxy: Partial<ProxyApi>) => runLine(argv, { proxy });
