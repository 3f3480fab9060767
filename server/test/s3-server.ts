// Runs an S3-compatible server for a test: s3rver of npm, which npm installs into a temporary folder. The server does not check
// signatures, because it computes signatures of the root of a bucket without the slash at the end of the path.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { until } from './crash/processes.ts'
import { freePort } from './free-port.ts'
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from './tls-server.ts'

/** The package of the server, with its exact version. */
const PACKAGE = '@20minutes/s3rver@5.0.0'
/** The server accepts this text as the key, and as the secret. */
export const S3_KEY = 'S3RVER'

/** An S3-compatible server with one bucket and a certificate for localhost. */
export type S3Server = {
  port: number
  bucket: string
  /** The file with the certificate, which no authority has signed. */
  ca_file: string
  /** The folder with the objects. */
  objects: string
  close(): Promise<void>
}

const RUN = `
const [, program, port, directory, bucket, key, cert] = process.argv
const S3rver = require(program)
new S3rver({ port: Number(port), address: 'localhost', directory, silent: true, key, cert, vhostBuckets: false,
  allowMismatchedSignatures: true,
  configureBuckets: [{ name: bucket }] }).run()
`

/** Installs and starts a server whose files are in `folder`. */
export async function startS3Server(folder: string): Promise<S3Server> {
  const [programs, objects, ca_file] = ['programs', 'objects', 'ca.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(objects, { recursive: true })
  mkdirSync(programs)
  writeFileSync(ca_file, LOCALHOST_CERTIFICATE)
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  execFileSync('npm', ['install', '--prefix', programs, ...options, PACKAGE], { stdio: 'inherit' })
  const port = await freePort()
  const bucket = 'malipo-backups'
  const program = join(programs, 'node_modules/@20minutes/s3rver')
  const args = ['-e', RUN, program, String(port), objects, bucket, LOCALHOST_KEY, LOCALHOST_CERTIFICATE]
  const child: ChildProcess = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const answers = () => {
    if (child.exitCode !== null) throw new Error('the S3 server ended at its start')
    return new Promise<boolean>((resolve) => {
      const socket = connect({ port, host: 'localhost', ca: LOCALHOST_CERTIFICATE }, () => resolve(true))
      socket.once('error', () => resolve(false)).once('secureConnect', () => socket.end())
    })
  }
  await until('the S3 server answers', answers)
  return {
    port,
    bucket,
    ca_file,
    objects,
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
