import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import { DASHBOARD_THEME } from "../access/keys.js";
import type { DashboardParts } from "../core/parts.js";

/** Looks of the page. */
const THEMES = [
  { name: "default", label: "System", description: "Light or dark, as the system." },
  { name: "light", label: "Light", description: "Dark on light." },
  { name: "dark", label: "Dark", description: "Light on dark." },
] as const;

const answer = z.object({
  themes: z.array(z.object({ name: z.string(), label: z.string(), description: z.string() })),
  active: z.string().describe("Theme for all browsers."),
});

const isTheme = (name: string): boolean => THEMES.some((theme) => theme.name === name);

function told({ config }: DashboardParts) {
  const set = config.get(DASHBOARD_THEME);
  return { json: { themes: THEMES, active: isTheme(set) ? set : "default" } };
}

/** How the page looks before a login, and what may be chosen. */
export const THEME_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/api/dashboard/themes",
    summary: "List the themes.",
    tag: "dashboard",
    access: "public",
    answer,
    run: async (_request, parts: DashboardParts) => told(parts),
  }),
  defineEndpoint({
    method: "PUT",
    path: "/api/dashboard/theme",
    summary: "Set the theme for all browsers.",
    tag: "dashboard",
    body: z.object({ name: z.string() }),
    answer,
    errors: [404],
    run: async ({ body }, parts: DashboardParts) => {
      if (!isTheme(body.name))
        throw new AppError("E_NOT_FOUND", `unknown theme ${JSON.stringify(body.name.slice(0, 64))}`);
      await parts.settings.set(DASHBOARD_THEME.key, body.name, { asText: true, force: false });
      return told(parts);
    },
  }),
];
