import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LOOPBACK_TLS } from "../../../fixtures/loopback-tls.js";
import { simNet } from "../../../fixtures/ports/net.js";
import { netFor } from "./trust.js";

test("requests of a login trust what it was made with, those of others do not", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "agent-trust-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, "ca.pem");
  writeFileSync(file, LOOPBACK_TLS.cert);
  const net = simNet();
  net.route("https://portal.example/", { status: 200, body: "" });
  for (const trust of [{}, { caBundle: file }, { insecure: true }])
    await (await netFor(net, trust)).fetch({
      method: "GET",
      url: "https://portal.example/",
      headers: {},
      purpose: "model",
    });
  const asked = net.requests.map(({ trust }) => trust);
  assert.deepEqual(asked, [
    undefined,
    { ca: LOOPBACK_TLS.cert, insecure: undefined },
    { ca: undefined, insecure: true },
  ]);
});
