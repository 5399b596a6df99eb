import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { Secret } from "../../../base/secret.js";
import { defineCommand } from "../../define.js";
import { personFor } from "../../params/board-target.js";

/** Characters of a password. */
const SHORTEST = 8;
const LONGEST = 1024;

export default defineCommand({
  path: "dashboard password set",
  summary: "Set the password of the dashboard; it is read from standard input.",
  topic: "dashboard",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async (_params, ctx) => {
    await personFor(ctx);
    const password = (await ctx.stdin(LONGEST * 4, "Password (not shown): ")).replace(/\r?\n$/, "");
    if (password === "")
      throw new AppError("E_USAGE", "the password is missing: write it to standard input", {
        hint: "agent dashboard password set < file",
      });
    if (password.length < SHORTEST || password.length > LONGEST || /[\r\n]/.test(password))
      throw new AppError("E_USAGE", `a password is one line of ${SHORTEST} to ${LONGEST} characters`);
    const replaced = await ctx.dashboard.setPassword(new Secret(password));
    return {
      text: replaced ? "The password was replaced; sessions of the old one have ended." : "The password is set.",
      data: { set: true, replaced },
    };
  },
});
