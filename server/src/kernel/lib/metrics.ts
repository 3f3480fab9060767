// Counts events of this process for /metrics. Each room declares its metrics with a limit of series, so the whole text is bounded.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The declaration of a metric. Names begin with malipo_, and labels hold no ids, phones or keys. */
export type MetricSpec = {
  name: string
  help: string
  labels?: readonly string[]
  /** The largest number of different label values together. Further values count as `other`. 1 without labels. */
  series_max?: number
}

type HistogramSpec = MetricSpec & { buckets: readonly number[] }

/** Returns the series of these label values, in the order of the labels. Keep the result where the values never change. */
type SeriesOf<Series> = (...values: string[]) => Series

/** A series that only grows. */
export type CountSeries = { inc(by?: number): void }
/** A series with the present value. */
export type LevelSeries = { set(value: number): void }
/** A series of measured values. */
export type DistributionSeries = { observe(value: number): void }

/** The series of a gauge. `reset` removes all of them, so that no old value stays. */
export type Levels = SeriesOf<LevelSeries> & { reset(): void }

/** The metrics of one process. A repeated declaration of a name returns the same metric. */
export type Metrics = {
  counter(spec: MetricSpec): SeriesOf<CountSeries>
  gauge(spec: MetricSpec): Levels
  histogram(spec: HistogramSpec): SeriesOf<DistributionSeries>
  /** Runs `read` before each scrape. `read` must end soon and must not throw. */
  beforeScrape(read: () => void | Promise<void>): void
  /** Adds the metrics of the process itself: CPU, memory, garbage collection and event loop. */
  addProcessMetrics(): void
  /** Returns all metrics in the text format of Prometheus. */
  text(): Promise<string>
  /** The media type of `text`. */
  content_type: string
  /** Returns the largest possible number of series of the declared metrics. */
  seriesMax(): number
}

/** The label value that stands for all values beyond `series_max`. */
const OTHER = 'other'
/** The number of series of the process metrics. */
const PROCESS_SERIES = 110

/** Makes the metrics of a process, without any series. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const declared = new Map<string, { series: unknown; series_max: number }>()
  const readers: (() => void | Promise<void>)[] = []
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
        return boundedSeries(spec, (values) => counter.labels(...values))
      }),
    gauge: (spec) =>
      declare(spec, 1, () => {
        const gauge = new Gauge(options(spec))
        const series = boundedSeries(spec, (values) => gauge.labels(...values))
        const reset = () => {
          gauge.reset()
          // The registry gives a gauge without labels the value 0, which no reading returned.
          if ((spec.labels ?? []).length === 0) gauge.remove()
        }
        reset()
        return Object.assign(series, { reset })
      }),
    histogram: (spec) =>
      // A histogram also has a series for the largest bucket, the sum and the number.
      declare(spec, spec.buckets.length + 3, () => {
        const histogram = new Histogram({ ...options(spec), buckets: [...spec.buckets] })
        return boundedSeries(spec, (values) => histogram.labels(...values))
      }),
    beforeScrape: (read) => void readers.push(read),
    addProcessMetrics() {
      process_series = PROCESS_SERIES
      collectDefaultMetrics({ register: registry })
    },
    async text() {
      await Promise.all(readers.map((read) => read()))
      return registry.metrics()
    },
    content_type: registry.contentType,
    seriesMax: () => [...declared.values()].reduce((sum, { series_max }) => sum + series_max, process_series),
  }
}

const seriesLimit = ({ labels = [], series_max = 1 }: MetricSpec) => (labels.length === 0 ? 1 : series_max)

/** Makes each series once. From the limit on, every new combination of label values is the series `other`. */
function boundedSeries<Series>(spec: MetricSpec, make: (values: string[]) => Series): SeriesOf<Series> {
  const limit = seriesLimit(spec)
  const made = new Map<string, Series>()
  const others = (spec.labels ?? []).map(() => OTHER)
  const find = (values: string[]): Series => {
    const key = values.join('\n')
    const existing = made.get(key)
    if (existing !== undefined) return existing
    // One place stays free for `other`.
    const is_full = made.size >= limit - 1 && values.length > 0
    if (is_full && values !== others) return find(others)
    const series = make(values)
    made.set(key, series)
    return series
  }
  return (...values) => find(values)
}

const BATCH_BUCKETS = [1, 4, 16, 64, 250]

/** Returns the function that records the sizes of the batches of one kind. */
export function batchSizes(metrics: Metrics, batch: string): (items: number) => void {
  const sizes = metrics.histogram({
    name: 'malipo_batch_size',
    help: 'Items in one batch of the server, by kind of batch.',
    labels: ['batch'],
    series_max: 9,
    buckets: BATCH_BUCKETS,
  })(batch)
  return (items) => sizes.observe(items)
}
