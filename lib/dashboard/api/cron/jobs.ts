import * as z from "zod";
import type { JobChange } from "../../../contracts/gateway/cron.js";
import { toJobJson, toPlannedJson, toRunJson } from "../../../contracts/gateway/cron-json.js";
import { cronRunShape, jobShape, plannedRunShape } from "../../../contracts/wire/shapes/cron.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { integerOf, switchOf } from "../../../http/query.js";
import type { DashboardParts } from "../../core/parts.js";
import { change } from "./schemas.js";

const tag = "cron";
const params = z.object({ job: z.string().max(200).describe("id or name") });
/** Two jobs of a name are a wrong request (400); 409 is a job in a state that does not allow it. */
const errors = [404, 409];

/** What is not said stays as it is. */
const said = (given: z.output<typeof change>): JobChange => ({
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  by: "person",
});

/** Scheduled jobs of this home. */
export const CRON_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/cron/jobs",
    summary: "List scheduled jobs by next run. The header X-Total-Count has their number.",
    tag,
    query: z.object({
      all: switchOf("include completed jobs"),
      limit: integerOf(1, 200, "maximum number of items").default(20),
      offset: integerOf(0, 1_000_000, "number of items to skip").default(0),
    }),
    answer: z.array(jobShape),
    run: async ({ query: { all, limit, offset } }, { cron }: DashboardParts) => {
      const jobs = await cron.list(all);
      return {
        json: jobs.slice(offset, offset + limit).map(toJobJson),
        headers: { "x-total-count": String(jobs.length) },
      };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/cron/jobs",
    summary: "Create a scheduled job.",
    tag,
    body: change.extend({ schedule: change.shape.schedule.unwrap() }),
    answer: plannedRunShape,
    success: 201,
    errors: [404],
    run: async ({ body }, { cron }: DashboardParts) => ({
      status: 201,
      json: toPlannedJson(await cron.create({ ...said(body), schedule: body.schedule })),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/cron/jobs/:job",
    summary: "Read a job with its next runs.",
    tag,
    params,
    answer: plannedRunShape,
    errors,
    run: async (request, { cron }: DashboardParts) => ({ json: toPlannedJson(await cron.show(request.params.job)) }),
  }),
  defineEndpoint({
    method: "PATCH",
    path: "/cron/jobs/:job",
    summary: "Change a job. Omitted fields are unchanged.",
    tag,
    params,
    body: change,
    answer: plannedRunShape,
    errors,
    run: async (request, { cron }: DashboardParts) => ({
      json: toPlannedJson(await cron.edit(request.params.job, said(request.body))),
    }),
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/cron/jobs/:job",
    summary: "Delete a job. Its output files are kept.",
    tag,
    params,
    answer: jobShape,
    errors,
    run: async (request, { cron }: DashboardParts) => ({ json: toJobJson(await cron.remove(request.params.job)) }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/cron/jobs/:job/pause",
    summary: "Pause a job.",
    tag,
    params,
    answer: jobShape,
    errors,
    body: z.object({ reason: z.string().max(500).optional() }),
    run: async (request, { cron }: DashboardParts) => ({
      json: toJobJson(await cron.pause(request.params.job, request.body.reason ?? null)),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/cron/jobs/:job/resume",
    summary: "Resume a job, counted from now.",
    tag,
    params,
    answer: plannedRunShape,
    errors,
    run: async (request, { cron }: DashboardParts) => ({ json: toPlannedJson(await cron.resume(request.params.job)) }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/cron/jobs/:job/trigger",
    summary: "Run a job now. Its schedule is unchanged. Without a long-lived owner, it returns when the run has ended.",
    tag,
    params,
    answer: cronRunShape,
    errors,
    run: async (request, { cron }: DashboardParts) => ({ json: toRunJson(await cron.run(request.params.job)) }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/cron/jobs/:job/runs",
    summary: "List the runs of a job, newest first.",
    tag,
    params,
    answer: z.array(cronRunShape),
    errors,
    query: z.object({
      limit: integerOf(1, 200, "maximum number of items").default(20),
      offset: integerOf(0, 10_000, "number of items to skip").default(0),
    }),
    run: async ({ params: { job: name }, query: { limit, offset } }, { cron }: DashboardParts) => ({
      json: (await cron.runs(name, offset + limit)).slice(offset).map(toRunJson),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/cron/delivery-targets",
    summary: "List delivery targets of jobs: a file, and known chats.",
    tag,
    answer: z.array(
      z.object({
        target: z.string(),
        name: z.string(),
        type: z.string(),
        guild: z.string().nullable(),
        home: z.boolean(),
      }),
    ),
    run: async (_request, { targets }: DashboardParts) => ({
      json: [
        { target: "local", name: "a file of the home", type: "file", guild: null, home: false },
        ...(await targets()),
      ],
    }),
  }),
];
