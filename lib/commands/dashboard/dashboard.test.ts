import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { askHttp } from "../../../fixtures/dashboard/ask.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { runLine, type Shown } from "../../../fixtures/sim/run-line.js";
import { isAttended } from "../../app/models/open-browser.js";
import { services } from "../../rpc/commands/command-services.js";

/** The command lines of a home whose owner is in this process. */
async function owner(t: TestContext, config = "") {
  const { app, home } = await chatOwner(t, { script: [], config });
  const lineIn =
    (env: Readonly<Record<string, string>>) =>
    (...argv: string[]) =>
      runLine(argv, { ...services(app), cwd: home.dir, env });
  const line = lineIn({});
  /** Begin `agent dashboard`; `ready` resolves with what it printed first, `end` interrupts it. */
  const hold = (...argv: string[]) => holdIn({}, ...argv);
  const holdIn = async (env: Readonly<Record<string, string>>, ...argv: string[]) => {
    const control = new AbortController();
    const err: string[] = [];
    let tell: (text: string) => void = () => undefined;
    const ready = new Promise<string>((resolve) => {
      tell = resolve;
    });
    const io = {
      signal: control.signal,
      out: async (text: string) => tell(text),
      err: async (text: string) => void err.push(text),
    };
    const ended = runLine(["dashboard", "--port", "0", ...argv], { ...services(app), cwd: home.dir, env, ...io });
    const first = await Promise.race([
      ready,
      ended.then(({ code }) => assert.fail(`it ended with ${code}: ${err.join("")}`)),
    ]);
    const end = async (): Promise<Shown> => {
      control.abort("SIGINT");
      return ended;
    };
    t.after(end);
    return { first, err, ended, end, port: Number(/port=(\d+)/.exec(first)?.[1]) };
  };
  return { app, line, lineIn, hold, holdIn };
}

test("the first line tells the port, the second a URL that lets in once, and Ctrl+C closes it", async (t) => {
  const { hold, line } = await owner(t);
  const { first, port, end, err } = await hold();
  const [ready, url = ""] = first.trimEnd().split("\n");
  assert.equal(ready, `DASHBOARD_READY port=${port}`);
  const code = url.replace(`http://127.0.0.1:${port}/#code=`, "");
  const exchange = () => askHttp(url, "POST", "/api/auth/exchange", { body: { code } });
  const given = await exchange();
  assert.equal(given.status, 200);
  assert.equal((await exchange()).status, 401);
  assert.equal((await line("dashboard", "token")).out.trim(), String(given.json["token"]));
  assert.ok(!err.join("").includes(String(given.json["token"])), "on loopback nobody needs to see the token");
  assert.equal((await end()).code, 0);
  await assert.rejects(exchange(), { code: "ECONNREFUSED" });
});

test("status tells by its exit code whether a dashboard is open, and stop closes it", async (t) => {
  const { hold, line } = await owner(t);
  assert.equal((await line("dashboard", "--status")).code, 1);
  assert.equal((await line("dashboard", "--stop")).code, 1);
  assert.equal((await line("dashboard", "url")).code, 1);
  assert.equal((await line("dashboard", "token")).code, 1);
  const { ended, port } = await hold();
  const status = await line("dashboard", "--status");
  assert.deepEqual([status.code, status.out], [0, `open: http://127.0.0.1:${port}/\n`]);
  const json = JSON.parse((await line("dashboard", "--status", "--json")).out);
  assert.deepEqual([json.running, json.listeners[0].held_by], [true, "command"]);
  const again = (await line("dashboard", "url")).out.trim();
  assert.match(again, new RegExp(`^http://127\\.0\\.0\\.1:${port}/#code=[\\w-]{43}$`));
  assert.equal((await line("dashboard", "--stop")).code, 0);
  assert.equal((await ended).code, 0);
});

test("the session token of the command holds where another process owns the home, and is told where it cannot", async (t) => {
  const own = "a-token-of-the-command-of-32-chars";
  const other = "another-token-of-at-least-32-characters";
  const { holdIn, line, lineIn } = await owner(t);
  const { port } = await holdIn({ AGENT_DASHBOARD_SESSION_TOKEN: own });
  assert.equal((await line("dashboard", "token")).out.trim(), own);
  assert.equal(
    (await askHttp(`http://127.0.0.1:${port}/`, "GET", "/api/config", { headers: { Authorization: `Bearer ${own}` } }))
      .status,
    200,
  );
  const again = await lineIn({ AGENT_DASHBOARD_SESSION_TOKEN: other })("dashboard", "--port", String(port));
  assert.match(again.err, /AGENT_DASHBOARD_SESSION_TOKEN is ignored/);
  assert.equal((await line("dashboard", "token")).out.trim(), own);
  const short = await lineIn({ AGENT_DASHBOARD_SESSION_TOKEN: "short" })("dashboard", "--port", "0");
  assert.equal(short.code, 1);
  assert.match(short.err, /must be 32 to 512/);
});

test("the same place again is told where it is, and stays with anyone who opened it", async (t) => {
  const { hold, line } = await owner(t);
  const { port } = await hold();
  const again = await line("dashboard", "--port", String(port));
  assert.equal(again.code, 0);
  assert.match(again.err, /was already open and stays open/);
  assert.match(again.out, new RegExp(`^DASHBOARD_READY port=${port}\nhttp://127\\.0\\.0\\.1:${port}/#code=`));
  assert.equal((await line("dashboard", "--status")).code, 0);
});

test("a bind that others reach says that traffic is not encrypted and prints the token once", async (t) => {
  const { hold, line } = await owner(t);
  const { err, first } = await hold("--host", "0.0.0.0");
  const token = (await line("dashboard", "token")).out.trim();
  assert.match(err.join(""), /NOT encrypted/);
  assert.equal(err.join("").split(token).length, 2);
  assert.ok(!first.includes(token));
});

const WRONG = [
  { argv: ["--port", "65536"], code: 2, says: /port/ },
  { argv: ["--status", "--stop"], code: 2, says: /exclude each other/ },
  { argv: ["--open-profile", "nobody"], code: 2, says: /unknown profile 'nobody'/ },
  { argv: ["--no-auth"], code: 2, says: /no-auth/ },
  { argv: ["--host", "192.0.2.1", "--port", "0"], code: 1, says: /cannot listen on 192\.0\.2\.1/ },
  { argv: ["--host", "no such host", "--port", "0"], code: 1, says: /cannot listen on/ },
];
for (const { argv, code, says } of WRONG)
  test(`agent dashboard ${argv.join(" ")} ends with ${code} and says what is wrong`, async (t) => {
    const { line } = await owner(t);
    const shown = await line("dashboard", ...argv);
    assert.equal(shown.code, code, shown.err);
    assert.match(shown.err, says);
  });

test("a base path that is none is refused before anything listens", async (t) => {
  const { line } = await owner(t, 'dashboard:\n  base_path: "/../x"\n');
  const { code, err } = await line("dashboard", "--port", "0");
  assert.equal(code, 1);
  assert.match(err, /dashboard\.base_path is not a path/);
});

test("the help of agent dashboard names the commands below it", async (t) => {
  const { line } = await owner(t);
  const { out } = await line("dashboard", "--help");
  for (const name of ["dashboard token", "dashboard url", "dashboard password set", "dashboard password clear"])
    assert.ok(out.includes(name), out);
});

const DESKTOPS = [
  { env: {}, attended: true },
  { env: { CI: "" }, attended: true },
  { env: { CI: "true" }, attended: false },
  { env: { SSH_CONNECTION: "a b c d" }, attended: false },
  { env: { SSH_TTY: "/dev/pts/1" }, attended: false },
];
test("a browser is opened where someone may sit, not in a build and not on the screen of another machine", () => {
  for (const { env, attended } of DESKTOPS) assert.equal(isAttended(env), attended, JSON.stringify(env));
});
