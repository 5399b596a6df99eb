import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noChromium } from "../../fixtures/browser/test-session.js";
import type { Reply, ScriptRequest } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { loopback } from "../../fixtures/servers/shared/loopback.js";
import { workerHome } from "../../fixtures/worlds/worker-home.js";

const WORKERS = 20;
const PAGE = "<title>Shop</title><button>Everybody is here</button>";

/** What a worker does next: open the page, wait for all others with it open, look at it, and end its task with what it saw. */
function nextStep({ messages }: ScriptRequest, url: string, arrived: (task: string) => void): Reply {
  const texts = (role: string) => messages.filter((one) => one.role === role).map((one) => JSON.stringify(one));
  if (texts("assistant").some((text) => text.includes("kanban_complete"))) return { text: "done" };
  const seen = texts("tool").filter((text) => /success\\*":true/.test(text));
  if (seen.length === 0) return { tool_calls: [{ name: "browser_navigate", arguments: { url } }] };
  const summary = seen.every((text) => text.includes("Everybody is here")) ? "seen" : seen.join("\n");
  if (seen.length > 1) return { tool_calls: [{ name: "kanban_complete", arguments: { summary } }] };
  arrived(/t_[0-9a-f]{8}/.exec(texts("user").join())?.[0] ?? "");
  return { hold: "all", tool_calls: [{ name: "browser_snapshot", arguments: { full: true } }] };
}

test(`${WORKERS} workers browse at the same time: one browser, one leased profile, and every task is done`, {
  skip: noChromium,
}, async (t) => {
  const site = await loopback(async (_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(PAGE);
  });
  t.after(() => site.close());
  const there = new Set<string>();
  let leases: readonly string[] = [];
  let profiles = "";
  const model = await startModelServer({
    script: (request) =>
      nextStep(request, `${site.url}/`, (task) => {
        there.add(task);
        if (there.size < WORKERS) return;
        leases = readdirSync(profiles).filter((name) => name.endsWith(".json"));
        model.release("all");
      }),
  });
  t.after(() => model.close());
  const home = workerHome(
    t,
    `model: { provider: custom, default: m1, base_url: "${model.url}", context_length: 128000 }
browser: { allow_private_urls: true, command_timeout: 600, inactivity_timeout: 3600 }
tools: { tool_search: { enabled: 'false' } }
kanban: { max_in_progress: ${WORKERS}, max_in_progress_per_profile: ${WORKERS}, dispatch_interval_seconds: 1 }
`,
  );
  profiles = join(home.dir, "cache", "browser");
  await home.owner();
  const ids: string[] = [];
  for (let n = 0; n < WORKERS; n++) ids.push(await home.create(`look ${n}`, "open the page"));
  const tasks = await Promise.all(ids.map((id) => home.task(id, ({ task }) => task.status === "done")));
  assert.deepEqual(
    tasks.map(({ runs }) => runs.map(({ summary }) => summary)),
    ids.map(() => ["seen"]),
  );
  assert.equal(leases.length, 1);
});
