// Defines the types of the metrics for /metrics. Each room declares its metrics with a limit of series, which limits the size
// of the whole text.

/** The declaration of a metric. Names begin with malipo_, and labels contain no ids, phones or keys. */
export type MetricSpec = {
  name: string
  help: string
  labels?: readonly string[]
  /**
   * The largest number of series, one for each combination of label values. Further combinations count as `other`. Without
   * labels, the number is 1.
   */
  series_max?: number
  /**
   * The labels that keep their values beyond `series_max`, such as the status, which an alert needs. Each label has few values.
   */
  keeps?: readonly string[]
}

/** The declaration of a histogram, with the upper limits of its buckets. */
export type HistogramSpec = MetricSpec & { buckets: readonly number[] }

/**
 * Returns the series of these label values, in the order of the labels. If the values never change, keep the result.
 */
export type SeriesOf<Series> = (...values: string[]) => Series

/** A series whose value only grows. */
export type CountSeries = { inc(by?: number): void }
/** A series whose value can rise and fall. */
export type LevelSeries = { set(value: number): void }
/** A series of measured values, such as durations in seconds. */
export type DistributionSeries = { observe(value: number): void }

/** The series of a gauge. `reset` removes all series, so that no old value stays. */
export type Levels = SeriesOf<LevelSeries> & { reset(): void }

/** The metrics of one process. If a room declares a name again, it gets the existing metric. */
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
  /** The media type of the result of `text`. */
  content_type: string
  /** Returns the largest possible number of series of the declared metrics and of the process itself. */
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
