import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { axeFaults } from "../../../fixtures/dashboard/axe.js";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { pageWorld } from "../../../fixtures/dashboard/page-world.js";

const skillText = (name: string, body: string) => `---\nname: ${name}\ndescription: Use for ${name}.\n---\n${body}\n`;

test("the page lists skills, switches them, decides changes that wait, and shows and edits the memory", {
  skip: noBrowser(),
}, async (t) => {
  const patch = (body: string) => ({
    tool_calls: [
      {
        name: "skill_manage",
        arguments: { action: "patch", name: "deploy", old_string: "<b>it</b>", new_string: body },
      },
    ],
  });
  const world = await pageWorld(t, {
    config: "skills:\n  write_approval: true\n",
    name: "fake-1",
    model: { script: { replies: [patch("all"), patch("nothing"), { text: "done" }] } },
  });
  const file = join(world.home.dir, "skills", "deploy", "SKILL.md");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, skillText("deploy", "Run <b>it</b>."));
  const worked = await world.run(["-z", "change the skill deploy"]);
  assert.equal(worked.code, 0);
  const { page } = await world.open();
  await page.getByRole("link", { name: "Skills" }).click();
  const waiting = page.getByRole("region", { name: "Changes that wait for you" });
  await waiting.getByText("+Run all.").waitFor();
  await waiting.getByRole("listitem").nth(1).getByRole("button", { name: "Reject" }).click();
  await page.getByText("Discarded.").waitFor();
  await waiting.getByText("+Run nothing.").waitFor({ state: "detached" });
  await waiting.getByRole("button", { name: "Approve" }).click();
  await waiting.waitFor({ state: "detached" });
  assert.match(readFileSync(file, "utf8"), /Run all\./);
  const row = page.getByRole("region", { name: "Skills" }).getByRole("listitem", { name: "deploy", exact: true });
  await row.getByText("Text", { exact: true }).click();
  await row.getByText("Run all.").waitFor();
  await row.getByRole("button", { name: "Disable" }).click();
  await row.getByRole("button", { name: "Enable" }).click();
  await row.getByRole("button", { name: "Disable" }).waitFor();
  const curator = page.getByRole("region", { name: "Curator" });
  await curator.getByRole("button", { name: "Pause" }).click();
  await curator.getByText(/^paused · /).waitFor();
  await curator.getByRole("button", { name: "Resume" }).click();
  await curator.getByRole("button", { name: "Pause" }).waitFor();
  assert.deepEqual(await axeFaults(page), []);
  await fits("skills");

  mkdirSync(join(world.home.dir, "memories"), { recursive: true });
  writeFileSync(join(world.home.dir, "memories", "USER.md"), "Likes short answers.\n");
  await page.getByRole("link", { name: "Memory" }).click();
  const entry = page.getByRole("listitem", { name: "Likes short answers." });
  await entry.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill("Likes long answers.");
  await page.getByRole("button", { name: "Save" }).click();
  const edited = page.getByRole("listitem", { name: "Likes long answers." });
  await edited.waitFor();
  assert.deepEqual(await axeFaults(page), []);
  await fits("memory");
  await edited.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await page.getByText("Nothing is remembered.").waitFor();
  const left = join(world.home.dir, "memories", "USER.md");
  assert.doesNotMatch(existsSync(left) ? readFileSync(left, "utf8") : "", /long answers/);

  async function fits(name: string) {
    for (const size of [
      { width: 1280, height: 900 },
      { width: 390, height: 900 },
    ]) {
      await page.setViewportSize(size);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${name} at ${size.width}: ${wide} px too wide`);
      const dir = process.env["AGENT_TEST_PICTURES"];
      if (dir === undefined) continue;
      mkdirSync(dir, { recursive: true });
      await page.screenshot({ path: join(dir, `${name}-${size.width}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  }
});
