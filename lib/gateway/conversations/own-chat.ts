import { AppError, ambiguousName, toAppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi, SessionFilter, SessionRecord } from "../../contracts/chat/chat.js";

type Listed = Awaited<ReturnType<ChatApi["list"]>>[number];

/** Lineages that the chats of a user were in. */
export type Roots = () => Promise<ReadonlySet<SessionId>>;

/**
 * Conversations as commands of one person of a chat see them: those of others are not there (gateway part, 7.5). A command that is given an id
 * of another user gets the answer of one that never was.
 */
export function ownChat(chat: ChatApi, roots: Roots): ChatApi {
  const list = async (filter: SessionFilter): Promise<readonly Listed[]> =>
    chat.list({ ...filter, among: await roots() });
  const activity: ChatApi["activity"] = async () => {
    const mine = await roots();
    return (await chat.activity()).filter((one) => mine.has(one.lineage_root));
  };
  const children: ChatApi["children"] = async (parent) => {
    const parents = parent === undefined ? (await activity()).map((one) => one.session_id) : [parent];
    return (await Promise.all(parents.map((one) => chat.children(one)))).flat();
  };
  const owned = async (id: SessionId): Promise<SessionId> => {
    const found = await chat.get(id);
    if (found === undefined || !(await roots()).has(found.lineage_root)) throw unknown(id);
    return id;
  };
  return {
    ...chat,
    list,
    activity,
    children,
    count: async (filter) => chat.count({ ...filter, among: await roots() }),
    find: (name) => find(chat, name.trim(), { roots, list }),
    search: () =>
      Promise.reject(
        new AppError("E_FORBIDDEN", "other conversations cannot be searched from a chat", {
          hint: "/sessions lists yours",
        }),
      ),
    interruptChild: async (id) => ((await children()).some((one) => one.id === id) ? chat.interruptChild(id) : false),
    resume: async (id, options, frontEnd) => chat.resume(await owned(id), options, frontEnd),
    visit: async (id, options, frontEnd) => chat.visit(await owned(id), options, frontEnd),
    delete: async (id) => chat.delete(await owned(id)),
    rename: (id, title) => chat.rename(id, title).catch(withoutHolder),
  };
}

interface Known {
  readonly roots: Roots;
  readonly list: (filter: SessionFilter) => Promise<readonly Listed[]>;
}

async function find(chat: ChatApi, name: string, { roots, list }: Known): Promise<SessionRecord> {
  const found = await chat.find(name).catch((error: unknown) => {
    const { code } = toAppError(error);
    if (code !== "E_NOT_FOUND" && code !== "E_AMBIGUOUS") throw error;
  });
  if (found !== undefined && (await roots()).has(found.lineage_root)) return found;
  // Others may stand before one's own by a beginning or a title.
  const mine = await list({ archived: "both", limit: Number.MAX_SAFE_INTEGER });
  const begun = mine.filter(({ id }) => name !== "" && id.startsWith(name));
  const [first, second] = begun.length > 0 ? begun : mine.filter(({ title }) => title === name);
  if (first === undefined) throw unknown(name);
  if (second === undefined || begun.length === 0) return first;
  const candidates = begun.map(({ id, title }) => ({ id, title }));
  throw ambiguousName(`"${name}" is ambiguous: ${begun.map(({ id }) => id).join(", ")}`, {
    candidates,
  });
}

const unknown = (name: string): AppError =>
  new AppError("E_NOT_FOUND", `no such session: "${name}"`, { session: name, hint: "/resume lists yours" });

/** Whose conversation has a title already is not told. */
function withoutHolder(error: unknown): never {
  if (toAppError(error).code !== "E_CONFLICT") throw error;
  throw new AppError("E_CONFLICT", "this title is already in use", { hint: "choose another" });
}
