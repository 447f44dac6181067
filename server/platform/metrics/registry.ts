import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Histogram,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client'

/** Of this process alone; another one, such as that which converts videos, has its own. */
export const registry = new Registry()
const registers = [registry]

export const requests = new Counter({
  name: 'http_requests_total',
  help: 'Requests that were answered, by route, method and class of the status',
  labelNames: ['route', 'method', 'status'],
  registers,
})

export const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'From the head of a request to the end of its answer',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers,
})

export const jobs = new Counter({
  name: 'sendreel_jobs_total',
  help: 'Background jobs that this process has worked on, by what became of them',
  labelNames: ['queue', 'result'],
  registers,
})

export const jobSeconds = new Histogram({
  name: 'sendreel_job_duration_seconds',
  help: 'How long a background job took',
  labelNames: ['queue'],
  buckets: [0.05, 0.25, 1, 5, 15, 60, 300, 1_800, 7_200],
  registers,
})

export const sends = new Counter({
  name: 'sendreel_mail_sends_total',
  help: 'Mails handed to the mail server, by what became of the try',
  labelNames: ['result'],
  registers,
})

export const conversions = new Counter({
  name: 'sendreel_conversions_total',
  help: 'Videos whose conversion came to an end',
  labelNames: ['result'],
  registers,
})

// There from the start, so that a rate sees the first one.
for (const result of ['accepted', 'rejected', 'deferred', 'unreachable', 'throttled', 'unknown', 'withheld'])
  sends.inc({ result }, 0)
for (const result of ['ready', 'failed']) conversions.inc({ result }, 0)

let isBegun = false

/** From here on the memory, the processor time and the event loop of this process are measured too. */
export function beginMeasuring(process: 'server' | 'media'): void {
  if (isBegun) return
  isBegun = true
  registry.setDefaultLabels({ process })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  // Their names say that they only grow, and they do not.
  for (const name of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${name}_total`)
}

export type Measured = MetricObjectWithValues<MetricValue<string>>[]

/** What other processes of this program have measured, such as a child. */
const others = new Set<() => Promise<Measured>>()

export function alsoMeasured(by: () => Promise<Measured>): void {
  others.add(by)
}

/** What a parent says to a child to hear what it has measured. */
export const measureRequest = 'measure'

/** In a child: answers its parent. */
export function answerParent(): void {
  process.on('message', (asked) => {
    if (asked !== measureRequest) return
    void registry.getMetricsAsJSON().then((measured) => process.send?.(measured))
  })
}

/** Everything in the text format of Prometheus; each process in its label, and none is added to another. */
export async function measuredText(): Promise<string> {
  const all = await Promise.all([registry.getMetricsAsJSON(), ...[...others].map((ask) => ask())])
  const summed = all.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: 'sum' })))
  return AggregatorRegistry.aggregate(summed).metrics()
}

export const contentType = registry.contentType
