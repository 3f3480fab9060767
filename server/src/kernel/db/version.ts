// Compares the version of a PostgreSQL server with the oldest supported version and the newest tested version.

const VERSION_MIN = 15
const VERSION_MAX = 18

/** The version of a PostgreSQL server: `server_version_num`, such as 150004, and `server_version`, such as "15.4". */
export type DatabaseVersion = { version: number; name: string }

/**
 * Checks a version. `too_old` has the problem and the remedy, and `untested` has a warning. Null means that there is none.
 */
export function judgeVersion({ version, name }: DatabaseVersion): { too_old: string | null; untested: string | null } {
  const major = Math.floor(version / 10_000)
  const range = `PostgreSQL ${VERSION_MIN} to ${VERSION_MAX}`
  return {
    too_old: major < VERSION_MIN ? `PostgreSQL ${name} is too old: upgrade the database server to ${range}` : null,
    untested: major > VERSION_MAX ? `PostgreSQL ${name} is newer than the tested versions: use ${range}` : null,
  }
}
