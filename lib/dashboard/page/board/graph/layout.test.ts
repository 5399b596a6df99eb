import assert from "node:assert/strict";
import { test } from "node:test";
import { around, type Edge, type GraphTask, type Spot } from "./around.js";
import { BOX, layOutGraph, neighbour } from "./layout.js";

/** Tasks from lines `parent > child`. */
function tasksOf(...links: readonly string[]): ReadonlyMap<string, GraphTask> {
  const pairs = links.map((link) => link.split(" > "));
  const ids = [...new Set(pairs.flat())];
  return new Map(
    ids.map((id) => {
      const parents = pairs.flatMap(([parent = "", child]) => (child === id ? [parent] : []));
      const children = pairs.flatMap(([parent, child = ""]) => (parent === id ? [child] : []));
      return [id, { id, title: `task ${id}`, status: "todo" as const, parents, children }];
    }),
  );
}

function graphOf(centre: string, ...links: readonly string[]) {
  const tasks = tasksOf(...links);
  const task = tasks.get(centre);
  assert.ok(task);
  return around(task, (id) => tasks.get(id));
}

const spot = (id: string): Spot => ({ id, title: id, status: "todo" });
const edge = (parent: string, child: string): Edge => ({ parent, child });

test("a task is drawn with all that it waits for and all that waits for it, and the links between them", () => {
  const { spots, edges, more } = graphOf("c", "a > b", "b > c", "a > c", "c > d", "d > e", "x > e", "y > z");
  assert.deepEqual(spots.map(({ id }) => id).toSorted(), ["a", "b", "c", "d", "e"]);
  assert.equal(edges.length, 5);
  assert.equal(more, 0);
});

test("of a very large graph the nearest tasks are drawn, and how many are not", () => {
  const links = Array.from({ length: 100 }, (_, at) => `p${at} > c`);
  const { spots, more } = graphOf("c", ...links, "c > d");
  assert.equal(spots.length + more, 102);
  assert.ok(spots.some(({ id }) => id === "d"));
});

test("a task that is not on the board is drawn by its id", () => {
  const child = { id: "c", title: "child", status: "todo" as const, parents: ["gone"], children: [] };
  const { spots, edges } = around(child, () => undefined);
  assert.deepEqual(spots[1], { id: "gone", title: "", status: undefined });
  assert.deepEqual(edges, [{ parent: "gone", child: "c" }]);
});

test("every task stands to the right of what it waits for", () => {
  const edges = [edge("a", "b"), edge("b", "c"), edge("a", "c"), edge("a", "d"), edge("d", "c")];
  const { spots } = layOutGraph(["c", "d", "a", "b"].map(spot), edges);
  const x = new Map(spots.map((one) => [one.id, one.x]));
  for (const { parent, child } of edges)
    assert.ok((x.get(parent) ?? 0) + BOX.width < (x.get(child) ?? 0), `${parent} before ${child}`);
});

test("boxes never overlap and lie within the drawing", () => {
  const ids = Array.from({ length: 12 }, (_, at) => `n${at}`);
  const { spots, width, height } = layOutGraph(
    ids.map(spot),
    ids.slice(1).map((id, at) => edge(`n${Math.floor(at / 3)}`, id)),
  );
  for (const one of spots) {
    assert.ok(one.x >= 0 && one.x + BOX.width <= width && one.y >= 0 && one.y + BOX.height <= height);
    for (const other of spots)
      assert.ok(one === other || Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height);
  }
});

test("parallel chains do not cross", () => {
  const { spots } = layOutGraph(["a", "b", "y", "x"].map(spot), [edge("a", "x"), edge("b", "y")]);
  const row = new Map(spots.map((one) => [one.id, one.row]));
  assert.equal(row.get("a"), row.get("x"));
  assert.equal(row.get("b"), row.get("y"));
});

test("a link over several layers passes beside the boxes in between, never behind them", () => {
  const edges = [edge("a", "b"), edge("b", "c"), edge("c", "d"), edge("a", "d"), edge("b", "d")];
  const { spots, lines } = layOutGraph(["a", "b", "c", "d"].map(spot), edges);
  for (const { parent, child, path } of lines)
    for (const [, x, y] of path.matchAll(/ (\d+(?:\.\d+)?) (\d+(?:\.\d+)?)H/g))
      for (const box of spots) {
        const behind = Number(x) === box.x && Number(y) > box.y && Number(y) < box.y + BOX.height;
        assert.ok(!behind, `${parent} > ${child} runs behind ${box.id}`);
      }
  assert.equal(lines.filter(({ path }) => path.includes("H")).length, 2);
});

test("links that run in a circle do not hang it", () => {
  assert.equal(layOutGraph(["a", "b"].map(spot), [edge("a", "b"), edge("b", "a")]).spots.length, 2);
});

test("arrow keys lead to the tasks that lie there, and nowhere at the border", () => {
  const drawn = layOutGraph(["a", "b", "c", "d"].map(spot), [
    edge("a", "b"),
    edge("a", "c"),
    edge("b", "d"),
    edge("c", "d"),
  ]);
  assert.equal(neighbour(drawn, "b", "ArrowLeft"), "a");
  assert.equal(neighbour(drawn, "b", "ArrowRight"), "d");
  assert.equal(neighbour(drawn, "b", "ArrowDown"), "c");
  assert.equal(neighbour(drawn, "c", "ArrowUp"), "b");
  assert.equal(neighbour(drawn, "a", "ArrowLeft"), undefined);
  assert.equal(neighbour(drawn, "a", "x"), undefined);
});
