import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";

const place = z.object({
  cwd: z.string().min(1),
  env: z.record(z.string(), z.string()).default({}),
  session_id: z
    .string()
    .min(1)
    .transform((id) => id as SessionId) // proved by the look-up that follows
    .optional(),
});

type Place = z.output<typeof place>;
const at = ({ cwd, env, session_id }: Place) => ({ cwd, env, session: session_id });

/** Methods of permissions for front ends (core part, 1.3). */
export function permissionMethods(chat: ChatApi): Methods {
  const add = place.extend({
    list: z.enum(["allow", "ask", "deny"]),
    rule: z.string().min(1).max(10_000),
    scope: z.enum(["user", "project", "session"]).default("user"),
  });
  return new Map([
    ["permissions.list", defineMethod({ params: place, access: "read", run: (given) => chat.permissions(at(given)) })],
    [
      "permissions.test",
      defineMethod({
        params: place.extend({ command: z.string().min(1).max(100_000) }),
        access: "read",
        run: ({ command, ...given }) => chat.permissionTest(command, at(given)),
      }),
    ],
    [
      "permissions.add",
      defineMethod({
        params: add,
        access: "admin",
        run: ({ list, rule, scope, ...given }) => chat.permissionAdd(list, rule, scope, at(given)),
      }),
    ],
    [
      "permissions.revoke",
      defineMethod({
        params: place.extend({ n: z.int().min(1) }),
        access: "admin",
        run: ({ n, ...given }) => chat.permissionRevoke(n, at(given)),
      }),
    ],
    [
      "permissions.trust_project",
      defineMethod({
        params: place,
        access: "admin",
        run: async (given) => ({ rules: await chat.permissionTrust(at(given)) }),
      }),
    ],
    [
      "permissions.untrust_project",
      defineMethod({
        params: place,
        access: "admin",
        run: async (given) => ({ untrusted: await chat.permissionUntrust(at(given)) }),
      }),
    ],
  ]);
}
