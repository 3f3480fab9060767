// Checks the health of the container. The exit code is 0 if its server answers /healthz. Otherwise it is 1, with the reason.

const url = `http://127.0.0.1:${process.env.PORT || 8080}/healthz`
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(4_000) })
  if (!response.ok) throw new Error(`status ${response.status}`)
} catch (error) {
  process.stderr.write(`${url} does not answer: ${error.cause?.message ?? error.message}\n`)
  process.exitCode = 1
}
