import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { FRONT, HOSTILE_DOWNLOADS, HOSTILE_TEXTS } from "../../../fixtures/corpora/hub-hostile.js";
import { AppError } from "../../base/errors.js";
import { randomIds } from "../../base/ids.js";
import { NetError } from "../../base/net/net.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import { createNet } from "../../safety/net/net.js";
import { createUsage } from "../usage/usage.js";
import { createSkillHub } from "./hub.js";

interface Served {
  readonly bytes?: Buffer;
  readonly type?: string;
  readonly location?: string;
}

/** A site under a public name, on a real socket behind the real address guard. */
async function place(t: TestContext, served: Readonly<Record<string, Served>>) {
  const dir = mkdtempSync(join(tmpdir(), "agent-hostile-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const one = served[request.url ?? ""];
    if (one?.location !== undefined) response.writeHead(302, { location: one.location }).end();
    else response.writeHead(one === undefined ? 404 : 200, { "content-type": one?.type ?? "" }).end(one?.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { port } = address;
  const net = createNet({
    clock: systemClock,
    allowPrivate: () => false,
    resolve: async (host) => [host === "inner.test" ? "10.0.0.5" : "93.184.216.34"],
    dial: () => ({ address: "127.0.0.1", port }),
    peer: () => "93.184.216.34",
  });
  t.after(() => net.close());
  const home = { dir: join(dir, "home") };
  const base = { home, clock: systemClock, ids: randomIds, spawner: systemSpawner };
  let asks = 0;
  const hub = createSkillHub({
    ...base,
    net,
    config: { get: (key) => key.default },
    usage: async () => createUsage({ ...base, now: systemClock.now }),
    env: () => process.env,
    optional: () => join(dir, "none"),
    userHome: () => dir,
  });
  const options = {
    force: true,
    cwd: dir,
    local: true,
    confirm: async () => {
      asks += 1;
      return true;
    },
  };
  return { dir, home, hub, options, asked, asks: () => asks };
}

/** Nothing is left of it: no skill, no quarantine, nothing beside the home. */
function untouched({ home, dir }: Pick<Awaited<ReturnType<typeof place>>, "home" | "dir">, beside: readonly string[]) {
  const skills = join(home.dir, "skills");
  const names = existsSync(skills) ? readdirSync(skills).filter((name) => name !== ".hub") : [];
  assert.deepEqual(names, []);
  const quarantine = join(skills, ".hub", "quarantine");
  assert.deepEqual(existsSync(quarantine) ? readdirSync(quarantine) : [], []);
  assert.deepEqual(
    readdirSync(dir).filter((name) => name !== "home" && !beside.includes(name)),
    [],
  );
  assert.equal(existsSync("/tmp/hub-hostile-x"), false);
}

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && ["E_INVALID", "E_NOT_FOUND", "E_FORBIDDEN"].includes(error.code);

for (const { what, name, bytes, type } of HOSTILE_DOWNLOADS) {
  test(`a download is refused whole, though --force and yes were said: ${what}`, async (t) => {
    const made = await place(t, { [`/${name}`]: { bytes, ...(type !== undefined && { type }) } });
    await assert.rejects(made.hub.install(`http://site.test/${name}`, made.options), isRefusal);
    assert.equal(made.asks(), 0, "nobody is asked about what is refused");
    untouched(made, []);
  });
}

for (const { what, files, verdict } of HOSTILE_TEXTS) {
  test(`a skill is not installed for what it says, and the finding is named: ${what}`, async (t) => {
    const made = await place(t, {});
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(made.dir, "src", path)), { recursive: true });
      writeFileSync(join(made.dir, "src", path), text);
    }
    const preview = await made.hub.inspect("./src", made.options);
    assert.equal(preview.verdict, verdict, JSON.stringify(preview.findings));
    assert.ok(preview.findings.some(({ severity }) => severity === verdict));
    const force = verdict === "dangerous";
    await assert.rejects(made.hub.install("./src", { ...made.options, force }), isRefusal);
    assert.equal(made.asks(), 0);
    untouched(made, ["src"]);
  });
}

test("a redirect to a private address, a private name and metadata are blocked, and nothing is asked there", async (t) => {
  const made = await place(t, {
    "/a.zip": { location: "http://inner.test/secret" },
    "/b.zip": { location: "http://169.254.169.254/latest/meta-data" },
    "/c.zip": { location: "http://127.0.0.1:1/x" },
  });
  for (const path of ["a.zip", "b.zip", "c.zip"])
    await assert.rejects(
      made.hub.install(`http://site.test/${path}`, made.options),
      (error) => error instanceof NetError && error.failure === "blocked",
    );
  await assert.rejects(made.hub.install("http://inner.test/x.zip", made.options), NetError);
  assert.deepEqual(made.asked, ["/a.zip", "/b.zip", "/c.zip"]);
  untouched(made, []);
});

test("links and devices of a directory are refused", async (t) => {
  const made = await place(t, {});
  mkdirSync(join(made.dir, "src"));
  writeFileSync(join(made.dir, "src/SKILL.md"), FRONT);
  symlinkSync("/etc/passwd", join(made.dir, "src/passwd"));
  await assert.rejects(made.hub.install("./src", made.options), isRefusal);
  untouched(made, ["src"]);
});

test("what is installed are the bytes that were scanned and shown, whatever became of the source meanwhile", async (t) => {
  const made = await place(t, {});
  mkdirSync(join(made.dir, "src"));
  writeFileSync(join(made.dir, "src/SKILL.md"), `${FRONT}Do it.\n`);
  const installed = await made.hub.install("./src", {
    ...made.options,
    confirm: async () => {
      writeFileSync(join(made.dir, "src/SKILL.md"), `${FRONT}rm -rf ~\n`);
      return true;
    },
  });
  assert.deepEqual([installed?.state, installed?.verdict], ["unchanged", "safe"]);
  const preview = await made.hub.inspect("./src", made.options);
  assert.notEqual(preview.hash, installed?.hash);
});
