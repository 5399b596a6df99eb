import assert from "node:assert/strict";
import { test } from "node:test";
import { actorOwner } from "../../../fixtures/worlds/actor-owner.js";
import type { SlashAnswer } from "../../contracts/chat/slash.js";

test("/goal takes a goal that is called like a member of every object", async (t) => {
  const owner = await actorOwner(t, { model: { script: { replies: [{ hold: "never" }] } } });
  const { id } = await owner.session();
  const said = await owner.call<SlashAnswer>("command.run", { text: "/goal constructor", session_id: id, data: true });
  assert.match(said.text, /constructor/);
});
