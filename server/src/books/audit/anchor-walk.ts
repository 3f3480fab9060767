// Checks the signatures, the numbers and the hashes of the lines of anchors. This file uses no database, so an auditor can do
// the same check with a copy and the public key.

import { type Anchor, type AnchoredHead, isSignedWith, lineHash, NO_ANCHOR_BEFORE, parseAnchor } from './anchor.ts'

/** The end of a chain: `seq` is its last entry in the anchor `number`, the newest anchor with this chain. */
export type HeldHead = { seq: number; number: number }

/** A valid anchor, with the hash of its line and the previous ends of its chains. */
export type WalkedAnchor = {
  anchor: Anchor
  hash: string
  heads: (AnchoredHead & { before: HeldHead | undefined })[]
}

/** Returns true if an anchor of this time may have a signature with this public key. */
export type IsTrusted = (key: string, at: Date) => boolean

/** A check of anchors, which reads one anchor after another. */
export type AnchorWalk = {
  /**
   * Reads the next line. Returns the anchor, or a text about the fault. Null means that the line is unfinished or repeats an
   * earlier line, because a process died while it wrote.
   */
  read(line: string): WalkedAnchor | string | null
  /** The last line of the file with only the beginning of an anchor. Null means that the last line is complete. */
  readonly unfinished: { line: string; place: number } | null
  /** The newest anchor so far, with the number of its chains. Null means that the walk has read no anchor. */
  readonly last: { number: number; at: string; chains: number } | null
  /** The ends of all chains in the anchors so far, by merchant id. */
  readonly held: ReadonlyMap<string, HeldHead>
}

/** Makes a check that starts at the first line of a file. */
export function createAnchorWalk(isTrusted: IsTrusted): AnchorWalk {
  const hashes = [NO_ANCHOR_BEFORE]
  const held = new Map<string, HeldHead>()
  let entries = 0
  let last: { number: number; at: string; chains: number } | null = null
  let place = 0
  let unfinished: { line: string; place: number } | null = null

  const faultOf = (anchor: Anchor, line: string): string | null => {
    const { number, at, key } = anchor
    const name = `line ${place} (anchor ${number} of ${at})`
    const expected = hashes.length
    if (number > expected)
      return `anchor ${expected}${number > expected + 1 ? ` and others up to ${number - 1} are` : ' is'} missing before ${name}`
    if (number < expected) return `${name} differs from an earlier line with the same number`
    if (!isSignedWith(line, key)) return `${name} has a wrong signature: the line is not what the server wrote`
    if (!isTrusted(key, new Date(at))) return `${name} is signed with another key: ${key}`
    if (anchor.previous !== hashes[number - 1]) return `${name} does not follow the line of anchor ${number - 1}`
    return headsFault(anchor, name)
  }
  const headsFault = ({ heads, entries: total }: Anchor, name: string): string | null => {
    let grown = 0
    for (const { merchant_id, seq } of heads) {
      const before = held.get(merchant_id)
      if (before !== undefined && seq < before.seq)
        return `${name} has ${seq} entries of ${merchant_id}, but anchor ${before.number} had ${before.seq}: the log lost entry ${seq + 1} and all later entries between these anchors`
      grown += seq - (before?.seq ?? 0)
    }
    return total === entries + grown ? null : `${name} counts ${total} entries, but its chains have ${entries + grown}`
  }
  const keep = (anchor: Anchor, line: string): WalkedAnchor => {
    const { number, at } = anchor
    const hash = lineHash(line)
    const heads = anchor.heads.map((head) => ({ ...head, before: held.get(head.merchant_id) }))
    for (const { merchant_id, seq } of heads) held.set(merchant_id, { seq, number })
    hashes.push(hash)
    entries = anchor.entries
    last = { number, at, chains: heads.length }
    return { anchor, hash, heads }
  }
  return {
    read(line) {
      place += 1
      const before = unfinished
      if (before !== null && !line.startsWith(before.line)) return `line ${before.place} is not an anchor`
      unfinished = null
      const anchor = parseAnchor(line)
      if (anchor === null) {
        unfinished = { line, place }
        return null
      }
      if (anchor.number < hashes.length && hashes[anchor.number] === lineHash(line)) return null
      return faultOf(anchor, line) ?? keep(anchor, line)
    },
    get unfinished() {
      return unfinished
    },
    get last() {
      return last
    },
    held,
  }
}
