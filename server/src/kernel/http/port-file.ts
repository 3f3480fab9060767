// Writes and reads the file of DATA_DIR that names the port of the running server. The admin command reads the file, so that it
// finds the server if its own environment does not name the port.

import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'server.json'

/** The content of the file: the port and the process id of the server. */
type PortFile = { port: number; pid: number }

/**
 * Writes the file, and returns the function that removes it. If several servers share DATA_DIR, the file names the server that
 * started last. If a server cannot write the file, the server continues without it.
 */
export async function announcePort(data_dir: string, port: number): Promise<() => Promise<void>> {
  const file = join(data_dir, FILE)
  const unfinished = `${file}.${process.pid}`
  const own: PortFile = { port, pid: process.pid }
  try {
    await mkdir(data_dir, { recursive: true })
    await rm(unfinished, { force: true })
    // The owner of DATA_DIR may have made a link with this name. With the flag wx, root does not follow the link.
    const handle = await open(unfinished, 'wx')
    try {
      await handle.writeFile(`${JSON.stringify(own)}\n`)
      await handle.chmod(0o644)
      // If root starts the server, the file gets the owner of DATA_DIR.
      const { uid, gid } = await stat(data_dir)
      if (process.getuid?.() === 0) await handle.chown(uid, gid)
    } finally {
      await handle.close()
    }
    await rename(unfinished, file)
  } catch {
    await rm(unfinished, { force: true }).catch(() => {})
    return async () => {}
  }
  return async () => {
    if ((await readPortFile(data_dir))?.pid === own.pid) await rm(file, { force: true }).catch(() => {})
  }
}

/** Returns the port of the server that runs with this DATA_DIR. Null means that the file names no running server. */
export async function findServerPort(data_dir: string): Promise<number | null> {
  const found = await readPortFile(data_dir)
  return found !== null && isRunning(found.pid) ? found.port : null
}

async function readPortFile(data_dir: string): Promise<PortFile | null> {
  try {
    const { port, pid } = JSON.parse(await readFile(join(data_dir, FILE), 'utf8')) as Partial<PortFile>
    const is_valid = Number.isInteger(port) && Number.isInteger(pid) && Number(port) > 0 && Number(port) <= 65_535
    return is_valid && Number(pid) > 0 ? { port: Number(port), pid: Number(pid) } : null
  } catch {
    return null
  }
}

/** Returns true if a process with this id runs. A killed process does not remove its file. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
