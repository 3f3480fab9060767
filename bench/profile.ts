// Reads a .cpuprofile of V8 and lists the functions that used the most CPU time.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Program } from './rpc.ts'

type CallFrame = { functionName: string; url: string; lineNumber: number }
type CpuProfile = { nodes: { id: number; callFrame: CallFrame }[]; samples: number[]; timeDeltas: number[] }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SHOWN = 25

/** A profile: its file, and the functions with the most self time, in percent of the busy time. */
export type ProfileReport = { file: string; functions: { percent: number; ms: number; name: string; place: string }[] }

/**
 * Stops a program, which then writes its profile, and reads the profile. If the program wrote no profile, throws an error.
 */
export async function readProfile(program: Program, folder: string): Promise<ProfileReport> {
  await program.stop()
  const files = (await readdir(folder)).filter(
    (name) => name.endsWith('.cpuprofile') && name.includes(`.${program.pid}.`),
  )
  const [name] = files
  if (name === undefined) throw new Error(`the server wrote no profile to ${folder}`)
  const file = join(folder, name)
  return { file, functions: selfTimes(JSON.parse(await readFile(file, 'utf8')) as CpuProfile) }
}

function selfTimes(profile: CpuProfile): ProfileReport['functions'] {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = new Map<string, { us: number; name: string; place: string }>()
  let busy_us = 0
  for (const [i, id] of profile.samples.entries()) {
    const frame = frames.get(id)
    const us = profile.timeDeltas[i] ?? 0
    if (!frame || frame.functionName === '(idle)' || us < 0) continue
    busy_us += us
    const url = frame.url.startsWith('file:') ? fileURLToPath(frame.url) : frame.url
    const place = url === '' ? '' : `${url.startsWith(ROOT) ? url.slice(ROOT.length) : url}:${frame.lineNumber + 1}`
    const name = frame.functionName || '(anonymous)'
    const entry = times.get(`${name} ${place}`) ?? { us: 0, name, place }
    entry.us += us
    times.set(`${name} ${place}`, entry)
  }
  return [...times.values()]
    .sort((a, b) => b.us - a.us)
    .slice(0, SHOWN)
    .map(({ us, name, place }) => ({
      percent: Number(((us / busy_us) * 100).toFixed(2)),
      ms: Math.round(us / 1000),
      name,
      place,
    }))
}
