import { useCallback } from "preact/hooks";
import type { TaskBrief } from "../../../../contracts/board/api.js";
import { useServices } from "../../services.js";
import { formatRoute } from "../../state/route.js";
import { useBoardState } from "../board-context.js";
import type { GraphTask } from "../graph/around.js";
import { Graph } from "../graph/graph.js";
import { useOpenTask } from "./drawer-context.js";
import { LinkSearch } from "./link-search.js";

/** What the task waits for and what waits for it: as a drawing, and as lists in which links are made and cut. */
export function Dependencies() {
  const { page, calls, reload } = useOpenTask();
  const { failed, route } = useServices();
  const { task, links } = page;
  const cards = useBoardState((state) => state.cards);
  const find = useCallback((id: string): GraphTask | undefined => cards.get(id) ?? briefOf(links, id), [cards, links]);
  const href = useCallback(
    (id: string): string => formatRoute({ view: "board", id, query: route.get().query }),
    [route],
  );
  const changing = (work: Promise<unknown>): void => {
    work.then(reload).catch(failed);
  };
  const any = links.parents.length + links.children.length > 0;
  return (
    <>
      {any && <Graph task={task} find={find} href={href} />}
      <LinkList title="Waits for" tasks={links.parents} href={href} cut={(id) => changing(calls.unlink(id, task.id))} />
      <LinkSearch label="Add a task to wait for" link={(id) => changing(calls.link(id, task.id))} />
      <LinkList
        title="Waits for this"
        tasks={links.children}
        href={href}
        cut={(id) => changing(calls.unlink(task.id, id))}
      />
      <LinkSearch label="Add a task that waits for this" link={(id) => changing(calls.link(task.id, id))} />
    </>
  );
}

/** A neighbour that is not on the board as it is loaded, as far as its link tells. */
function briefOf(
  { parents, children }: { parents: readonly TaskBrief[]; children: readonly TaskBrief[] },
  id: string,
): GraphTask | undefined {
  const brief = [...parents, ...children].find((one) => one.id === id);
  return brief === undefined ? undefined : { ...brief, parents: [], children: [] };
}

interface LinkListProps {
  title: string;
  tasks: readonly TaskBrief[];
  href(id: string): string;
  cut(id: string): void;
}

function LinkList({ title, tasks, href, cut }: LinkListProps) {
  return (
    <div class="links">
      <h4>{title}</h4>
      {tasks.length === 0 && <p class="soft">nothing</p>}
      <ul class="rows">
        {tasks.map(({ id, title: name, status, verdict }) => (
          <li key={id} class="row">
            <span class={`dot status-${status}`} aria-hidden="true" />
            <a class="grow clip" href={href(id)}>
              {name}
            </a>
            <span class="soft">
              {status}
              {verdict === "rejected" && ", rejected"}
            </span>
            <button type="button" class="quiet small" aria-label={`Unlink ${name}`} onClick={() => cut(id)}>
              Unlink
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
