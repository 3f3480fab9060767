// Makes the metrics of a process with prom-client. The index does not export this file, because worker threads need no metrics
// and would load the package into their memory.

import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { CountSeries, DistributionSeries, HistogramSpec, MetricSpec, Metrics, SeriesOf } from './metrics.ts'

/** The value of labels in the series that count combinations beyond the limit of a metric. */
const OTHER = 'other'
/** The number of series that `seriesMax` counts for the metrics of the process itself. */
const PROCESS_SERIES = 110

/** Makes the metrics of a process, without any series. Rooms then declare their metrics. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const declared = new Map<string, { series: unknown; series_max: number }>()
  const readers: (() => void | Promise<void>)[] = []
  const flushes: (() => void)[] = []
  let process_series = 0
  const declare = <Series>(spec: MetricSpec, lines: number, make: () => Series): Series => {
    const existing = declared.get(spec.name)
    if (existing !== undefined) return existing.series as Series
    const series = make()
    declared.set(spec.name, { series, series_max: seriesLimit(spec) * lines })
    return series
  }
  const options = ({ name, help, labels = [] }: MetricSpec) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  })
  return {
    counter: (spec) =>
      declare(spec, 1, () => {
        const counter = new Counter(options(spec))
        return boundedSeries(spec, (values) => {
          const series = countSeries(counter.labels(...values))
          flushes.push(series.flush)
          return series
        })
      }),
    gauge: (spec) =>
      declare(spec, 1, () => {
        const gauge = new Gauge(options(spec))
        const series = boundedSeries(spec, (values) => gauge.labels(...values))
        const reset = () => {
          gauge.reset()
          // The registry gives a gauge without labels the value 0. This call removes the value, because no reading returned it.
          if ((spec.labels ?? []).length === 0) gauge.remove()
        }
        reset()
        return Object.assign(series, { reset })
      }),
    histogram: (spec) =>
      // Besides its buckets, a histogram has three series: the bucket +Inf, the sum and the number of values.
      declare(spec, spec.buckets.length + 3, () => {
        const histogram = createHistogram(spec)
        // The registry uses only the name of the metric and the result of `get`.
        registry.registerMetric(histogram as unknown as Metric)
        return boundedSeries(spec, histogram.series)
      }),
    beforeScrape: (read) => void readers.push(read),
    addProcessMetrics() {
      process_series = PROCESS_SERIES
      collectDefaultMetrics({ register: registry })
    },
    async text() {
      await Promise.all(readers.map((read) => read()))
      for (const flush of flushes) flush()
      return registry.metrics()
    },
    content_type: registry.contentType,
    seriesMax: () => [...declared.values()].reduce((sum, { series_max }) => sum + series_max, process_series),
  }
}

/**
 * Makes a series that counts in memory. `flush` adds the count to the counter of the registry. That counter sorts and joins the
 * labels in each call, which costs too much in each request.
 */
function countSeries(counter: CountSeries): CountSeries & { flush(): void } {
  let count: number | null = null
  return {
    inc(by = 1) {
      count = (count ?? 0) + by
    },
    flush() {
      if (count !== null) counter.inc(count)
      count = null
    },
  }
}

/**
 * A series of a histogram. `counts` has the number of values of each bucket, without those of smaller buckets. The last number
 * is for values above the largest bucket.
 */
type Distribution = { labels: Record<string, string>; counts: number[]; sum: number }

/** Makes a histogram whose series do no work with labels when they observe a value. */
function createHistogram({ name, help, labels = [], buckets }: HistogramSpec) {
  const all: Distribution[] = []
  const limits = [...buckets, Number.POSITIVE_INFINITY]
  return {
    name,
    series(values: readonly string[]): DistributionSeries {
      const counts = limits.map(() => 0)
      const one: Distribution = {
        labels: Object.fromEntries(labels.map((label, i) => [label, values[i] ?? ''])),
        counts,
        sum: 0,
      }
      all.push(one)
      return {
        observe(value) {
          const bucket = limits.findIndex((limit) => value <= limit)
          if (!Number.isFinite(value) || bucket === -1)
            throw new TypeError(`${name} observed ${value}, which is no finite number`)
          counts[bucket] = (counts[bucket] as number) + 1
          one.sum += value
        },
      }
    },
    /** Returns the series as the registry prints them. Omits series with labels that observed no value. */
    async get() {
      return { name, help, type: 'histogram', values: all.flatMap((one) => distributionValues(name, limits, one)) }
    },
  }
}

function distributionValues(name: string, limits: readonly number[], { labels, counts, sum }: Distribution) {
  let count = 0
  const below = limits.map((limit, i) => {
    count += counts[i] as number
    return {
      metricName: `${name}_bucket`,
      labels: { le: Number.isFinite(limit) ? String(limit) : '+Inf', ...labels },
      value: count,
    }
  })
  if (count === 0 && Object.keys(labels).length > 0) return []
  return [
    ...below,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

const seriesLimit = ({ labels = [], series_max = 1 }: MetricSpec) => (labels.length === 0 ? 1 : series_max)

/**
 * The number of series that a metric with `keeps` reserves for combinations above its limit: one for each kept value, such as a
 * status.
 */
const KEPT_SERIES = 24

/**
 * Makes each series once. When only the reserved series remain, counts new combinations of label values as `other`, with the
 * kept values. In the last series, every label is `other`.
 */
function boundedSeries<Series>(spec: MetricSpec, make: (values: string[]) => Series): SeriesOf<Series> {
  const limit = seriesLimit(spec)
  const made = new Map<string, Series>()
  const { labels = [], keeps = [] } = spec
  const free = keeps.length > 0 ? KEPT_SERIES : 1
  const add = (values: string[]): Series => {
    const key = values.join('\n')
    const existing = made.get(key)
    if (existing !== undefined) return existing
    const series = make(values)
    made.set(key, series)
    return series
  }
  return (...values) => {
    const existing = made.get(values.join('\n'))
    if (existing !== undefined) return existing
    if (values.length === 0 || made.size < limit - free) return add(values)
    const kept = labels.map((name, i) => (keeps.includes(name) ? (values[i] as string) : OTHER))
    return add(made.size < limit - 1 ? kept : labels.map(() => OTHER))
  }
}
