// Counts events of this process for /metrics. Each room declares its metrics with a limit of series, so the whole text is bounded.

/** The declaration of a metric. Names begin with malipo_, and labels hold no ids, phones or keys. */
export type MetricSpec = {
  name: string
  help: string
  labels?: readonly string[]
  /** The largest number of different label values together. Further values count as `other`. 1 without labels. */
  series_max?: number
  /** The labels whose values stay beyond `series_max`, such as the status, which an alert needs. They have few values. */
  keeps?: readonly string[]
}

/** The declaration of a histogram, with the upper limits of its buckets. */
export type HistogramSpec = MetricSpec & { buckets: readonly number[] }

/** Returns the series of these label values, in the order of the labels. Keep the result where the values never change. */
export type SeriesOf<Series> = (...values: string[]) => Series

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
