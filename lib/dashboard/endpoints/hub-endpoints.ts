import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { PluginRow } from "../../contracts/plugins/plugins.js";
import { pluginShape } from "../../contracts/wire/shapes/plugins.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import { HIDDEN_PLUGINS } from "../access/keys.js";
import type { DashboardParts } from "../core/parts.js";

const tag = "dashboard";
const one = z.object({ plugin: pluginShape });
const params = z.object({ key: z.string().min(1).max(200).describe("category/name is one segment: category%2Fname.") });

const answered = (plugin: PluginRow) => ({ json: { plugin } });
/** A plugin of a project is allowed where its files can be read: at the terminal. */
const noConsent = async () => false;

/** Installing plugins and switching them on and off, as `agent plugins` does. */
export const HUB_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/api/dashboard/plugins/hub",
    summary: "List all plugins, enabled or not.",
    tag,
    answer: z.object({ plugins: z.array(pluginShape) }),
    run: async (_request, { agentPlugins }: DashboardParts) => ({ json: { plugins: await agentPlugins.list() } }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/dashboard/plugins/install",
    summary: "Install a plugin without its npm dependencies; it stays disabled unless enable is true.",
    tag,
    body: z.object({
      source: z.string().min(1).max(1000),
      force: z.boolean().default(false),
      enable: z.boolean().default(false),
    }),
    errors: [400, 404, 409],
    answer: one,
    run: async ({ body: { source, force, enable } }, { agentPlugins, home }: DashboardParts) => {
      const decide = async () => ({ npm: false, enable });
      const plugin = await agentPlugins.install(source, { force, cwd: home.dir, decide });
      if (plugin === undefined) throw new AppError("E_STATE", "nothing was installed");
      return answered(plugin);
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/dashboard/plugins/:key/update",
    summary: "Move a plugin to the newest commit of its ref; check only shows what would change.",
    tag,
    params,
    body: z.object({ check: z.boolean().default(false) }),
    errors: [400, 404, 409],
    answer: z.object({
      key: z.string(),
      from: z.string(),
      to: z.string(),
      files: z.array(z.object({ status: z.string(), path: z.string() })),
      asks: z.boolean(),
    }),
    run: async ({ params: { key }, body: { check } }, { agentPlugins }: DashboardParts) => ({
      json: await agentPlugins.update(key, async () => !check),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/dashboard/plugins/:key/enable",
    summary: "Enable a plugin. The files of a project's plugin are allowed at the terminal.",
    tag,
    params,
    errors: [403, 404],
    answer: one,
    run: async ({ params: { key } }, { agentPlugins }: DashboardParts) =>
      answered(await agentPlugins.enable(key, noConsent)),
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/dashboard/plugins/:key/disable",
    summary: "Disable a plugin.",
    tag,
    params,
    errors: [404],
    answer: one,
    run: async ({ params: { key } }, { agentPlugins }: DashboardParts) => answered(await agentPlugins.disable(key)),
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/dashboard/plugins/:key/visibility",
    summary: "Show or hide the tab of a plugin.",
    tag,
    params,
    body: z.object({ hidden: z.boolean() }),
    errors: [404],
    answer: z.object({ hidden: z.array(z.string()) }),
    run: async ({ params: { key }, body }, { settings, config, agentPlugins, plugins }: DashboardParts) => {
      // The board's own tab is not a plugin of the list, but has a name there too.
      const names = [
        ...(await agentPlugins.list()).map((one) => one.key),
        ...(await plugins.list()).map((one) => one.name),
      ];
      if (!names.includes(key))
        throw new AppError("E_NOT_FOUND", `no plugin is called ${key}`, {
          hint: "agent plugins list shows what there is",
        });
      const others = config.get(HIDDEN_PLUGINS).filter((name) => name !== key);
      const hidden = body.hidden ? [...others, key] : others;
      await settings.change({ [HIDDEN_PLUGINS.key]: hidden });
      return { json: { hidden } };
    },
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/api/dashboard/plugins/:key",
    summary: "Remove an installed plugin with its files.",
    tag,
    params,
    errors: [404, 409],
    answer: z.object({ removed: z.literal(true) }),
    run: async ({ params: { key } }, { agentPlugins }: DashboardParts) => {
      await agentPlugins.remove(key);
      return { json: { removed: true } };
    },
  }),
];
