// Reads the CPU time and the memory of processes from /proc of Linux, for the benchmark.

import { readdirSync, readFileSync } from 'node:fs'

/** The clock ticks per second in /proc: USER_HZ is 100 on every platform that Node supports. */
const TICKS_PER_SECOND = 100

/** Returns the CPU seconds (user and system) that a process has used. Zero means that the process has ended. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid)
  return fields === null ? 0 : fields.own / TICKS_PER_SECOND
}

/** Returns the CPU seconds of a process and its children, including children that have ended. */
export function cpuSecondsOfFamily(parent: number): number {
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const fields = statOf(pid)
    if (fields === null) continue
    if (pid === parent) ticks += fields.own + fields.ended_children
    else if (fields.parent === parent) ticks += fields.own
  }
  return ticks / TICKS_PER_SECOND
}

/** Returns the CPU seconds of all programs on this machine, and those that the host of a virtual machine took away. */
export function cpuSecondsOfMachine(): number {
  const line = (readOrNull('/proc/stat') ?? '').split('\n', 1)[0] ?? ''
  // The fields of this line are: cpu user nice system idle iowait irq softirq steal. The field user includes guest time.
  const [, user, nice, system, , , irq, softirq, steal] = line.split(/ +/).map(Number)
  const ticks = [user, nice, system, irq, softirq, steal].reduce((sum: number, part) => sum + (part ?? 0), 0)
  return ticks / TICKS_PER_SECOND
}

/** Returns the process id of the parent. Null means that the process has ended. */
export function parentOf(pid: number): number | null {
  return statOf(pid)?.parent ?? null
}

/** Returns the current memory of a process in MB (10^6 bytes). Zero means that the process has ended. */
export function residentMb(pid: number): number {
  const text = readOrNull(`/proc/${pid}/status`)
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(text ?? '')?.[1]
  return (Number(kib ?? 0) * 1024) / 1e6
}

function statOf(pid: number): { parent: number; own: number; ended_children: number } | null {
  const text = readOrNull(`/proc/${pid}/stat`)
  if (text === null) return null
  // The name in parentheses can contain any character, so the code counts the fields after the name: state is 0, ppid is 1.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const at = (place: number) => Number(fields[place] ?? 0)
  return { parent: at(1), own: at(11) + at(12), ended_children: at(13) + at(14) }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
