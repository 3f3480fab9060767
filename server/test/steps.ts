// Measures durations in steps, because a test machine can stop all its processes for a second.

const STEP_MS = 50

/**
 * Returns the result of `work`, and its duration in milliseconds as a sum of steps of 50 ms. A pause of the whole process
 * counts as one step, because nothing happens in the process during the pause.
 */
export async function inSteps<Result>(work: Promise<Result>): Promise<{ result: Result; took_ms: number }> {
  let took_ms = 0
  let timer: NodeJS.Timeout
  const step = () => {
    took_ms += STEP_MS
    timer = setTimeout(step, STEP_MS)
  }
  timer = setTimeout(step, STEP_MS)
  try {
    return { result: await work, took_ms }
  } finally {
    clearTimeout(timer)
  }
}
