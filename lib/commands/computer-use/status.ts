import * as z from "zod";
import type { DesktopStatus } from "../../contracts/desktop/control.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "computer-use status",
  summary: "Show which desktop driver computer_use would start here. Exits 1 if no driver can be started.",
  topic: "desktop",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  outside: true,
  run: async (_, ctx) => {
    const status = await ctx.desktopControl.status();
    return {
      data: status,
      text: render(status),
      exit: status.backend === null || status.permissions === "denied" ? 1 : 0,
    };
  },
});

function render({ backend, why, driver, version, display, permissions }: DesktopStatus): string {
  const rows = [
    ["backend", backend ?? "none"],
    ["driver", driver],
    ["version", version],
    ["display", display],
    ["permissions", permissions],
    ["problem", why],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${String(name).padEnd(12)} ${value}`])).join("\n");
}
