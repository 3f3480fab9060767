// Serves /metrics on a separate port without authentication, so only the monitoring may reach the port.

import type { Server } from 'node:http'
import { type Log, type Metrics, nodeHttp } from '../lib/index.ts'

const TIMEOUT_MS = 5_000

/** The server of /metrics with its port. */
export type MetricsServer = { port: number; close(): Promise<void> }

/**
 * Starts the server of /metrics. If the process cannot listen on the host and port, logs one error and returns null. The
 * process then continues without /metrics.
 */
export async function serveMetrics(
  { metrics, log }: { metrics: Metrics; log: Log },
  { host, port }: { host: string; port: number },
): Promise<MetricsServer | null> {
  const timeouts = { requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }
  const server = nodeHttp.createServer(timeouts, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0]
    if (path !== '/metrics' || !['GET', 'HEAD'].includes(request.method ?? '')) {
      response.writeHead(path === '/metrics' ? 405 : 404, { 'content-type': 'text/plain' })
      response.end('The metrics of this process are at GET /metrics.\n')
      return
    }
    metrics.text().then(
      (text) =>
        response.writeHead(200, { 'content-type': metrics.content_type, 'cache-control': 'no-store' }).end(text),
      (error: unknown) => {
        log.error({ component: 'http', err: error }, 'the server could not write /metrics')
        response.writeHead(500).end()
      },
    )
  })
  try {
    await listenForScrapes(server, host, port)
  } catch (error) {
    const { code } = error as { code?: string }
    const problem =
      code === 'EADDRINUSE'
        ? `another program uses port ${port} on ${host}: set METRICS_PORT to a free port for each process of this machine`
        : `the process cannot listen on ${host} port ${port} (${code}): correct METRICS_HOST or METRICS_PORT`
    log.error({ component: 'http' }, `this process serves no /metrics, because ${problem}`)
    return null
  }
  // The listening socket must not delay the end of the process.
  server.unref()
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function listenForScrapes(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
}
