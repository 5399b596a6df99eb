import { toAppError } from "../../base/errors.js";
import type { EpochMs } from "../../base/units.js";
import { entryLine, providerLines } from "../../commands/auth/text.js";
import type { AuthApi, AuthEntry, AuthProvider } from "../../contracts/models/auth.js";
import { DESCRIPTORS } from "../../logins/core/descriptors.js";
import { askUntilValid, askYesNo, type ChoiceRow, givenUp, type Person, pickRow } from "../../setup/ask-person.js";

export interface AuthMenuDeps {
  readonly auth: Pick<AuthApi, "list" | "ways">;
  readonly now: () => EpochMs;
  /** Run another command line of the program at the same terminal; what went wrong is shown. */
  readonly run: (argv: readonly string[]) => Promise<unknown>;
}

type Act = "add" | "remove" | "refresh" | "reset" | "logout";

/** Show logins and keys, and run `agent auth …` of what is chosen, until the person has done. @throws E_INTERRUPTED */
export async function manageAuth(person: Person, deps: AuthMenuDeps): Promise<void> {
  for (;;) {
    const { providers, problems } = await deps.auth.list();
    for (const problem of problems) await person.say(problem);
    const some = providers.filter(({ entries, error }) => entries.length > 0 || error !== null);
    for (const one of some) for (const line of providerLines(one, deps.now())) await person.say(line);
    if (some.length === 0) await person.say("No logins or keys.");
    const rows = rowsOf(providers);
    const { name } = await pickRow<ChoiceRow & { readonly name: Act | "done" }>(person, "Action", {
      rows,
      usual: rows.at(-1),
    });
    if (name === "done") return;
    const argv = await lineOf(person, name, { providers, deps }).catch((error: unknown) => {
      if (person.signal.aborted) throw error;
      return person.say(`  ${toAppError(error).message}`);
    });
    if (argv === undefined) continue;
    await deps.run(argv);
    if (person.signal.aborted) throw givenUp();
  }
}

const logsIn = ({ type }: AuthEntry) => type === "oauth";
const rests = ({ status }: AuthEntry) => status !== "ok";

function rowsOf(providers: readonly AuthProvider[]): readonly (ChoiceRow & { readonly name: Act | "done" })[] {
  const has = (what: (entry: AuthEntry) => boolean) => providers.some(({ entries }) => entries.some(what));
  return [
    { name: "add", title: "add a login or a key" },
    ...(has(() => true) ? [{ name: "remove", title: "one" } as const] : []),
    ...(has(logsIn) ? [{ name: "refresh", title: "renew a login" } as const] : []),
    ...(has(rests) ? [{ name: "reset", title: "use exhausted or rejected credentials again" } as const] : []),
    ...(has(logsIn) ? [{ name: "logout", title: "log out of a provider" } as const] : []),
    { name: "done", title: "" },
  ];
}

interface Chosen {
  readonly providers: readonly AuthProvider[];
  readonly deps: AuthMenuDeps;
}

async function lineOf(person: Person, act: Act, { providers, deps }: Chosen): Promise<readonly string[] | undefined> {
  switch (act) {
    case "add":
      return addLine(person, deps);
    case "remove":
      return removeLine(person, providers, deps.now());
    case "refresh":
      return ["auth", "refresh", await providerOf(person, providers, logsIn), "--all"];
    case "reset":
      return ["auth", "reset", await providerOf(person, providers, rests)];
    case "logout": {
      const provider = await providerOf(person, providers, logsIn);
      return (await askYesNo(person, `Log out of ${provider}?`, false)) ? ["auth", "logout", provider] : undefined;
    }
  }
}

async function providerOf(
  person: Person,
  providers: readonly AuthProvider[],
  what: (entry: AuthEntry) => boolean,
): Promise<string> {
  const rows = providers
    .filter(({ entries }) => entries.some(what))
    .map(({ provider, name }) => ({ name: provider, title: name }));
  const [only] = rows;
  return rows.length === 1 && only !== undefined ? only.name : (await pickRow(person, "Provider", { rows })).name;
}

async function addLine(person: Person, { auth }: AuthMenuDeps): Promise<readonly string[]> {
  const known = DESCRIPTORS.map(({ id, name }) => ({ name: id, title: name }));
  const rows = [...known, { name: "other", title: "a provider from the settings" }];
  const { name } = await pickRow(person, "Provider", { rows });
  const { id, login, keyVariables, regions } = await auth.ways(
    name === "other" ? ((await askUntilValid(person, { ask: "Name" })) ?? "") : name,
  );
  const both = login === "here" && keyVariables.length > 0;
  const ways = [
    { name: "oauth", title: "log in" },
    { name: "api-key", title: "store a key" },
  ];
  const type = both
    ? (await pickRow(person, "How", { rows: ways, usual: ways[0] })).name
    : login === "here"
      ? "oauth"
      : "api-key";
  const areas = regions.map((region) => ({ name: region, title: "" }));
  const region =
    areas.length === 0 ? [] : ["--region", (await pickRow(person, "Region", { rows: areas, usual: areas[0] })).name];
  return ["auth", "add", id, "--type", type, ...region];
}

async function removeLine(
  person: Person,
  providers: readonly AuthProvider[],
  now: EpochMs,
): Promise<readonly string[] | undefined> {
  const rows = providers.flatMap(({ provider, entries }) =>
    entries.map((entry) => ({ name: `${provider}#${entry.index}`, title: entryLine(entry, now), provider, entry })),
  );
  const { name, provider, entry } = await pickRow(person, "Which", { rows });
  if (!(await askYesNo(person, `Remove ${name}?`, false))) return undefined;
  const cleans = entry.source.startsWith("env:") && (await askYesNo(person, "Also delete its line in .env?", false));
  return ["auth", "remove", provider, entry.id, ...(cleans ? ["-y"] : [])];
}
