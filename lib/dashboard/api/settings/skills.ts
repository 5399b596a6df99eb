import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { readRegularFileSync } from "../../../base/fs/files.js";
import { toIso } from "../../../base/units.js";
import {
  SKILLS_DISABLED,
  SKILLS_HUB_SOURCES,
  SKILLS_HUB_TAPS,
  SKILLS_HUB_TRUSTED,
} from "../../../contracts/skills/keys.js";
import type { PendingWrite } from "../../../contracts/skills/writes.js";
import {
  installedSkillShape,
  pendingSkillShape,
  skillAuditShape,
  skillOfferShape,
  skillPreviewShape,
  skillShape,
  updatedSkillShape,
} from "../../../contracts/wire/shapes/skills.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "skills";
const name = z.string().min(1).max(200);
const identifier = z.string().min(1).max(2_000);
const params = z.object({ name });
const sources = z.object({
  taps: z.array(z.string()),
  marketplaces: z.array(z.string()),
  trusted: z.array(z.string()),
});
const CONTENT_BYTES = 1 << 20;

/** Directories of this machine are installed at its terminal. */
const remote = (home: { readonly dir: string }) => ({ cwd: home.dir, local: false });

const pendingRow = ({ id, name: own, summary, by, at, diff, verdict, findings }: PendingWrite) => ({
  id,
  name: own,
  summary,
  by: by.who,
  at: toIso(at),
  diff,
  verdict: verdict ?? null,
  findings: [...findings],
});

/** Skills of the home and of the hub (extensions part, 6.3), as `agent skills` has them. */
export const SKILL_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/skills",
    summary: "List skills, also those that are switched off, and installed ones with their source.",
    tag,
    answer: z.object({ skills: z.array(skillShape), installed: z.array(installedSkillShape) }),
    run: async (_request, { skills, config, env }: DashboardParts) => {
      const found = (await skills.catalog.catalog({ env })).skills.map(
        ({ name: own, description, category, origin, version }) => ({
          name: own,
          description,
          category,
          origin,
          version,
          enabled: true,
        }),
      );
      const off = config.get(SKILLS_DISABLED).map((own) => ({
        name: own,
        description: "",
        category: "",
        origin: "",
        version: "",
        enabled: false,
      }));
      return { json: { skills: [...found, ...off], installed: [...(await (await skills.hub()).list())] } };
    },
  }),
  defineEndpoint({
    method: "PUT",
    path: "/skills/:name/enabled",
    summary: "Switch a skill on or off.",
    tag,
    params,
    body: z.object({ enabled: z.boolean() }),
    errors: [404],
    answer: z.object({ name: z.string(), enabled: z.boolean() }),
    run: async ({ params: { name: own }, body: { enabled } }, { skills, config, settings, env }: DashboardParts) => {
      const disabled = config.get(SKILLS_DISABLED);
      if (!disabled.includes(own)) await skills.catalog.find(own, { env });
      const others = disabled.filter((one) => one !== own);
      await settings.change({ [SKILLS_DISABLED.key]: enabled ? others : [...others, own] });
      return { json: { name: own, enabled } };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/skills/:name/content",
    summary: "The SKILL.md of a skill.",
    tag,
    params,
    errors: [404],
    answer: z.object({ name: z.string(), content: z.string() }),
    run: async ({ params: { name: own } }, { skills, env }: DashboardParts) => {
      const { file, name: found } = await skills.catalog.find(own, { env });
      const bytes = readRegularFileSync(file, CONTENT_BYTES);
      if (bytes === undefined) throw new AppError("E_NOT_FOUND", `${file} cannot be read`);
      return { json: { name: found, content: bytes.toString("utf8") } };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/skills/pending",
    summary: "List changes of skills that wait for a person, oldest first.",
    tag,
    answer: z.object({ pending: z.array(pendingSkillShape) }),
    run: async (_request, { skills }: DashboardParts) => ({
      json: { pending: (await (await skills.writes()).pending()).map(pendingRow) },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/skills/pending/:id/approve",
    summary: "Make a change of a skill that waits.",
    tag,
    params: z.object({ id: name.describe("id of the change") }),
    errors: [404, 409],
    answer: z.object({ version: z.string().describe("version of the skill under which it can be undone") }),
    run: async ({ params: { id } }, { skills }: DashboardParts) => ({
      json: { version: (await (await skills.writes()).approve(id, { who: "user" })).version },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/skills/pending/:id/reject",
    summary: "Drop a change of a skill that waits.",
    tag,
    params: z.object({ id: name.describe("id of the change") }),
    errors: [404],
    answer: z.object({ rejected: pendingSkillShape }),
    run: async ({ params: { id } }, { skills }: DashboardParts) => ({
      json: { rejected: pendingRow(await (await skills.writes()).reject(id)) },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/skills/hub/search",
    summary: "Search official skills, taps and marketplaces.",
    tag,
    body: z.object({ query: z.string().max(200).default("") }),
    answer: z.object({ skills: z.array(skillOfferShape), failed: z.array(z.string()) }),
    run: async ({ body: { query } }, { skills }: DashboardParts) => {
      const { rows, failed } = await (await skills.hub()).search(query);
      return { json: { skills: [...rows], failed: [...failed] } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/skills/hub/preview",
    summary: "Fetch a skill and show its files, what it may use and what the scanner finds; nothing is installed.",
    tag,
    body: z.object({ identifier }),
    errors: [400, 403, 404],
    answer: z.object({ preview: skillPreviewShape }),
    run: async ({ body }, { skills, home }: DashboardParts) => ({
      json: { preview: await (await skills.hub()).inspect(body.identifier, remote(home)) },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/skills/hub/scan",
    summary: "Scan installed skills again; deep also those that no source gave.",
    tag,
    body: z.object({ name: name.optional(), deep: z.boolean().default(false) }),
    errors: [404],
    answer: z.object({ audits: z.array(skillAuditShape) }),
    run: async ({ body }, { skills }: DashboardParts) => ({
      json: { audits: [...(await (await skills.hub()).audit(body.name, body.deep))] },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/skills/hub/install",
    summary: "Install exactly the bytes that a preview has shown: hash is that of the preview.",
    tag,
    body: z.object({
      identifier,
      hash: z.string().regex(/^[0-9a-f]{64}$/),
      category: z.string().max(200).optional(),
      name: name.optional(),
      force: z.boolean().default(false),
    }),
    errors: [400, 403, 404, 409],
    answer: z.object({ skill: installedSkillShape }),
    run: async ({ body }, { skills, home }: DashboardParts) => {
      const confirm = async () => true;
      const skill = await (await skills.hub()).install(body.identifier, { ...body, ...remote(home), confirm });
      if (skill === undefined) throw new AppError("E_STATE", "nothing was installed");
      return { json: { skill } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/skills/hub/update",
    summary: "Update one installed skill or all; one whose verdict or uses change needs accept.",
    tag,
    body: z.object({ name: name.optional(), force: z.boolean().default(false), accept: z.boolean().default(false) }),
    errors: [404],
    answer: z.object({ skills: z.array(updatedSkillShape) }),
    run: async ({ body }, { skills }: DashboardParts) => {
      const confirm = async ({ asks }: { readonly asks: boolean }) => body.accept || !asks;
      return { json: { skills: [...(await (await skills.hub()).update(body.name, { force: body.force, confirm }))] } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/skills/hub/uninstall",
    summary: "Remove an installed skill; with force also one whose files were changed.",
    tag,
    body: z.object({ name, force: z.boolean().default(false) }),
    errors: [404, 409],
    answer: z.object({ removed: z.string() }),
    run: async ({ body }, { skills }: DashboardParts) => {
      const gone = await (await skills.hub()).uninstall(body.name, body.force);
      return { json: { removed: gone.name } };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/skills/hub/sources",
    summary: "Repositories and marketplaces that are searched, and whom skills are trusted from.",
    tag,
    answer: sources,
    run: async (_request, { config }: DashboardParts) => ({
      json: {
        taps: [...config.get(SKILLS_HUB_TAPS)],
        marketplaces: [...config.get(SKILLS_HUB_SOURCES)],
        trusted: [...config.get(SKILLS_HUB_TRUSTED)],
      },
    }),
  }),
];
