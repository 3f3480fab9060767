// Appends anchors to AUDIT_ANCHOR_FILE, and reads the file. The process never changes earlier bytes, so the operator may make
// the file append-only.

import { createReadStream } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { adminCommand } from '../../kernel/lib/index.ts'
import { parseAnchor } from './anchor.ts'

/** The error that stops an append to the file. The message describes the problem and the next step of the operator. */
export class AnchorFileError extends Error {}

/** The functions that read the anchors of the database. */
export type StoredAnchors = {
  /** Returns the line of an anchor. Undefined means that the database has no such anchor. */
  lineOf(number: number): Promise<string | undefined>
  /** Returns the lines after an anchor in order, in batches of limited size. An empty result means the end. */
  linesAfter(number: number): Promise<{ number: number; line: string }[]>
}

/** The number of bytes at the end of the file that the writer reads: more than the longest line. */
const TAIL_BYTES = 1_048_576
/**
 * The file mode: the user of the server may write, and its group may read. So a program in the group can copy the file.
 */
const MODE = 0o640

const LOOK = `Run "${adminCommand('verify')}", and follow docs/operate/audit-anchors.md`

/**
 * Appends the missing anchors to the file and flushes it to disk. Returns the number of the last anchor. If the file is missing
 * although `written` is not 0, or differs from the database, throws an AnchorFileError. After an unfinished line, the function
 * repeats the whole line.
 */
export async function appendAnchors(path: string, written: number, stored: StoredAnchors): Promise<number> {
  const tail = await readTail(path)
  if (tail === null && written > 0)
    throw new AnchorFileError(`${path} is missing, although it had ${written} anchors. ${LOOK}`)
  let last = tail?.number ?? 0
  if (tail !== null && last > 0) {
    const line = await stored.lineOf(last)
    if (line === undefined)
      throw new AnchorFileError(`${path} ends with anchor ${last}, which the database does not have. ${LOOK}`)
    if (line !== tail.line) throw new AnchorFileError(`anchor ${last} in ${path} is not that of the database. ${LOOK}`)
  }
  let unfinished = tail?.unfinished ?? ''
  let begin = tail?.needs_break ? '\n' : ''
  for (;;) {
    const rows = await stored.linesAfter(last)
    const [first] = rows
    if (unfinished !== '' && !first?.line.startsWith(unfinished))
      throw new AnchorFileError(`${path} ends in a line that is not an anchor. ${LOOK}`)
    if (first === undefined) {
      if (begin !== '') await append(path, begin)
      return last
    }
    await append(path, `${begin}${rows.map(({ line }) => `${line}\n`).join('')}`)
    unfinished = ''
    begin = ''
    last = rows.at(-1)?.number ?? last
  }
}

async function append(path: string, text: string): Promise<void> {
  const is_new = !(await isPresent(path))
  if (is_new) await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'a', MODE)
  try {
    await file.appendFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  if (!is_new) return
  // If the file is new, the function also flushes its folder, so that the file survives a power failure.
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}

async function isPresent(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

/** The end of the file: its last anchor, and the unfinished text after that anchor. */
type Tail = { number: number; line: string; unfinished: string; needs_break: boolean }

/** Reads the end of the file. Null means that the file does not exist. */
async function readTail(path: string): Promise<Tail | null> {
  if (!(await isPresent(path))) return null
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const length = Math.min(size, TAIL_BYTES)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const text = buffer.toString('utf8')
    const lines = text.split('\n').filter((line) => line !== '')
    const found = lines.findLastIndex((line) => parseAnchor(line) !== null)
    if (found === -1 && length < size) throw new AnchorFileError(`the end of ${path} is not an anchor. ${LOOK}`)
    const line = lines[found] ?? ''
    return {
      number: parseAnchor(line)?.number ?? 0,
      line,
      unfinished: lines.slice(found + 1).at(-1) ?? '',
      needs_break: text !== '' && !text.endsWith('\n'),
    }
  } finally {
    await file.close()
  }
}

/** Reads the lines of a file in order. Null means that the file does not exist. */
export async function readAnchorFile(path: string): Promise<AsyncIterable<string> | null> {
  if (!(await isPresent(path))) return null
  return createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
}
