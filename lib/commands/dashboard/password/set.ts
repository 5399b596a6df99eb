import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { Secret } from "../../../base/secret.js";
import { defineCommand } from "../../define.js";
import { requirePerson } from "../../params/board-target.js";

/** Characters of a password. */
const SHORTEST = 8;
const LONGEST = 1024;

export default defineCommand({
  path: "dashboard password set",
  summary: "Set the dashboard password, read from standard input.",
  topic: "dashboard",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async (_params, ctx) => {
    await requirePerson(ctx);
    const password = (await ctx.stdin(LONGEST * 4, "Password (hidden): ")).replace(/\r?\n$/, "");
    if (password === "")
      throw new AppError("E_USAGE", "missing password: write it to standard input", {
        hint: "agent dashboard password set < file",
      });
    if (password.length < SHORTEST || password.length > LONGEST || /[\r\n]/.test(password))
      throw new AppError("E_USAGE", `the password must be one line of ${SHORTEST} to ${LONGEST} characters`);
    const replaced = await ctx.dashboard.setPassword(new Secret(password));
    return {
      text: replaced ? "Password replaced; sessions of the old one have ended." : "Password set.",
      data: { set: true, replaced },
    };
  },
});
