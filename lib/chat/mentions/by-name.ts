import { toAppError } from "../../base/errors.js";
import type { MentionForm } from "./define.js";

/** What a mention means by its name: as it stands there, else without the sign that ends the sentence. @throws what `look` throws */
export async function byName<T>(
  [whole, short]: readonly MentionForm[],
  look: (given: string) => Promise<T>,
): Promise<T | undefined> {
  if (whole === undefined) return undefined;
  return look(whole.name).catch((error: unknown) => {
    if (short === undefined || toAppError(error).code !== "E_NOT_FOUND") throw error;
    return look(short.name);
  });
}
