/**
 * Finds the folder for the data of a DATA_DIR. A program with a copied DATA_DIR opens the copied data or refuses to start.
 * `postgres.json` names a folder inside DATA_DIR by a relative path. A folder outside has `owner.json`, with the path of its
 * DATA_DIR and an id that `postgres.json` repeats.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { exists, hash, readJsonFile, writePrivately } from './embedded-files.ts'

/**
 * The content of `postgres.json`. `place` is the folder of the server, in memory always as an absolute path. `id` repeats the
 * id of a folder outside of DATA_DIR.
 */
export type PlacePointer = { place: string; port: number; id?: string | undefined }

type PlaceMark = { data_dir: string; id: string }

/**
 * Reads `postgres.json` and makes its path absolute. Null means that the file is missing. The function does not check that
 * the folder exists.
 */
export async function readPointer(dataDir: string): Promise<PlacePointer | null> {
  const pointer = await readJsonFile<PlacePointer>(join(dataDir, 'postgres.json'))
  return pointer && { place: resolve(dataDir, pointer.place), port: pointer.port, id: pointer.id }
}

/** Writes `postgres.json`, with a relative path for a folder inside DATA_DIR. */
export async function writePointer(dataDir: string, { place, port, id }: PlacePointer): Promise<void> {
  const written = (await isInside(place, dataDir)) ? await relativeTo(dataDir, place) : place
  const pointer = written === place ? { place, port, id } : { place: written, port }
  await writePrivately(join(dataDir, 'postgres.json'), pointer, await fs.stat(dataDir))
}

/**
 * Marks a folder outside of DATA_DIR with the path of this DATA_DIR and an id. Returns the id, which `postgres.json` must
 * repeat.
 */
export async function markPlace(place: string, dataDir: string, id = randomBytes(16).toString('hex')): Promise<string> {
  const mark: PlaceMark = { data_dir: await fs.realpath(dataDir), id }
  await writePrivately(markFile(place), mark, await fs.stat(place))
  return id
}

/**
 * Returns the folder for the data of DATA_DIR. Null means that DATA_DIR has no such folder yet. If `postgres.json` names the
 * folder of another DATA_DIR or a folder without data, throws an Error with instructions.
 */
export async function findPlace(dataDir: string): Promise<string | null> {
  const pointer = await readPointer(dataDir)
  if (pointer === null) return null
  const inside = join(dataDir, 'postgres')
  if (await isInside(pointer.place, dataDir)) {
    if (await exists(join(pointer.place, 'data'))) return pointer.place
    throw new Error(missing(dataDir, pointer.place))
  }
  if (await isOwn(pointer, dataDir)) return pointer.place
  // Older versions wrote an absolute path. After a move or a copy of DATA_DIR together with its data, that path is wrong.
  if (pointer.id === undefined && (await exists(join(inside, 'data')))) return inside
  if (!(await exists(pointer.place))) throw new Error(missing(dataDir, pointer.place))
  throw new Error(
    `${join(dataDir, 'postgres.json')} names the database in ${pointer.place}, which is the database of another DATA_DIR` +
      `${await ownerOf(pointer.place)}: this DATA_DIR is a copy. Use the original, or remove postgres.json from the copy to ` +
      'begin with an empty database. To copy a database, restore its backup',
  )
}

/** Returns true if a folder outside has the mark of this DATA_DIR. A moved DATA_DIR keeps its folder. */
async function isOwn(pointer: PlacePointer, dataDir: string): Promise<boolean> {
  const here = await fs.realpath(dataDir)
  const mark = await readJsonFile<PlaceMark>(markFile(pointer.place))
  if (mark === null) {
    // Older versions wrote no mark. The name of their folders begins with a hash of the DATA_DIR.
    const names = [resolve(dataDir), here].map((path) => hash(path).slice(0, 12))
    if (!names.some((name) => basename(pointer.place).startsWith(`${name}-`))) return false
    if (!(await exists(join(pointer.place, 'data')))) return false
    const id = await markPlace(pointer.place, dataDir)
    await writePointer(dataDir, { ...pointer, id })
    return true
  }
  if (mark.id !== pointer.id) return false
  if (mark.data_dir === here) return true
  // If the DATA_DIR in the mark still uses this folder, this DATA_DIR is a copy. Otherwise the operator has moved DATA_DIR.
  if ((await readPointer(mark.data_dir).catch(() => pointer))?.id === mark.id) return false
  await markPlace(pointer.place, dataDir, mark.id)
  return true
}

/** Returns the path of the file that exists while a restore into DATA_DIR has not finished. */
export const restoreMarker = (dataDir: string): string => join(dataDir, 'restore.unfinished')

/** If a restore into DATA_DIR has not finished, throws an Error with instructions. */
export async function requireRestored(dataDir: string): Promise<void> {
  const marker = restoreMarker(dataDir)
  if (!(await exists(marker))) return
  throw new Error(
    `the restore into ${dataDir} has not finished: run "restore" again, which begins anew. If "restore" reported contradictions ` +
      `that you accept, remove ${marker} to open the database`,
  )
}

async function ownerOf(place: string): Promise<string> {
  const mark = await readJsonFile<PlaceMark>(markFile(place)).catch(() => null)
  return mark === null ? '' : ` (${mark.data_dir})`
}

function missing(dataDir: string, place: string): string {
  return (
    `${join(dataDir, 'postgres.json')} names the database in ${place}, but that folder has no database: restore the folder, or ` +
    'remove postgres.json to begin with an empty database'
  )
}

function markFile(place: string): string {
  return join(place, 'owner.json')
}

async function isInside(place: string, dataDir: string): Promise<boolean> {
  const path = await relativeTo(dataDir, place)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

async function relativeTo(dataDir: string, place: string): Promise<string> {
  const real = (path: string) => fs.realpath(path).catch(() => resolve(path))
  return relative(await real(dataDir), await real(place))
}
