// Checks the licence of every package of package-lock.json against the licences that this project accepts.

import type { LockedPackage } from './locked-packages.ts'

/** The licences that a package may have, each with the reason. */
const ACCEPTED: Record<string, string> = {
  MIT: 'permits use, changes and sale; requires its notice',
  'MIT-0': 'permits use, changes and sale',
  ISC: 'permits use, changes and sale; requires its notice',
  '0BSD': 'permits use, changes and sale',
  'BSD-2-Clause': 'permits use, changes and sale; requires its notice',
  'BSD-3-Clause':
    'permits use, changes and sale; requires its notice, and forbids advertising with the names of its authors',
  'Apache-2.0': 'permits use, changes and sale; requires its notice, and grants patents',
  'BlueOak-1.0.0': 'permits use, changes and sale; requires its notice',
  'CC0-1.0': 'public domain',
  Unlicense: 'public domain',
  'OFL-1.1': 'permits fonts inside pages and documents; requires its notice, and the fonts may not be sold alone',
  'Bitstream-Vera': 'permits fonts inside documents; requires its notice, and the fonts may not be sold alone',
}

/** The licences that only a tool of development may have, each with the reason. */
const ACCEPTED_FOR_TOOLS: Record<string, string> = {
  'MPL-2.0': 'changes of its files must be published: this project changes no tool and distributes none',
}

/** A licence that a person read in the files of a package, because its package.json names no licence. */
type ReadLicence = { version: string; license: string; reason: string }

/**
 * The packages whose licence a person has read. The entry is valid for one version, so that a person reads a new version again.
 */
const READ_LICENCES: Record<string, ReadLicence> = {
  'dejavu-fonts-ttf': {
    version: '2.37.3',
    license: 'Bitstream-Vera',
    reason: 'its file LICENSE has the terms of the Bitstream Vera fonts and of the Arev fonts, which are the same',
  },
  'png-js': { version: '2.0.0', license: 'MIT', reason: 'its file LICENSE has the text of the MIT licence' },
}

/** Returns the licence of a package, and true if a person has read it because the package does not declare it. */
export function licenceOf(one: LockedPackage): { license: string | null; is_read: boolean } {
  const read = READ_LICENCES[one.name]
  if (read === undefined || read.version !== one.version) return { license: one.license, is_read: false }
  return { license: read.license, is_read: true }
}

/**
 * Returns one line for each package whose licence is missing or not accepted, and for each entry of READ_LICENCES without a
 * package. Each line names the remedy.
 */
export function licenceProblems(packages: readonly LockedPackage[]): string[] {
  const problems = packages.flatMap((one) => {
    const { license } = licenceOf(one)
    const name = `${one.key} (${one.shipped ? 'shipped' : 'tool'})`
    if (license === null) {
      return [`${name} declares no licence: read its files, then add it to READ_LICENCES of scripts/licences.ts`]
    }
    if (isAccepted(license, one.shipped)) return []
    return [`${name} has the licence "${license}", which scripts/licences.ts does not accept: choose another package`]
  })
  const unused = Object.keys(READ_LICENCES).filter((name) => !packages.some((one) => one.name === name))
  return [...problems, ...unused.map((name) => `scripts/licences.ts names ${name}, which is not installed: remove it`)]
}

/** Evaluates an SPDX expression: one licence of an OR must be accepted, and both of an AND. AND binds more closely. */
function isAccepted(expression: string, shipped: boolean): boolean {
  const accepted = (id: string) => Object.hasOwn(ACCEPTED, id) || (!shipped && Object.hasOwn(ACCEPTED_FOR_TOOLS, id))
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? []
  let is_complete = true
  const term = (): boolean => {
    const token = tokens.shift()
    if (token === undefined) is_complete = false
    if (token !== '(') return token !== undefined && accepted(token)
    const inner = choice()
    if (tokens.shift() !== ')') is_complete = false
    return inner
  }
  const both = (): boolean => {
    let result = term()
    while (tokens[0] === 'AND') {
      tokens.shift()
      result = term() && result
    }
    return result
  }
  const choice = (): boolean => {
    let result = both()
    while (tokens[0] === 'OR') {
      tokens.shift()
      result = both() || result
    }
    return result
  }
  return choice() && is_complete && tokens.length === 0
}
