import { toAppError } from "../base/errors.js";
import { shownChain } from "../commands/fallback/text.js";
import type { FallbackEntry } from "../contracts/models/model-line.js";
import type { FallbackChain, OfferedModels } from "../contracts/models/models-api.js";
import { askUntilValid, askYesNo, type Person, pickRow } from "./ask-person.js";
import { addressProblem } from "./known-providers.js";

/** One change of the chain; places count from 1. */
export type FallbackStep =
  | { readonly add: FallbackEntry }
  | { readonly remove: number }
  | { readonly move: { readonly from: number; readonly to: number } }
  | { readonly clear: true };

export interface FallbackDeps {
  readonly chain: () => Promise<FallbackChain>;
  /** @throws what the command for it throws */
  readonly change: (step: FallbackStep) => Promise<void>;
  readonly offered: () => Promise<readonly OfferedModels[]>;
}

/** Show the chain and change it step by step until the person has done. @throws E_INTERRUPTED; what was changed before is stored */
export async function manageFallback(person: Person, deps: FallbackDeps): Promise<void> {
  for (;;) {
    const chain = await deps.chain();
    await person.say(shownChain(chain));
    const some = chain.entries.length > 0;
    const rows = [
      { name: "add", title: "add a model to the end" },
      ...(some ? [{ name: "remove", title: "one" } as const] : []),
      ...(chain.entries.length > 1 ? [{ name: "move", title: "move one" } as const] : []),
      ...(some ? [{ name: "clear", title: "clear it" } as const] : []),
      { name: "done", title: "" },
    ] as const;
    const { name } = await pickRow<(typeof rows)[number]>(person, "Action", { rows, usual: rows.at(-1) });
    if (name === "done") return;
    const step = await stepOf(person, name, { chain, deps });
    if (step === undefined) continue;
    await deps.change(step).catch((error: unknown) => person.say(`  ${toAppError(error).message}`));
  }
}

async function stepOf(
  person: Person,
  name: "add" | "remove" | "move" | "clear",
  { chain, deps }: { readonly chain: FallbackChain; readonly deps: FallbackDeps },
): Promise<FallbackStep | undefined> {
  const last = chain.entries.length;
  switch (name) {
    case "add":
      return { add: await entryOf(person, await deps.offered()) };
    case "remove":
      return { remove: await placeOf(person, "Which", last) };
    case "move":
      return {
        move: { from: await placeOf(person, "Which", last), to: await placeOf(person, "New position", last) },
      };
    case "clear":
      return (await askYesNo(person, `Remove ${last === 1 ? "it" : `all ${last}`}?`, false))
        ? { clear: true }
        : undefined;
  }
}

async function placeOf(person: Person, ask: string, last: number): Promise<number> {
  const problem = (text: string) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= last ? undefined : `Enter a number from 1 to ${last}.`;
  return Number(await askUntilValid(person, { ask, problem }));
}

/** More than that are not shown. */
const SHOWN = 20;

async function entryOf(person: Person, offered: readonly OfferedModels[]): Promise<FallbackEntry> {
  const known = offered.map(({ provider, models, problem }) => ({
    name: provider,
    title: problem ?? `${models.length} models`,
    models,
  }));
  const rows = [...known, { name: "other", title: "a provider that is not in the settings", models: [] }];
  const { name, models } = await pickRow(person, "Provider", { rows });
  const other = name === "other" ? await otherOf(person) : { provider: name };
  for (const id of models.slice(0, SHOWN)) await person.say(`  ${id}`);
  const model = await askUntilValid(person, { ask: "Model" });
  return { ...other, model: model ?? "" };
}

async function otherOf(person: Person): Promise<Omit<FallbackEntry, "model">> {
  const provider = (await askUntilValid(person, { ask: "Name" })) ?? "";
  const address = (await askUntilValid(person, { ask: "Address", problem: addressProblem })) ?? "";
  const variable = await askUntilValid(person, { ask: "Variable with the key", kept: "none" });
  return { provider, base_url: address, ...(variable === undefined ? {} : { key_env: variable }) };
}
