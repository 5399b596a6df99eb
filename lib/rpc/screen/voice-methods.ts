import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { OwnerServices } from "../commands/owner-services.js";

/** Recordings and spoken answers of the workspace: the terminal records and plays, the owner has the providers and their keys. */
export const voiceMethods = ({ voice }: Pick<OwnerServices, "voice">): Methods =>
  new Map([
    [
      "voice.transcribe",
      defineMethod({
        params: z.object({ path: z.string().min(1).max(4_000) }),
        access: "write",
        repeat: () => "safe", // asked again it is billed again, and the text is the same
        run: async ({ path }, { signal }) => ({ text: await voice.transcribe(path, signal) }),
      }),
    ],
    [
      "voice.speak",
      defineMethod({
        params: z.object({ text: z.string().max(1 << 20) }),
        access: "write",
        repeat: () => "safe", // the same: a file of the cache
        run: async ({ text }, { signal }) => ({ path: (await voice.speak(text, undefined, signal))?.path ?? null }),
      }),
    ],
  ]);
